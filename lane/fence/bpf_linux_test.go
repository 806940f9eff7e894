//go:build amd64 || arm64

package fence

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// call is what a filter sees of a system call.
type call struct {
	arch uint32
	nr   uint32
	args [6]uint64
}

// interpret runs a filter as the kernel does.
func interpret(t *testing.T, program []unix.SockFilter, c call) uint32 {
	t.Helper()
	words := []uint32{c.nr, c.arch, 0, 0}
	for _, a := range c.args {
		words = append(words, uint32(a), uint32(a>>32))
	}
	var acc uint32
	for pc := 0; pc < len(program); pc++ {
		i := program[pc]
		holds := func(b bool) {
			if b {
				pc += int(i.Jt)
				return
			}
			pc += int(i.Jf)
		}
		switch i.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			acc = words[i.K/4]
		case unix.BPF_RET | unix.BPF_K:
			return i.K
		case unix.BPF_JMP | unix.BPF_JA:
			pc += int(i.K)
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			holds(acc == i.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			holds(acc >= i.K)
		case unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K:
			holds(acc > i.K)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			holds(acc&i.K != 0)
		default:
			t.Fatalf("instruction %d has code %#x", pc, i.Code)
		}
	}
	t.Fatal("the program has no end")
	return 0
}

// decide is the meaning of rules, without any program.
func decide(rules []rule, c call) uint32 {
	switch {
	case c.arch != auditArch:
		return unix.SECCOMP_RET_KILL_PROCESS
	case c.nr == ^uint32(0):
		return refuse(uint32(unix.ENOSYS))
	case foreignBit != 0 && c.nr >= foreignBit:
		return unix.SECCOMP_RET_KILL_PROCESS
	case c.nr > newestKnown:
		return refuse(uint32(unix.ENOSYS))
	}
	for _, r := range rules {
		if uint32(r.nr) == c.nr && !slices.ContainsFunc(r.tests, func(x test) bool { return !holds(x, c.args[x.arg]) }) {
			return r.action
		}
	}
	return unix.SECCOMP_RET_ALLOW
}

func holds(x test, arg uint64) bool {
	low := uint32(arg)
	switch x.op {
	case in:
		return slices.Contains(x.values, low)
	case notIn:
		return !slices.Contains(x.values, low)
	case bits:
		return low&x.values[0] != 0
	case between:
		return low >= x.values[0] && low <= x.values[1]
	}
	return arg != 0 // nonNull
}

func TestFilterMeansItsRules(t *testing.T) {
	rules := filterRules(reservedPIDs - 1)
	program := assemble(rules)
	if len(program) > 4096 {
		t.Fatalf("%d instructions; the kernel takes 4096", len(program))
	}
	t.Logf("%d rules, %d instructions", len(rules), len(program))
	values := []uint64{0, 1, 2, 3, 4, 10, 16, 40, 99, 299, 300, 301, 1 << 16, unix.CLONE_NEWUSER, unix.CLONE_NEWNET | 17, unix.CLONE_NEWTIME,
		unix.CLONE_VM | unix.CLONE_FS, unix.TIOCSTI, unix.TIOCGWINSZ, unix.TIOCSETD, 1 << 33, 1<<33 | 1, ^uint64(0)}
	numbers := []uint32{newestKnown, newestKnown + 1, 600, 1 << 20, 0x3fffffff, 0x40000000, 0x40000027, 0x7fffffff, 0xfffffffe, 0xffffffff}
	for nr := range uint32(newestKnown) {
		numbers = append(numbers, nr)
	}
	arches := []uint32{auditArch, unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, 0}
	for _, arch := range arches {
		for _, nr := range numbers {
			for _, a := range values {
				for _, b := range values {
					c := call{arch: arch, nr: nr, args: [6]uint64{a, b, b, a, 0, 0}}
					if got, want := interpret(t, program, c), decide(rules, c); got != want {
						t.Fatalf("%+v: %#x, want %#x", c, got, want)
					}
				}
			}
		}
	}
}
