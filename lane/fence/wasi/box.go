package wasi

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/vallane/lane/lane/fence"
)

// Config describes a box. The zero value is a box with an empty tree.
type Config struct {
	// Tree is the host folder that shows at fence.TreeDir, to be read only. Empty means an empty tree.
	Tree string
	// Programs are modules on the host, by the absolute path by which a Command names them. They need not be in the tree, and a guest
	// does not see them.
	Programs map[string]string
	// Files lie read-only below fence.FilesDir in every run; keys are absolute.
	Files map[string]fence.File
	// Env is added to the fixed environment ("K=V"), and wins over it.
	Env []string
	// Time is where the clock of every run starts, and the time of every file of the tree. Zero means 1 January 1980.
	Time time.Time
	// Limits bound every run: Memory, Disk, Inodes and Output. Processes, CPUs, OpenFiles and FileSize have no meaning here: a guest is
	// one thread, and what it writes is memory.
	Limits fence.Limits
	// Cache is a host folder that keeps compiled modules: see [OpenCache]. Empty means that each run compiles its own.
	Cache string
	// HostUID is the id that a guest's process has where root calls, on Linux. 0 means fence.DefaultHostID.
	HostUID int
}

// compiling is the time that a module may take to compile.
const compiling = 5 * time.Minute

// maxModule bounds a module in bytes.
const maxModule = 256 << 20

// A Box runs modules. It holds nothing open, may be used by several goroutines, and needs no Close.
type Box struct{ c Config }

// Open returns a box. A folder that cannot be read shows when something runs.
func Open(c Config) *Box {
	c.Time = timeOr(c.Time)
	c.Limits = c.Limits.WithDefaults()
	if c.Limits.Memory == 0 || c.Limits.Memory > 4<<30 {
		c.Limits.Memory = 4 << 30 // what 32 bits can address
	}
	if c.HostUID == 0 {
		c.HostUID = fence.HostID(0)
	}
	return &Box{c}
}

// Run runs one command and waits for its end. The error says that it could not be run at all. Of the command, Stdin, Terminal, Keep and
// Grace have no meaning: a guest reads nothing, starts anew, and knows no signals.
//
// Argv[0] names the module: one of Config.Programs, or a file of the tree, absolute or from Dir. Environment and random numbers of two
// runs with equal variables are equal.
func (b *Box) Run(ctx context.Context, c fence.Command) (fence.Result, error) {
	if len(c.Argv) == 0 {
		return fence.Result{}, errors.New("run under WASI: no command given")
	}
	module, err := b.module(&c)
	if err != nil {
		return fence.Result{End: fence.NotFound, Exit: -1, Note: err.Error()}, nil
	}
	r := b.request(&c, module)
	return b.start(ctx, &c, r)
}

// request is what the guest's process is told of a command.
func (b *Box) request(c *fence.Command, module []byte) *request {
	r := &request{
		Module: module, Argv: c.Argv, Env: b.env(c), Start: b.c.Time,
		Tree: b.c.Tree, Cache: b.c.Cache, Changes: c.Overlay, Files: map[string]fence.File{},
		Collect: c.Collect, Most: c.CollectLimit, Limits: b.c.Limits, CPU: c.CPU, Timeout: c.Timeout, User: b.c.HostUID,
		Events: c.Events != nil,
	}
	if r.Timeout <= 0 {
		r.Timeout = 10 * time.Minute
	}
	if r.Most <= 0 {
		r.Most = 16 << 20
	}
	for _, files := range []map[string]fence.File{b.c.Files, c.Files} {
		for name, f := range files {
			r.Files[name] = f
		}
	}
	r.Seed = sha256.Sum256([]byte("lane: random numbers of a WASI guest\x00" + strings.Join(lastOf(r.Env), "\x00")))
	return r
}

// env is the fixed environment and what is added to it. There is no working folder in WASI: programs that know one read PWD.
func (b *Box) env(c *fence.Command) []string {
	env := []string{
		"HOME=" + fence.HomeDir, "TMPDIR=/tmp", "PATH=" + fence.TreeDir, "LANG=C.UTF-8", "TZ=UTC",
		fmt.Sprintf("SOURCE_DATE_EPOCH=%d", b.c.Time.Unix()),
	}
	env = append(env, b.c.Env...)
	env = append(env, c.Env...)
	return append(env, "PWD="+dir(c.Dir))
}

// dir is where a command starts.
func dir(d string) string {
	if path.IsAbs(d) {
		return path.Clean(d)
	}
	return path.Join(fence.TreeDir, d)
}

// module reads what Argv[0] names.
func (b *Box) module(c *fence.Command) ([]byte, error) {
	name := c.Argv[0]
	if host, ok := b.c.Programs[name]; ok {
		return readModule(os.DirFS(filepath.Dir(host)), filepath.Base(host), name)
	}
	if !path.IsAbs(name) {
		name = path.Join(dir(c.Dir), name)
	}
	rel, ok := strings.CutPrefix(path.Clean(name), fence.TreeDir+"/")
	if !ok {
		return nil, fmt.Errorf("find %s: a module is a file of the tree", c.Argv[0])
	}
	if ch, ok := c.Overlay[rel]; ok {
		if ch.Delete || ch.Mode&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("find %s: the tree has no such file", c.Argv[0])
		}
		return ch.Data, nil
	}
	if b.c.Tree == "" {
		return nil, fmt.Errorf("find %s: the tree is empty", c.Argv[0])
	}
	root, err := os.OpenRoot(b.c.Tree)
	if err != nil {
		return nil, fmt.Errorf("open tree: %w", err)
	}
	defer root.Close()
	return readModule(root.FS(), rel, c.Argv[0])
}

func readModule(in fs.FS, name, said string) ([]byte, error) {
	info, err := fs.Stat(in, name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("find %s: %w", said, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("find %s: it is no regular file", said)
	case info.Size() > maxModule:
		return nil, fmt.Errorf("read %s: it has more than %d MiB", said, maxModule>>20)
	}
	f, err := in.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", said, err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxModule))
}
