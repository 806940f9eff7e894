package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/vallane/lane/lane/egress"
	"github.com/vallane/lane/lane/egress/address"
	"github.com/vallane/lane/lane/fence"
)

// Phase is the fetch phase of one task on one tree.
type Phase struct {
	Commands [][]string
	// Dir is the folder of the tree that commands start in; "" is its root.
	Dir   string
	Allow []string // HOST:PORT, see egress.ParseAllow
	Env   []string // K=V of the spec

	// Manifests are the files that the box sees, by their paths in the tree: those that IsManifest names.
	Manifests map[string][]byte

	Closure string        // its digest
	Store   []fence.Mount // its paths
	Path    []string      // PATH in the box
	Limits  fence.Limits
	Time    time.Time // SOURCE_DATE_EPOCH
	Zones   string    // host folder that keeps unpacked time zones
	Scratch string    // host folder for what lives as long as the phase; "" is the system's
	Owner   int       // host user and group that the box writes as; 0 for the caller

	// mostBytes is what may be written; 0 is the constant of that name.
	mostBytes int64

	Network Network
	Log     io.Writer    // gets what the commands print; nil for none
	Egress  *slog.Logger // gets a line for each decision of the proxy; nil for none
}

// Network says how the proxy reaches the world. The zero value is what every spec gets: the machine's own resolver and
// authorities, and public addresses only. Nothing that a spec, a flag or a variable says changes it; tests do.
type Network struct {
	Addresses address.Rules
	Resolver  egress.Resolver
	// Authorities is a file of certificates, as PEM; "" is the machine's own bundle.
	Authorities string
	Limits      egress.Limits
}

// CommandTime bounds each command of a phase.
const CommandTime = 30 * time.Minute

// Key names everything that what the phase brings depends on.
func (p *Phase) Key() string {
	h := sha256.New()
	add := func(parts ...string) {
		for _, s := range parts {
			fmt.Fprintf(h, "%d:%s;", len(s), s)
		}
		fmt.Fprint(h, "|")
	}
	add("fetch 2", p.Closure, p.Dir)
	for _, c := range p.Commands {
		add(c...)
	}
	add(slices.Sorted(slices.Values(p.Allow))...)
	add(p.Env...)
	for _, name := range slices.Sorted(maps.Keys(p.Manifests)) {
		add(name, string(p.Manifests[name]))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// A Failed is a phase that did not bring what it was to bring. It says nothing about the change's code, which it never saw.
type Failed struct {
	Msg string
	Tip string
}

func (f *Failed) Error() string { return f.Msg }

// Hint says what to do about it.
func (f *Failed) Hint() string { return f.Tip }

// Control opens a box like the phase's own and dials the proxy from it by the probe that test boxes are probed with: it must be
// reached there, at ProxyAddress, and nowhere after the cut. Run does the same in its own box; this is for what is kept.
func (p *Phase) Control(ctx context.Context) error {
	b, err := p.open(ctx, nil)
	if err != nil {
		return err
	}
	return errors.Join(p.control(ctx, b), b.close())
}

func (p *Phase) control(ctx context.Context, b *box) error {
	results, err := b.box.Probe(ctx, []string{ProxyAddress})
	if err != nil {
		return fmt.Errorf("probe the fetch box: %w", err)
	}
	if len(results) != 1 || !results[0].Reached {
		return errors.New("the fetch box does not reach its own proxy")
	}
	return nil
}
