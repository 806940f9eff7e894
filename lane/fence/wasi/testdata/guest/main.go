//go:build wasip1

// Command guest tries what hostile code would try, from inside of a box: each argument names an attack or a look around, and what comes
// of it is printed. Its own exit status is 0 unless the attack ends it.
package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"
)

var attacks = map[string]func(){
	"hello": func() { fmt.Println("hello", strings.Join(os.Args[1:], " ")) },
	"fail":  func() { fmt.Fprintln(os.Stderr, "no"); os.Exit(3) },
	"trap":  func() { var p *int; defer os.Exit(0); defer panic("again"); fmt.Println(*p) },
	"host":  host, "links": links, "write-tree": writeTree, "network": network, "processes": processes,
	"loop": func() {
		fmt.Println("looping")
		for i := 0; ; i++ {
			sink = i
		}
	},
	"sleep": func() {
		start := time.Now()
		time.Sleep(100 * time.Hour)
		fmt.Println(time.Since(start) >= 100*time.Hour)
	},
	"memory": memory, "flood": flood, "disk": disk, "files": files, "look": look, "records": records,
	"scratch": scratch, "unlink": unlinked, "huge-list": hugeList, "names": names, "left": left, "handles": handles,
}

var sink any

func main() {
	name := "hello"
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	attacks[name]()
}

// try prints what came of one attempt.
func try(what string, err error) {
	if err == nil {
		fmt.Println(what + ": DONE")
		return
	}
	fmt.Println(what + ": refused")
}

func read(path string) error {
	_, err := os.ReadFile(path)
	return err
}

// host tries to read the host by names alone.
func host() {
	for _, p := range []string{"/etc/passwd", "/proc/self/environ", "/proc/1/root/etc/passwd", "/dev/mem", "../../../../etc/passwd",
		"/tree/../../etc/passwd", "/tree/../etc/passwd", "/tree/./../../proc/version", "//etc/passwd", "/tree//../etc/passwd", "/sys/kernel", "/dev/null"} {
		try("read "+p, read(p))
	}
	for fd := 3; fd < 40; fd++ { // descriptors of the process around the guest
		var b [1]byte
		if n, err := syscall.Read(fd, b[:]); err == nil {
			fmt.Println("descriptor", fd, "was read:", n)
		}
	}
	entries, _ := os.ReadDir("/")
	for _, e := range entries {
		fmt.Println("root holds", e.Name())
	}
}

// links tries to leave by symlinks: those of the tree, and those of its own making.
func links() {
	for _, p := range []string{"absolute", "relative", "through", "folder/passwd", "self"} {
		try("tree "+p, read("/tree/links/"+p))
	}
	made := map[string]string{"a": "/etc/passwd", "b": "../../../../../../etc/passwd", "c": "/proc/self/root/etc/passwd", "d": "/tree/links/absolute", "e": "/tmp/f", "f": "/tmp/e"}
	var names []string
	for name, to := range made {
		if err := os.Symlink(to, "/tmp/"+name); err != nil {
			fmt.Println("symlink", name, err)
		}
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		try("made "+name, read("/tmp/"+name))
		try("create through "+name, os.WriteFile("/tmp/"+name, []byte("x"), 0o666))
	}
	// A folder that becomes a symlink between the look and the use.
	os.Mkdir("/tmp/dir", 0o777)
	os.WriteFile("/tmp/dir/passwd", []byte("mine"), 0o666)
	os.Rename("/tmp/dir", "/tmp/old")
	os.Symlink("/etc", "/tmp/dir")
	try("renamed away", read("/tmp/dir/passwd"))
	os.Remove("/tmp/dir")
	os.Symlink("/tree/links", "/tmp/dir")
	try("create in the tree through a link", os.WriteFile("/tmp/dir/new", nil, 0o666))
	b, err := os.ReadFile("/tmp/dir/inside")
	fmt.Printf("inside, through a link: %q %v\n", b, err)
}

// writeTree tries to change the tree.
func writeTree() {
	try("create", os.WriteFile("/tree/new", nil, 0o666))
	try("overwrite", os.WriteFile("/tree/file", []byte("x"), 0o666))
	f, err := os.OpenFile("/tree/file", os.O_RDWR, 0)
	try("open for writing", err)
	if err == nil {
		f.Close()
	}
	f, err = os.OpenFile("/tree/file", os.O_APPEND|os.O_WRONLY, 0)
	try("open for appending", err)
	try("truncate", os.Truncate("/tree/file", 0))
	try("remove", os.Remove("/tree/file"))
	try("remove folder", os.Remove("/tree/links"))
	try("mkdir", os.Mkdir("/tree/d", 0o777))
	try("symlink", os.Symlink("x", "/tree/l"))
	try("link", os.Link("/tree/file", "/tmp/file"))
	try("link into", os.Link("/tmp", "/tree/tmp"))
	os.WriteFile("/tmp/mine", nil, 0o666)
	try("rename into", os.Rename("/tmp/mine", "/tree/mine"))
	try("rename over", os.Rename("/tmp/mine", "/tree/file"))
	try("rename out of", os.Rename("/tree/file", "/tmp/file"))
	try("rename tree", os.Rename("/tree", "/tmp/tree"))
	try("times", os.Chtimes("/tree/file", time.Unix(1, 0), time.Unix(1, 0)))
	try("create at the root", os.WriteFile("/new", nil, 0o666))
	try("create in /lane", os.WriteFile("/lane/new", nil, 0o666))
	try("overwrite lane's", os.WriteFile("/lane/given", []byte("x"), 0o666))
	try("remove lane's", os.Remove("/lane/given"))
	b, _ := os.ReadFile("/tree/file")
	fmt.Printf("file: %q\n", b)
}

func network() {
	_, err := net.DialTimeout("tcp", "127.0.0.1:"+os.Args[2], time.Second)
	try("dial", err)
	_, err = net.Listen("tcp", "127.0.0.1:0")
	// Go itself gives a program without a network one of its own, within the program: nothing of it leaves.
	_ = err
	_, err = net.LookupHost("example.org")
	try("look up", err)
}

func processes() {
	try("start a program", exec.Command("/bin/sh", "-c", "true").Run())
	p, err := os.FindProcess(1)
	if err == nil {
		err = p.Kill()
	}
	try("kill 1", err)
	try("kill the caller", syscall.Kill(os.Getppid(), syscall.SIGKILL))
}

func memory() {
	var all [][]byte
	for {
		b := make([]byte, 16<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		all = append(all, b)
		sink = all
	}
}

func flood() {
	b := []byte(strings.Repeat("x", 64<<10))
	for {
		os.Stdout.Write(b)
	}
}

func disk() {
	f, err := os.Create("/tmp/big")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := f.Truncate(1 << 50); err == nil {
		fmt.Println("a sparse file of a petabyte")
	}
	if _, err := f.WriteAt([]byte("x"), 1<<50); err == nil {
		fmt.Println("a byte at a petabyte")
	}
	b := make([]byte, 1<<20)
	total := 0
	for {
		n, err := f.Write(b)
		total += n
		if err != nil {
			fmt.Println("full after", total>>20, "MiB")
			os.Exit(1)
		}
	}
}

// unlinked takes space by files that have no name any more.
func unlinked() {
	b := make([]byte, 1<<20)
	for i := 0; ; i++ {
		f, err := os.Create("/tmp/x")
		if err == nil {
			_, err = f.Write(b)
		}
		if err != nil {
			fmt.Println("full after", i)
			os.Exit(1)
		}
		os.Remove("/tmp/x")
		defer f.Close()
	}
}

func files() {
	for i := 0; ; i++ {
		if err := os.WriteFile(fmt.Sprintf("/tmp/%d", i), nil, 0o666); err != nil {
			fmt.Println("full after", i)
			os.Exit(1)
		}
	}
}

func handles() {
	for i := 0; ; i++ {
		if _, err := os.Open("/tree/file"); err != nil {
			fmt.Println("handles:", i)
			return
		}
	}
}

// look prints all that could differ from machine to machine, or from run to run.
func look() {
	fmt.Println(os.Args, os.Environ())
	wd, err := os.Getwd()
	fmt.Println(wd, err, os.Getpid(), os.Getuid())
	host, err := os.Hostname()
	fmt.Println(host, err)
	fmt.Println(time.Now(), time.Now().UnixNano())
	var b [32]byte
	rand.Read(b[:])
	fmt.Println(b)
	m := map[int]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9}
	for k := range m {
		fmt.Print(k, " ")
	}
	fmt.Println()
	filepath.WalkDir("/", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			fmt.Println(path, err)
			return nil
		}
		info, err := d.Info()
		if err != nil {
			fmt.Println(path, err)
			return nil
		}
		fmt.Printf("%q %v %d %v\n", path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		return nil
	})
	if d, err := os.Open("/tree/many"); err == nil { // the order in which the system lists it
		names, err := d.Readdirnames(20)
		fmt.Println(names, err)
	}
	for fd := range 3 {
		var st syscall.Stat_t
		fmt.Println(fd, syscall.Fstat(fd, &st), st)
	}
	f, _ := os.CreateTemp("", "x")
	fmt.Println(f.Name())
}

func records() {
	f, err := os.OpenFile("/lane/events", os.O_WRONLY, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	f.Write([]byte("one"))
	f.Write([]byte("two\nlines"))
	f.Write(make([]byte, 65<<10))
	try("read records", read("/lane/events"))
}

// scratch uses /tmp and HOME as programs do.
func scratch() {
	must := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	dir, err := os.MkdirTemp("", "")
	must(err)
	must(os.MkdirAll(dir+"/a/b", 0o777))
	must(os.WriteFile(dir+"/a/b/c", []byte("text"), 0o666))
	must(os.Rename(dir+"/a", dir+"/z"))
	must(os.Symlink("z/b", dir+"/s"))
	b, err := os.ReadFile(dir + "/s/c")
	must(err)
	f, err := os.OpenFile(dir+"/s/c", os.O_APPEND|os.O_WRONLY, 0)
	must(err)
	_, err = f.WriteString(" and more")
	must(err)
	must(f.Close())
	b, err = os.ReadFile(dir + "/z/b/c")
	must(err)
	fmt.Printf("%q\n", b)
	if err := os.Remove(dir + "/z"); err == nil {
		fmt.Println("a full folder was removed")
	}
	if err := os.Rename(dir+"/z", dir+"/z/b/inside"); err == nil {
		fmt.Println("a folder is in itself")
	}
	must(os.WriteFile(dir+"/o", nil, 0o666))
	if _, err := os.OpenFile(dir+"/o", os.O_CREATE|os.O_EXCL, 0o666); !errors.Is(err, fs.ErrExist) {
		fmt.Println("made what is there:", err)
	}
	must(os.Link(dir+"/z/b/c", dir+"/hard"))
	must(os.RemoveAll(dir + "/z"))
	b, err = os.ReadFile(dir + "/hard")
	must(err)
	fmt.Printf("%q\n", b)
	must(os.RemoveAll(dir))
	home, err := os.UserHomeDir()
	must(err)
	must(os.WriteFile(home+"/.rc", nil, 0o666))
	entries, err := os.ReadDir("/tmp")
	must(err)
	fmt.Println(home, len(entries))
}

func hugeList() {
	for i := range 20000 {
		os.WriteFile(fmt.Sprintf("/tmp/file-with-a-rather-long-name-%d", i), nil, 0o666)
	}
	entries, err := os.ReadDir("/tmp")
	fmt.Println(len(entries), err)
	entries, err = os.ReadDir("/tree/many")
	fmt.Println(len(entries), err)
}

func names() {
	entries, err := os.ReadDir("/tree/names")
	fmt.Println(err)
	for _, e := range entries {
		b, err := os.ReadFile("/tree/names/" + e.Name())
		fmt.Printf("%q %q %v\n", e.Name(), b, err)
	}
}

func left() {
	os.WriteFile("/tmp/report", []byte("what is left"), 0o666)
	os.Symlink("/tmp/report", "/tmp/link")
}
