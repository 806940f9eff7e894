package warmup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vallane/lane/warmup/nar"
	"github.com/vallane/lane/warmup/nix"
	"github.com/vallane/lane/warmup/sources"
	"github.com/vallane/lane/warmup/stage"
	"github.com/vallane/lane/warmup/store"
)

// realisation is one environment on its way from bytes to a locked closure.
type realisation struct {
	Options
	src   Source
	key   string
	nix   *nix.Client
	flake string // the staged folder
}

func (r *realisation) run(ctx context.Context) error {
	if !r.hasNix() {
		return r.fromCaches(ctx)
	}
	// What an interrupted warm-up left is in its own folder, and goes first.
	tmp := filepath.Join(envDir(r.State, r.key), "work")
	if err := os.RemoveAll(tmp); err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := r.stage(tmp, filepath.Join(envDir(r.State, r.key), "flake")); err != nil {
		return err
	}
	before, err := nar.Hash(ctx, r.flake)
	if err != nil {
		return err
	}
	if err := r.compareOutline(ctx); err != nil {
		return err
	}
	lock, err := r.realise(ctx, tmp)
	var damaged *Damaged
	if errors.As(err, &damaged) {
		if err := r.mend(ctx, damaged); err != nil {
			return err
		}
		lock, err = r.realise(ctx, tmp)
	}
	if err != nil {
		return err
	}
	after, err := nar.Hash(ctx, r.flake)
	if err != nil {
		return err
	}
	if before != after {
		return errors.New("the staged flake changed while Nix read it")
	}
	if err := agree(r.src, lock); err != nil {
		return err
	}
	return r.keep(ctx, lock)
}

// stage lays the flake out at dir for a Nix whose home is below tmp.
func (r *realisation) stage(tmp, dir string) error {
	r.nix = r.Options.nix(filepath.Join(tmp, "home"))
	if err := os.MkdirAll(filepath.Join(r.nix.Home, "conf"), 0o700); err != nil {
		return err
	}
	r.flake = dir
	return stage.Write(dir, r.src.Files)
}

// realise brings every path into the store and checks what is there.
func (r *realisation) realise(ctx context.Context, tmp string) (*Lock, error) {
	if err := r.addSources(ctx, tmp); err != nil {
		return nil, err
	}
	l, err := r.build(ctx)
	if err != nil {
		return nil, err
	}
	return l, r.hash(ctx, l)
}

// compareOutline has Nix read the top of flake.nix and refuses what the scan of
// its text cannot have seen.
func (r *realisation) compareOutline(ctx context.Context) error {
	o, err := r.nix.Outline(ctx, r.flake)
	if err != nil {
		return refusalOf(err)
	}
	if err := stage.CheckOutline(r.src, stage.Outline{Attrs: o.Attrs, Inputs: o.Inputs, Args: o.Args}); err != nil {
		return err
	}
	return stage.CheckInner(ctx, r.flake, r.src)
}

// addSources fetches what the flake lists under laneSources and the store has
// not got, and roots it, so that no collector takes it before the build.
func (r *realisation) addSources(ctx context.Context, tmp string) error {
	raw, err := r.listSources(ctx)
	if err != nil || raw == nil {
		return err
	}
	list, err := sources.Parse(raw)
	if err != nil {
		return err
	}
	fetcher := sources.Fetcher{Environ: r.Environ, Log: r.Log}
	for _, s := range list {
		if err := r.addSource(ctx, fetcher, tmp, s); err != nil {
			return err
		}
	}
	return nil
}

// listSources evaluates laneSources; nil means that the flake has none.
func (r *realisation) listSources(ctx context.Context) (json.RawMessage, error) {
	var raw json.RawMessage
	err := r.nix.Eval(ctx, r.flake, "laneSources."+r.src.System, &raw)
	if errors.Is(err, nix.ErrNoAttribute) {
		return nil, nil
	}
	if err != nil {
		return nil, r.refusalOf(ctx, err)
	}
	return raw, nil
}

func (r *realisation) addSource(ctx context.Context, fetcher sources.Fetcher, tmp string, s sources.Source) error {
	want := store.FixedPath(r.StoreDir, s.Name, s.Sum())
	link := rootLink(r.State, r.key) + "-source-" + s.Name
	if ok, err := r.nix.Valid(ctx, want); err != nil {
		return err
	} else if ok && r.nix.Root(ctx, link, want) == nil {
		return nil
	}
	if r.Offline {
		return fmt.Errorf("%s is not in the store, and is not fetched: %w", want, errOffline)
	}
	dir, err := fetcher.Fetch(ctx, tmp, s)
	if err != nil {
		return err
	}
	r.Log("adding " + want + " to the store")
	got, err := r.nix.AddFixed(ctx, dir)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("add %s to the store: it became %s, not %s", s.Fetched(), got, want)
	}
	return r.nix.Root(ctx, link, want)
}

// build builds the attribute, roots it, and writes down what it came to.
func (r *realisation) build(ctx context.Context) (*Lock, error) {
	link := rootLink(r.State, r.key)
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		return nil, err
	}
	built, err := r.nix.Build(ctx, r.flake, r.attr(), link)
	if err != nil {
		return nil, r.refusalOf(ctx, err)
	}
	infos, err := r.nix.PathInfo(ctx, true, built.Outputs...)
	if err != nil {
		return nil, err
	}
	pr := provenance{ran: built.Ran, earlier: r.earlier()}
	if len(built.Ran) > 0 {
		if pr.measured, err = r.measure(ctx); err != nil {
			return nil, err
		}
	}
	l := &Lock{Key: r.key, System: r.src.System, Attr: r.src.Attr, StoreDir: r.StoreDir, Outputs: built.Outputs}
	for _, i := range infos {
		p := LockPath{
			Path: i.Path, NarHash: nar.SRI(i.SHA256), NarSize: i.NarSize, CA: i.CA,
			References: append([]string{}, i.References...), Signatures: append([]string{}, i.Signatures...),
		}
		if p.Type, err = store.TypeOf(r.host(i.Path)); err != nil {
			return nil, fmt.Errorf("look at %s: %w", i.Path, err)
		}
		p.Built = pr.of(i, p.NarHash)
		l.Paths = append(l.Paths, p)
	}
	l.Sandbox = worst(l.Paths)
	l.seal()
	return l, l.check()
}

func (r *realisation) attr() string {
	if r.src.Attr == "" {
		return "default"
	}
	return r.src.Attr
}

func (r *realisation) measure(ctx context.Context) (Sandbox, error) {
	switch found, err := r.nix.MeasureSandbox(ctx); {
	case err != nil:
		return "", err
	case found == nix.On:
		return SandboxOn, nil
	case found == nix.Off:
		r.Log("Nix built without its sandbox: the builds could see this machine")
		return SandboxOff, nil
	}
	return SandboxUnknown, nil
}

// earlier collects what the locks of this state say of the builds behind their
// paths.
func (r *realisation) earlier() map[string]Sandbox {
	known := map[string]Sandbox{}
	locks, err := filepath.Glob(lockPath(r.State, "*"))
	if err != nil {
		return known
	}
	for _, path := range locks {
		l, err := readLock(path, filepath.Base(filepath.Dir(path)))
		if err != nil {
			continue
		}
		for _, p := range l.Paths {
			if p.Built == SandboxOn || p.Built == SandboxOff {
				known[p.Path+" "+p.NarHash] = p.Built
			}
		}
	}
	return known
}
