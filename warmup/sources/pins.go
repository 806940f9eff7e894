package sources

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/vallane/lane/warmup/nar"
	"github.com/vallane/lane/warmup/process"
)

// Pins is what a file of pins holds: by system, then by the source's name.
type Pins map[string]map[string]Pinned

// Pinned is what was open in a source.
type Pinned struct {
	NarHash string            `json:"narHash"`
	Debs    map[string]string `json:"debs"` // versions by package
}

// ParsePins reads a file of pins. It takes nothing else: a file that anybody
// may name as an environment's could be one that must not be read.
func ParsePins(data []byte) (Pins, error) {
	var p Pins
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return nil, fmt.Errorf("read pins: %w", err)
	}
	for _, sources := range p {
		for name, s := range sources {
			if _, err := nar.ParseHash(s.NarHash); err != nil {
				return nil, fmt.Errorf("read pins of %s: %w", name, err)
			}
			for deb, version := range s.Debs {
				if !debRule.MatchString(deb + "=" + version) {
					return nil, fmt.Errorf("read pins of %s: %q is no version of a Debian package", name, deb+"="+version)
				}
			}
		}
	}
	return p, nil
}

// Bytes is the file.
func (p Pins) Bytes() []byte {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		panic(err) // strings only
	}
	return append(data, '\n')
}

// Pin fetches a source below dir in the versions that the clients serve now, and says
// which they are and what they come to. The folder that it returns is the one that Fetch would.
func (f Fetcher) Pin(ctx context.Context, dir string, s Source) (string, Pinned, error) {
	p := Pinned{Debs: map[string]string{}}
	f.pinned = func(deb, version string) { p.Debs[deb] = version }
	out, err := f.unpack(ctx, dir, s)
	if err != nil {
		return "", p, err
	}
	sum, err := nar.Hash(ctx, out)
	p.NarHash = sum.SRI()
	return out, p, err
}

// version reads which version an archive of Debian's is.
func (f Fetcher) version(ctx context.Context, work, archive string) (string, error) {
	out, err := process.Run(ctx, process.Command{Argv: []string{"dpkg-deb", "--field", archive, "Version"}, Env: f.Environ, Dir: work})
	if err != nil {
		return "", fmt.Errorf("read the version of %s: %w", filepath.Base(archive), err)
	}
	return strings.TrimSpace(string(out)), nil
}
