package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() {
	programs["daemon"] = daemon
	programs["sleepers"] = sleepers
	programs["orphan"] = func(a []string) int { say("start", self("sleep", a[0]).Start()); return 0 }
	programs["hold-stdout"] = holdStdout
	programs["stubborn"] = stubborn
	programs["stubborn-tree"] = stubbornTree
	programs["fork-bomb"] = forkBomb
	programs["eat-memory"] = eatMemory
	programs["burn"] = burn
	programs["fill"] = fill
	programs["fill-inodes"] = fillInodes
	programs["big-file"] = bigFile
	programs["flood"] = flood
	programs["bytes"] = func([]string) int { os.Stdout.Write([]byte("\xff\xfe\x00\x1b[2J\n")); return 0 }
	programs["ipc"] = ipc
	programs["serve"] = serve
	programs["echo"] = echo
	programs["reuse-port"] = reusePort
	programs["dial"] = dial
	programs["reopen"] = reopen
	programs["errno"] = openErrno
	programs["lock-out"] = lockOut
	programs["event-fds"] = eventFDs
	programs["suite"] = suite
	programs["rename-folder"] = renameFolder
	programs["open-files"] = openFiles
	programs["processors"] = processors
	programs["zone"] = zone
}

// self starts this program again, detached in every way.
func self(args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Args[0] = "inbox"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// daemon leaves a sleeper behind, whose parent is gone too.
func daemon(args []string) int {
	if len(args) == 0 {
		say("start", self("daemon", "inner").Run())
		return 0
	}
	say("start", self("sleep", "1000s").Start())
	return 0
}

// sleepers TIME sleeps in three processes, one of them orphaned, and says when
// they are up.
func sleepers(args []string) int {
	say("start", self("sleep", args[0]).Start())
	if err := self("orphan", args[0]).Run(); err != nil {
		say("start", err)
	}
	event([]string{"up"})
	return sleep(args)
}

// holdStdout leaves a sleeper behind that holds stdout and stderr.
func holdStdout([]string) int {
	cmd := self("sleep", "1000s")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	say("start", cmd.Start())
	return 0
}

// stubborn ignores what can be ignored.
func stubborn([]string) int {
	signal.Ignore(unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	time.Sleep(time.Hour)
	return 0
}

// stubbornTree has a stubborn child, a stopped one, and one in a session of its
// own, and is stubborn itself.
func stubbornTree([]string) int {
	say("start", self("stubborn").Start())
	stopped := self("sleep", "1000s")
	say("start", stopped.Start())
	say("stop", stopped.Process.Signal(unix.SIGSTOP))
	say("start", self("daemon").Start())
	return stubborn(nil)
}

// With an argument it first takes as many processes as its hard limit allows.
func forkBomb(args []string) int {
	var limit unix.Rlimit
	if len(args) > 0 && unix.Getrlimit(unix.RLIMIT_NPROC, &limit) == nil {
		limit.Cur = limit.Max
		say("raise", unix.Setrlimit(unix.RLIMIT_NPROC, &limit))
	}
	for {
		if pid, _, e := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0); e == 0 && pid == 0 {
			for {
				syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
			}
		}
	}
}

// eatMemory MIB touches so much memory, then waits.
func eatMemory(args []string) int {
	n, _ := strconv.Atoi(args[0])
	var keep [][]byte
	for range n {
		block := make([]byte, 1<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		keep = append(keep, block)
	}
	time.Sleep(300 * time.Millisecond)
	fmt.Println(len(keep))
	return 0
}

// burn uses processor time, in a child as well.
func burn(args []string) int {
	if len(args) == 0 {
		_ = self("burn", "child").Start()
	}
	for {
	}
}

// fill PATH writes until there is no room.
func fill(args []string) int {
	f, err := os.Create(args[0])
	block := make([]byte, 1<<20)
	for err == nil {
		_, err = f.Write(block)
	}
	say("fill", err)
	return 1
}

func fillInodes(args []string) int {
	var err error
	for i := 0; err == nil; i++ {
		var f *os.File
		if f, err = os.Create(filepath.Join(args[0], strconv.Itoa(i))); err == nil {
			f.Close()
		}
	}
	say("fill", err)
	return 1
}

// bigFile writes a file of more than the limit on one file.
func bigFile(args []string) int {
	signal.Ignore(unix.SIGXFSZ)
	err := os.Truncate(args[0], 1<<40)
	if errors.Is(err, fs.ErrNotExist) {
		f, _ := os.Create(args[0])
		err = f.Truncate(1 << 40)
	}
	say("truncate", err)
	return 1
}

// flood BYTES writes so many on one line; 0 means for ever.
func flood(args []string) int {
	n, _ := strconv.ParseInt(args[0], 10, 64)
	block := []byte(strings.Repeat("x", 64<<10))
	for written := int64(0); n == 0 || written < n; written += int64(len(block)) {
		if _, err := os.Stdout.Write(block); err != nil {
			return 1
		}
	}
	return 0
}

// ipc make leaves System V objects and a message queue behind; ipc find looks
// for them.
func ipc(args []string) int {
	const key = 0x1a4e
	flags := uintptr(0)
	if args[0] == "make" {
		flags = unix.IPC_CREAT | 0o666
	}
	show := func(what string, id uintptr, e syscall.Errno) {
		if e != 0 {
			say(what, e)
			return
		}
		fmt.Println(what, "id", id)
	}
	id, _, e := syscall.RawSyscall(unix.SYS_SHMGET, key, 4096, flags)
	show("shm", id, e)
	id, _, e = syscall.RawSyscall(unix.SYS_SEMGET, key, 1, flags)
	show("sem", id, e)
	id, _, e = syscall.RawSyscall(unix.SYS_MSGGET, key, flags, 0)
	show("msg", id, e)
	name := []byte("lane\x00")
	open := uintptr(unix.O_RDWR)
	if args[0] == "make" {
		open |= unix.O_CREAT
	}
	_, _, e = syscall.RawSyscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(&name[0])), open, 0o666, 0, 0, 0)
	report("mq", e)
	return 0
}

// serve NETWORK ADDRESS listens, dials itself and passes a byte.
func serve(args []string) int {
	l, err := net.Listen(args[0], args[1])
	if err != nil {
		say("listen", err)
		return 1
	}
	go func() {
		if c, err := l.Accept(); err == nil {
			c.Write([]byte("x"))
			c.Close()
		}
	}()
	c, err := net.Dial(args[0], l.Addr().String())
	if err == nil {
		_, err = c.Read(make([]byte, 1))
		c.Close()
	}
	say("serve", err)
	if err != nil {
		return 1
	}
	if len(args) > 2 {
		d, _ := time.ParseDuration(args[2])
		time.Sleep(d)
	}
	return 0
}

// echo ADDRESS sends every connection back what it says.
func echo(args []string) int {
	l, err := net.Listen("tcp", args[0])
	for err == nil {
		var c net.Conn
		if c, err = l.Accept(); err == nil {
			go func() {
				defer c.Close()
				io.Copy(c, c)
			}()
		}
	}
	say("echo", err)
	return 1
}

// reusePort PORT leaves a connection behind whose server side closed first, after
// binding the port without SO_REUSEADDR.
func reusePort(args []string) int {
	port, _ := strconv.Atoi(args[0])
	l, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err == nil {
		err = unix.Bind(l, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	}
	if err == nil {
		err = unix.Listen(l, 1)
	}
	if err != nil {
		say("bind", err)
		return 1
	}
	c, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		say("dial", err)
		return 1
	}
	s, _, err := unix.Accept(l)
	if err != nil {
		say("accept", err)
		return 1
	}
	unix.Close(s)
	_, err = c.Read(make([]byte, 1))
	c.Close()
	time.Sleep(10 * time.Millisecond)
	say("bind", nil)
	return 0
}

// dial NETWORK ADDRESS...
func dial(args []string) int {
	for _, address := range args[1:] {
		c, err := net.DialTimeout(args[0], address, time.Second)
		if err == nil {
			c.Close()
		}
		var e syscall.Errno
		if errors.As(err, &e) {
			err = e
		}
		say(address, err)
	}
	return 0
}

// reopen writes through /dev/stdout and /dev/stderr.
func reopen([]string) int {
	for _, name := range []string{"/dev/stdout", "/dev/stderr"} {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			say(name, err)
			return 1
		}
		fmt.Fprintln(f, "through", name)
		f.Close()
	}
	return 0
}

// errno PATH... prints what opening for writing comes to.
func openErrno(args []string) int {
	for _, name := range args {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
		if err == nil {
			f.Close()
		}
		var e syscall.Errno
		if errors.As(err, &e) {
			err = e
		}
		say(name, err)
	}
	return 0
}

// lockOut makes a file and a folder that even their owner may not use.
func lockOut([]string) int {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		say("make", err)
		return 1
	}
	name := filepath.Join(dir, "file")
	say("make", os.WriteFile(name, nil, 0))
	_, err = os.ReadFile(name)
	fmt.Println("read: permission denied", errors.Is(err, fs.ErrPermission))
	say("chmod", os.Chmod(dir, 0o500))
	err = os.WriteFile(filepath.Join(dir, "other"), nil, 0o644)
	fmt.Println("write: permission denied", errors.Is(err, fs.ErrPermission))
	return 0
}

// eventFDs sends descriptors along with its records, many of them.
func eventFDs([]string) int {
	for i := range 2000 {
		rights := unix.UnixRights(1, 1, 1, 1, 1, 1, 1, 1)
		if err := unix.Sendmsg(3, []byte(strconv.Itoa(i)), rights, nil, 0); err != nil {
			say("send", err)
			return 1
		}
	}
	return 0
}

// suite MODE behaves as a test runner with one unit does: it starts the unit,
// hands it a pipe as stdout, and waits for the pipe's end.
func suite(args []string) int {
	switch args[0] {
	case "hang": // the last event is out, and the process never ends
		event([]string{"end"})
		time.Sleep(time.Hour)
	case "unit":
		leak := self("sleep", "1000s")
		leak.Stdout = os.Stdout
		say("leak", leak.Start())
		return event([]string{"end"})
	case "leak":
		unit := self("suite", "unit")
		unit.ExtraFiles = []*os.File{os.NewFile(3, "events")}
		out, err := unit.Output() // waits until the leaked child lets go
		say("unit "+strings.TrimSpace(string(out)), err)
	}
	return 0
}

// renameFolder FROM TO renames, and prints the error number's text.
func renameFolder(args []string) int {
	err := unix.Rename(args[0], args[1])
	say("rename", err)
	if err := os.RemoveAll(args[0]); err != nil {
		say("remove", err)
	}
	say("make again", os.Mkdir(args[0], 0o755))
	entries, err := os.ReadDir(args[0])
	fmt.Println("entries", len(entries), err)
	return 0
}

func zone([]string) int {
	_, offset := time.Date(2024, 7, 1, 12, 0, 0, 0, time.Local).Zone()
	lord, err := time.LoadLocation("Australia/Lord_Howe")
	fmt.Println("local", offset, "load", lord, err)
	return 0
}

// openFiles opens the same file until it may not, and then stays for a while and fails.
func openFiles(args []string) int {
	n := 0
	for ; ; n++ {
		if _, err := unix.Open("/dev/null", unix.O_RDONLY, 0); err != nil {
			fmt.Println("opened", n, err)
			break
		}
	}
	d, _ := time.ParseDuration(args[0])
	at := unix.NsecToTimespec(d.Nanoseconds())
	_ = unix.Nanosleep(&at, nil) // the runtime's own sleep needs a descriptor
	return 1
}

// processors counts those that it may use, and tries to use all.
func processors([]string) int {
	var now, all unix.CPUSet
	_ = unix.SchedGetaffinity(0, &now)
	fmt.Println(now.Count(), "of them")
	for i := range len(all) * 64 {
		all.Set(i)
	}
	say("all", unix.SchedSetaffinity(0, &all))
	_ = unix.SchedGetaffinity(0, &now)
	fmt.Println("after:", now.Count())
	return 0
}
