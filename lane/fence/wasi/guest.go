package wasi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/experimental/sock"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/vallane/lane/lane/fence"
)

// guestName is the program name under which this program is a guest's process.
const guestName = "lane: wasi guest"

// Descriptors of a guest's process, where the system has them handed over.
const (
	framesFD = 3
	treeFD   = 4
	cacheFD  = 5
)

// trapped is the exit status of a guest that the runtime ended for an impossible instruction, as that of abort.
const trapped = 134

// Init returns at once, except in a process that [Box.Run] started: there it runs the guest and exits. Programs that open boxes call it
// first in main.
func Init() {
	if len(os.Args) > 0 && os.Args[0] == guestName {
		os.Exit(guestMain())
	}
}

// guestMain is the life of a guest's process. Its exit status says whether the last frame was sent.
func guestMain() int {
	frames := os.NewFile(framesFD, "frames")
	in := bufio.NewReader(os.Stdin)
	var r request
	if err := gob.NewDecoder(in).Decode(&r); err != nil {
		fmt.Fprintln(os.Stderr, "read request:", err)
		return 2
	}
	go func() { // nothing more is sent: the caller is gone, or wants this to end
		_, _ = io.Copy(io.Discard, in)
		os.Exit(3)
	}()
	g := &guest{request: &r, frames: frames}
	g.finish(g.run())
	return 0
}

// guest is one guest in its own process.
type guest struct {
	*request
	frames *os.File
	once   sync.Once
	memory linear
	files  *vfs
}

// finish sends the last frame, once.
func (g *guest) finish(a answer) {
	g.once.Do(func() {
		a.PeakMemory = int64(g.memory.peak)
		data, err := json.Marshal(a)
		if err == nil {
			err = writeFrame(g.frames, frameEnded, data)
		}
		if err != nil {
			os.Exit(4)
		}
	})
}

func failed(err error) answer { return answer{End: fence.NotStarted, Exit: -1, Note: err.Error()} }

// run compiles the module and runs it.
func (g *guest) run() answer {
	var root *os.Root
	var err error
	if g.Tree != "" {
		if root, err = os.OpenRoot(handed(treeFD, g.Tree)); err != nil {
			return failed(fmt.Errorf("open tree: %w", err))
		}
	}
	if err := confine(g.request); err != nil {
		return failed(err)
	}
	debug.SetMemoryLimit(2 << 30) // of this process beside the guest's own memory; the system holds the hard limit
	ctx := experimental.WithMemoryAllocator(context.Background(), &g.memory)
	g.memory.limit = uint64(g.Limits.Memory)
	rt, module, err := g.compile(ctx)
	if err != nil {
		return failed(err)
	}
	ctx, config, port, err := g.config(ctx, root)
	if err != nil {
		return failed(err)
	}
	say := started{UID: os.Geteuid(), GID: os.Getegid(), NoNewPrivs: noNewPrivs(), Port: port}
	say.Groups, _ = os.Getgroups()
	data, err := json.Marshal(say)
	if err == nil {
		err = writeFrame(g.frames, frameStarted, data)
	}
	if err != nil {
		return failed(err)
	}
	stop := g.watchCPU()
	_, err = rt.InstantiateModule(ctx, module, config)
	stop()
	return g.ended(err)
}

// compile makes machine code of the module, or finds it made.
func (g *guest) compile(ctx context.Context) (wazero.Runtime, wazero.CompiledModule, error) {
	config := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2).WithCustomSections(false)
	if g.Cache != "" {
		cache, err := wazero.NewCompilationCacheWithDir(handed(cacheFD, g.Cache))
		if err != nil {
			return nil, nil, fmt.Errorf("open the folder of compiled modules: %w", err)
		}
		config = config.WithCompilationCache(cache)
	}
	rt := wazero.NewRuntimeWithConfig(ctx, config)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, rt); err != nil {
		return nil, nil, fmt.Errorf("prepare WASI: %w", err)
	}
	m, err := rt.CompileModule(ctx, g.Module)
	if err != nil {
		return nil, nil, fmt.Errorf("compile %s: %w", g.Argv[0], err)
	}
	return rt, m, nil
}

// config is what the guest is given.
func (g *guest) config(ctx context.Context, root *os.Root) (context.Context, wazero.ModuleConfig, int, error) {
	c := &clock{start: g.Start}
	g.files = newFiles(c, newTree(root, g.Changes, g.Start.UnixNano()), g.Limits)
	for name, f := range g.Files {
		g.files.lay(name, f)
	}
	if g.Events {
		g.files.place(EventsPath, newEvents(g.files, g.record))
	}
	config := wazero.NewModuleConfig().WithName("").WithArgs(g.Argv...).
		WithStdout(only{os.Stdout}).WithStderr(only{os.Stderr}).
		WithWalltime(c.wall, sys.ClockResolution(tick)).WithNanotime(c.mono, sys.ClockResolution(tick)).WithNanosleep(c.sleep).
		WithRandSource(rand.NewChaCha8(g.Seed)).
		WithFSConfig(wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(g.files, "/"))
	for _, kv := range lastOf(g.Env) {
		key, value, _ := strings.Cut(kv, "=")
		config = config.WithEnv(key, value)
	}
	if !g.Listen {
		return ctx, config, 0, nil
	}
	port, err := freePort()
	return sock.WithConfig(ctx, sock.NewConfig().WithTCPListener("127.0.0.1", port)), config, port, err
}

// freePort is one that nobody listened at a moment ago: the runtime takes a number and makes its own listener.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// only hides what a file is: a guest that looks at its streams must see the same on every system.
type only struct{ io.Writer }

// lastOf keeps of each variable what was said last, where it was said first.
func lastOf(env []string) (out []string) {
	at := map[string]int{}
	for _, kv := range env {
		key, _, _ := strings.Cut(kv, "=")
		if i, ok := at[key]; ok {
			out[i] = kv
			continue
		}
		at[key] = len(out)
		out = append(out, kv)
	}
	return out
}

// record passes on what a guest wrote to EventsPath.
func (g *guest) record(rec []byte) {
	if len(rec) > maxRecord {
		_ = writeFrame(g.frames, frameTooLong, nil)
		return
	}
	if err := writeFrame(g.frames, frameRecord, rec); err != nil {
		os.Exit(4)
	}
}

// watchCPU ends the process when its processor time is used up.
func (g *guest) watchCPU() (stop func()) {
	if g.CPU <= 0 {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		t := time.NewTicker(10 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				if spentCPU() > g.CPU {
					g.finish(answer{End: fence.OutOfCPU, Exit: -1})
					os.Exit(0)
				}
			}
		}
	}()
	return func() { close(done) }
}

// cpuSeconds is the limit that the system holds, should the watch give out.
func cpuSeconds(r *request) uint64 {
	if r.CPU > 0 {
		return uint64(r.CPU/time.Second) + 5
	}
	return uint64(4*r.Timeout/time.Second) + uint64(4*compiling/time.Second)
}

// ended is how the guest ended.
func (g *guest) ended(err error) answer {
	a := answer{End: fence.Exited, DiskUsed: g.files.used, Collected: map[string][]byte{}, NotCollected: map[string]string{}}
	var exit *sys.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit):
		a.Exit = int(exit.ExitCode())
	case missingImport(err):
		a.End, a.Exit, a.Note = fence.NotStarted, -1, err.Error()
	default:
		a.Exit, a.Note = trapped, firstLine(err)
	}
	if a.Exit != 0 && g.memory.full {
		a.Exhausted = append(a.Exhausted, fence.OutOfMem)
	}
	if g.files.full {
		a.Exhausted = append(a.Exhausted, fence.DiskFull)
	}
	for _, name := range g.Collect {
		data, why := g.files.collect(name, g.Most)
		if why != "" {
			a.NotCollected[name] = why
			continue
		}
		a.Collected[name] = bytes.Clone(data)
	}
	return a
}

// missingImport reports whether a module asks for what no guest gets.
func missingImport(err error) bool {
	text := err.Error()
	return strings.Contains(text, "is not exported in module") || strings.Contains(text, "not instantiated") || strings.Contains(text, "signature mismatch")
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
