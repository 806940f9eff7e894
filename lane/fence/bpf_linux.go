//go:build amd64 || arm64

package fence

import (
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

// A small assembler for seccomp's classic BPF. The filter is a list of rules;
// the first that matches decides, and what no rule matches is allowed.
//
// Arguments are compared by their low 32 bits only, but for nonNull: the others
// are ints, unsigned ints or sets of flags below bit 32, and the kernel too looks
// at no more of them than that.

// rule is one line of the filter: syscall nr, all of whose tests hold, gets action.
type rule struct {
	nr     uintptr
	tests  []test
	action uint32
}

// test looks at one argument.
type test struct {
	arg    uint32
	op     testOp
	values []uint32
}

type testOp int

const (
	in      testOp = iota // equals one of values
	notIn                 // equals none of values
	bits                  // has one of the bits of values[0]
	between               // values[0] <= argument <= values[1], unsigned
	nonNull               // a pointer, all 64 bits of which are looked at
)

// Offsets into struct seccomp_data, on little-endian machines.
const (
	offNr   = 0
	offArch = 4
	offArgs = 16
)

func refuse(errno uint32) uint32 { return unix.SECCOMP_RET_ERRNO | errno }

func loadWord(off uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: off}
}

func ret(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// jump skips jt instructions if the comparison with k holds, else jf.
func jump(comparison uint16, k uint32, jt, jf int) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | comparison | unix.BPF_K, Jt: uint8(jt), Jf: uint8(jf), K: k}
}

// span is a run of system call numbers, up to the next span, that share code.
type span struct {
	from uint32
	code []unix.SockFilter
}

// assemble makes the program: first the architecture, then a binary search for
// the number. The kernel tries every number when it loads a filter, to remember
// which are always allowed; a long list of comparisons would make that the
// dearest part of starting a command.
func assemble(rules []rule) []unix.SockFilter {
	return append([]unix.SockFilter{
		loadWord(offArch),
		jump(unix.BPF_JEQ, auditArch, 1, 0),
		ret(unix.SECCOMP_RET_KILL_PROCESS),
		loadWord(offNr),
	}, search(spans(rules))...)
}

// spans cuts the numbers into spans: those of rules, those between, those of a
// kernel newer than this filter, and those of another ABI.
func spans(rules []rule) []span {
	byNumber := map[uint32][]rule{}
	for _, r := range rules {
		byNumber[uint32(r.nr)] = append(byNumber[uint32(r.nr)], r)
	}
	allow := []unix.SockFilter{ret(unix.SECCOMP_RET_ALLOW)}
	unknown := []unix.SockFilter{ret(refuse(uint32(unix.ENOSYS)))}
	list := []span{{0, allow}}
	for _, nr := range slices.Sorted(maps.Keys(byNumber)) {
		var code []unix.SockFilter
		for _, r := range byNumber[nr] {
			code = append(code, r.assemble()...)
		}
		if list[len(list)-1].from == nr { // nothing lies between this number and the last
			list = list[:len(list)-1]
		}
		list = append(list, span{nr, append(code, allow...)}, span{nr + 1, allow})
	}
	list = append(list, span{newestKnown + 1, unknown})
	if foreignBit != 0 { // x32 on amd64; -1 is what tracers use for "no call"
		list = append(list,
			span{foreignBit, []unix.SockFilter{ret(unix.SECCOMP_RET_KILL_PROCESS)}},
			span{^uint32(0), unknown})
	}
	return list
}

// search finds the span of the number in the accumulator.
func search(list []span) []unix.SockFilter {
	if len(list) == 1 {
		return list[0].code
	}
	middle := len(list) / 2
	low, high := search(list[:middle]), search(list[middle:])
	var code []unix.SockFilter
	if len(low) <= 255 {
		code = append(code, jump(unix.BPF_JGE, list[middle].from, len(low), 0))
	} else { // too far for a conditional jump
		code = append(code,
			jump(unix.BPF_JGE, list[middle].from, 0, 1),
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: uint32(len(low))})
	}
	return append(append(code, low...), high...)
}

// assemble makes the instructions of a rule for a number that is known to be
// its. It is built backwards, so that each test knows how far the end of the
// rule is.
func (r rule) assemble() []unix.SockFilter {
	code := []unix.SockFilter{ret(r.action)}
	for i := len(r.tests) - 1; i >= 0; i-- {
		code = append(r.tests[i].assemble(len(code)), code...)
	}
	return code
}

// assemble falls through where the test holds, and else skips rest instructions
// behind it.
func (t test) assemble(rest int) []unix.SockFilter {
	code := []unix.SockFilter{loadWord(offArgs + 8*t.arg)}
	switch t.op {
	case in:
		for i, v := range t.values {
			last := i == len(t.values)-1
			miss := 0
			if last {
				miss = rest
			}
			code = append(code, jump(unix.BPF_JEQ, v, len(t.values)-1-i, miss))
		}
	case notIn:
		for i, v := range t.values {
			code = append(code, jump(unix.BPF_JEQ, v, len(t.values)-1-i+rest, 0))
		}
	case nonNull:
		code = append(code,
			jump(unix.BPF_JEQ, 0, 0, 2),
			loadWord(offArgs+8*t.arg+4),
			jump(unix.BPF_JEQ, 0, rest, 0))
	case bits:
		code = append(code, jump(unix.BPF_JSET, t.values[0], 0, rest))
	case between:
		code = append(code,
			jump(unix.BPF_JGE, t.values[0], 0, rest+1),
			jump(unix.BPF_JGT, t.values[1], rest, 0))
	}
	return code
}
