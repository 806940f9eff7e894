package fetch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/lane/egress"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/fetch/locks"
	"github.com/vallane/lane/warmup/nar"
	"github.com/vallane/lane/warmup/store"
)

// Brought is what a phase brought, as it lies in a folder of the host.
type Brought struct {
	// Digest is the NAR hash over everything that crossed the cut.
	Digest string `json:"digest"`
	// Size is that of the archive that Digest is of, in bytes.
	Size  int64  `json:"size"`
	Hosts []Host `json:"hosts"`
	// Env is what test boxes are told, as "K=V".
	Env []string `json:"env,omitempty"`
	// Modules says that there are node_modules to lie below the tree.
	Modules bool `json:"modules,omitempty"`
	// Filled are the names of the caches that hold something, Written the lock files that the commands wrote or changed in the box.
	Filled  []string `json:"filled,omitempty"`
	Written []string `json:"written,omitempty"`
}

// Empty reports whether nothing was brought.
func (b Brought) Empty() bool { return len(b.Filled) == 0 && !b.Modules }

// Folders of what was brought, below the folder that Run was given, and the file that tells of it.
const (
	broughtIn = "brought" // what crosses the cut, and what the digest is of
	cachesIn  = broughtIn + "/caches"
	treeIn    = broughtIn + "/tree"
	workIn    = "work" // the box's tree as the commands left it, until what is kept has been taken from it
	recordIn  = "fetched.json"
)

// CachesOf and TreeOf are the host folders that show at CachesDir and below the tree.
func CachesOf(dir string) string { return filepath.Join(dir, cachesIn) }
func TreeOf(dir string) string   { return filepath.Join(dir, treeIn) }

// Read tells what lies in a folder that Run filled.
func Read(dir string) (b Brought, err error) {
	data, err := os.ReadFile(filepath.Join(dir, recordIn))
	if err == nil {
		err = json.Unmarshal(data, &b)
	}
	if err != nil {
		return b, fmt.Errorf("read what was fetched: %w", err)
	}
	return b, nil
}

// Verify finds out whether what lies in a folder that Run filled is still what it brought: hashed in full once by this user, and
// since then no file of it has changed. seals is the folder that remembers that; key names what was fetched.
func Verify(ctx context.Context, dir, key, seals string, b Brought) error {
	sum, err := nar.ParseHash(b.Digest)
	if err != nil {
		return fmt.Errorf("read what was fetched: %w", err)
	}
	err = store.Checker{Seals: seals}.Check(ctx, store.Sealed, []store.Path{{
		StorePath: "fetched-" + key, Host: filepath.Join(dir, broughtIn), Type: store.TypeFolder, SHA256: sum, NarSize: b.Size,
	}})
	var changed *store.Changed
	if errors.As(err, &changed) {
		return &Failed{Msg: "what was fetched earlier is no longer what it was: " + changed.Msg, Tip: "remove " + dir + ", and the next check fetches it again"}
	}
	return err
}

// Run runs the phase and leaves what crosses the cut in the empty folder dir. The hosts that it had to do with are
// returned with an error too: a *Failed where a command failed, another where Lane could not run it.
func (p *Phase) Run(ctx context.Context, dir string) ([]Host, error) {
	manifests, err := p.lay()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(manifests)
	overlays, err := p.overlays(dir, manifests)
	if err != nil {
		return nil, err
	}
	defer openUp(dir) // so that it can be removed, also by an ordinary user
	watched, stop := p.watch(ctx, dir)
	hosts, err := p.run(watched, overlays)
	stop()
	if err != nil {
		return hosts, err
	}
	if exceeds(ctx, dir, cmp.Or(p.mostBytes, mostBytes), mostFiles) { // since it was looked at last
		return hosts, tooMuch()
	}
	if err := openUp(dir); err != nil {
		return hosts, fmt.Errorf("take what was fetched: %w", err)
	}
	if err := prune(CachesOf(dir)); err != nil {
		return hosts, fmt.Errorf("take what was fetched: %w", err)
	}
	b := Brought{Hosts: hosts}
	if b.Modules, err = p.takeModules(dir); err != nil {
		return hosts, fmt.Errorf("take what was fetched: %w", err)
	}
	b.Filled, b.Env = filled(dir)
	b.Written = p.written(dir)
	if err := os.RemoveAll(filepath.Join(dir, workIn)); err != nil {
		return hosts, fmt.Errorf("take what was fetched: %w", err)
	}
	sum, err := nar.Hash(ctx, filepath.Join(dir, broughtIn))
	if err != nil {
		return hosts, fmt.Errorf("hash what was fetched: %w", err)
	}
	b.Digest, b.Size = sum.SRI(), sum.Size
	data, err := json.Marshal(b)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, recordIn), data, 0o644)
	}
	return hosts, err
}

// run dials the proxy, runs the commands in one box, each after the other, and makes the cut.
func (p *Phase) run(ctx context.Context, overlays []fence.Overlay) ([]Host, error) {
	b, err := p.open(ctx, overlays)
	if err != nil {
		return nil, err
	}
	if err = p.control(ctx, b); err == nil {
		err = p.commands(ctx, b)
	}
	err = errors.Join(err, b.close())
	hosts := b.hosts.all()
	var f *Failed
	if errors.As(err, &f) {
		f.blame(hosts)
	}
	return hosts, err
}

func (p *Phase) commands(ctx context.Context, b *box) error {
	for i, argv := range p.Commands {
		cmd := p.command(argv)
		cmd.Keep, cmd.Log = i > 0, p.Log
		res, err := b.box.Run(ctx, cmd)
		if cause := context.Cause(ctx); errors.Is(cause, errTooMuch) {
			return tooMuch()
		} else if cause != nil {
			return cause
		}
		if err != nil {
			return err
		}
		if res.End != fence.Exited || res.Exit != 0 {
			return failed(argv, res)
		}
	}
	return nil
}

// watch bounds what may be written below dir: the context ends with errTooMuch.
func (p *Phase) watch(ctx context.Context, dir string) (context.Context, func()) {
	return watchDisk(ctx, dir, cmp.Or(p.mostBytes, mostBytes), mostFiles)
}

func tooMuch() *Failed {
	return &Failed{Msg: errTooMuch.Error() + fmt.Sprintf(": %d GiB or %d files", mostBytes>>30, mostFiles)}
}

// shown is a command as a message names it: in one line that is not too long.
func shown(argv []string) string {
	line := strings.Join(strings.Fields(strings.Join(argv, " ")), " ")
	if r := []rune(line); len(r) > 200 {
		line = string(r[:200]) + "..."
	}
	return line
}

// outputShown bounds what a failure quotes of a command, in bytes of its end.
const outputShown = 2000

func failed(argv []string, res fence.Result) *Failed {
	how := string(res.End)
	switch res.End {
	case fence.Exited:
		how = fmt.Sprintf("exit status %d", res.Exit)
	case fence.NotFound, fence.NotStarted:
		return &Failed{Msg: fmt.Sprintf("run `%s` in the fetch phase: %s", shown(argv), res.Note), Tip: "the commands of the fetch phase come from the closure; add the program to the flake"}
	case fence.TimedOut:
		how = fmt.Sprintf("it did not end within %s", CommandTime)
	}
	said := strings.TrimSpace(res.Stderr.String())
	if said == "" {
		said = strings.TrimSpace(res.Stdout.String())
	}
	if n := len(said) - outputShown; n > 0 {
		said = "..." + said[n:]
	}
	if said != "" {
		said = "\n" + said
	}
	return &Failed{Msg: fmt.Sprintf("`%s` failed in the fetch phase: %s%s", shown(argv), how, said)}
}

// blame names the hosts that were not served, since most failures come from there.
func (f *Failed) blame(hosts []Host) {
	for _, h := range hosts {
		if h.Reason == "" {
			continue
		}
		where := h.Host
		if h.Port != 0 {
			where = net.JoinHostPort(h.Host, strconv.Itoa(int(h.Port)))
		}
		f.Msg += fmt.Sprintf("\n%s: %s", where, h.Reason)
		if h.Reason == egress.BadAddress && f.Tip == "" {
			f.Tip = "the fetch phase dials public addresses only: a mirror inside a network cannot be used"
		}
		if h.Reason == egress.NotAllowed && f.Tip == "" {
			f.Tip = fmt.Sprintf("add %q to allow, if the project is to be fetched from there", where)
		}
	}
	if f.Tip == "" {
		f.Tip = "the fetch phase sees manifests and lock files only, and reaches the hosts of allow only"
	}
}

// prune takes away what is no folder of a cache that crosses the cut.
func prune(dir string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		named := slices.ContainsFunc(Caches(), func(c Cache) bool { return c.Name == e.Name() })
		if named && e.IsDir() {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// takeModules moves the node_modules beside each package.json to where they lie below the tree. It reports whether there are any.
func (p *Phase) takeModules(dir string) (found bool, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false, err
	}
	defer root.Close()
	for name := range p.Manifests {
		if path.Base(name) != "package.json" {
			continue
		}
		at := path.Join(path.Dir(name), "node_modules")
		from := path.Join(workIn, "upper", at)
		if st, err := root.Lstat(from); err != nil || !st.IsDir() {
			continue
		}
		if err := root.MkdirAll(path.Join(treeIn, path.Dir(name)), 0o755); err != nil {
			return false, err
		}
		if err := root.Rename(from, path.Join(treeIn, at)); err != nil {
			return false, err
		}
		found = true
	}
	return found, nil
}

// filled are the caches that hold something, and what the test boxes are told of them.
func filled(dir string) (names, env []string) {
	for _, c := range Caches() {
		if list, err := os.ReadDir(filepath.Join(CachesOf(dir), c.Name)); err == nil && len(list) > 0 {
			names = append(names, c.Name)
			env = append(append(env, c.Both...), c.Test...)
		}
	}
	return names, slices.Clip(env)
}

// written are the lock files that are no longer in the box's tree what was laid there: they do not say what was fetched.
func (p *Phase) written(dir string) (names []string) {
	root, err := os.OpenRoot(filepath.Join(dir, workIn, "upper"))
	if err != nil {
		return nil
	}
	defer root.Close()
	for name, laid := range p.Manifests {
		if !locks.IsLock(name) {
			continue
		}
		if data, err := root.ReadFile(name); err == nil && !bytes.Equal(data, laid) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Unhashed tells by which lock files and commands something was brought that no hash stands for.
func (p *Phase) Unhashed(b Brought) []locks.Gap {
	of := locks.Phase{Commands: p.Commands, Manifests: p.Manifests, Filled: b.Filled, Written: b.Written}
	if b.Modules {
		of.Filled = append(slices.Clip(of.Filled), locks.Modules)
	}
	return locks.Find(of)
}

// openUp lets the owner into every folder below dir, whatever mode a program left it in.
func openUp(dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d == nil || !d.IsDir() {
			return err
		}
		info, e := d.Info()
		if e != nil {
			return e
		}
		if info.Mode().Perm()&0o700 == 0o700 {
			return err
		}
		if e := os.Chmod(name, info.Mode().Perm()|0o700); e != nil {
			return e
		}
		return nil
	})
}
