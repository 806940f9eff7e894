package service

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/vallane/lane/lane/fence"
)

// Program is what a command of a service starts.
type Program struct {
	// Path is the program's own file in the closure, with every link followed; "" where it is none of the closure's.
	Path string
	// Foreign says in a sentence why what answers would not be that program's doing alone; "" where it is.
	Foreign string
}

// runners start what they are told to. Digits and dots at the end, as in python3.11, are no part of a name.
var runners = strings.Fields("sh ash bash dash hush ksh mksh zsh fish env busybox toybox python pypy perl ruby node nodejs deno bun lua luajit php " +
	"tclsh wish expect awk gawk mawk nawk guile racket java go R Rscript julia erl elixir ghci swift dotnet mono qemu wasmtime wasmer " +
	"nc ncat netcat socat xargs find timeout nice ionice nohup setsid stdbuf chroot unshare nsenter setpriv taskset time watch start-stop-daemon " +
	"prlimit chrt flock setarch linux32 linux64 runuser su sudo doas bwrap strace ltrace gdb perf parallel entr watchexec git ssh " +
	"supervisord tini dumb-init catatonit runsv runsvdir s6-svscan make ninja script inetd xinetd tcpserver tcpsvd udpsvd")

// Find finds the program of a command in a closure: folders are those of PATH, and store where its paths lie on this machine.
func Find(argv, folders []string, store []fence.Mount) Program {
	if len(argv) == 0 {
		return Program{Foreign: "there is no command"}
	}
	name := argv[0]
	found := ""
	switch {
	case path.IsAbs(name):
		found = follow(name, store)
	case strings.Contains(name, "/"):
		return Program{Foreign: fmt.Sprintf("%s would be a file of the tree, and the box of a service has none", name)}
	default:
		for _, dir := range folders {
			if found = follow(path.Join(dir, name), store); found != "" {
				break
			}
		}
	}
	if found == "" {
		return Program{Foreign: fmt.Sprintf("the closure has no program %s", name)}
	}
	p := Program{Path: found}
	called, file := path.Base(name), path.Base(found)
	// One file that is many programs is the one that it is called as, or that its first argument names.
	if many := file == "busybox" || file == "toybox"; many && called == file && len(argv) > 1 {
		called = argv[1]
	} else if many {
		file = called
	}
	for _, n := range []string{called, file} {
		if runs(n) && (n != "busybox" && n != "toybox" || called == n) {
			p.Foreign = fmt.Sprintf("%s runs what it is told to: what answers would be of whoever wrote its arguments, and no program of the closure", called)
		}
	}
	return p
}

func runs(name string) bool {
	loader := strings.HasPrefix(name, "ld-") || strings.HasPrefix(name, "ld.so") // starts what its first argument names
	return loader || slices.Contains(runners, name) || slices.Contains(runners, strings.TrimRight(name, "0123456789.-"))
}

// mostLinks bounds how many links lead to a program.
const mostLinks = 40

// follow returns the file that a path of the box leads to, "" where that is no program of the closure.
func follow(name string, store []fence.Mount) string {
	at, rest := "/", strings.Split(strings.Trim(name, "/"), "/")
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		if part == ".." {
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, part)
		host := onHost(next, store)
		if host == "" { // above the store's paths, where nothing is a link, or nowhere
			at = next
			continue
		}
		info, err := os.Lstat(host)
		if err != nil {
			return ""
		}
		if info.Mode()&os.ModeSymlink == 0 {
			at = next
			continue
		}
		to, err := os.Readlink(host)
		if links++; err != nil || links > mostLinks {
			return ""
		}
		if path.IsAbs(to) {
			at = "/"
		}
		rest = append(strings.Split(strings.Trim(to, "/"), "/"), rest...)
	}
	host := onHost(at, store)
	if host == "" {
		return ""
	}
	if info, err := os.Lstat(host); err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return ""
	}
	return at
}

// onHost says where a path of the box lies on this machine, "" where no path of the store holds it.
func onHost(box string, store []fence.Mount) string {
	for _, m := range store {
		if box == m.Box || strings.HasPrefix(box, m.Box+"/") {
			return m.Host + box[len(m.Box):]
		}
	}
	return ""
}
