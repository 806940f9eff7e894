package fetch

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/internal/testserver"
	"github.com/vallane/lane/lane/egress/address"
	"github.com/vallane/lane/lane/fence"
)

func TestMain(m *testing.M) {
	fence.Init()
	os.Exit(m.Run())
}

// node is a phase in the closure of Node.js, whose commands are scripts, and a folder for what it brings. What the commands print goes
// into the buffer.
func node(t testing.TB, scripts ...string) (p *Phase, dir string, out *bytes.Buffer) {
	t.Helper()
	c := testclosure.Node(t)
	p = &Phase{Closure: c.Digest, Path: c.PathDirs(), Scratch: t.TempDir(), Zones: filepath.Join(t.TempDir(), "zones"), Limits: fence.Limits{Memory: 4 << 30}, Manifests: map[string][]byte{}}
	if id := fence.HostID(0); id != os.Geteuid() {
		p.Owner = id
	}
	for _, s := range c.Paths {
		p.Store = append(p.Store, fence.Mount{Host: s.Host, Box: s.StorePath})
	}
	for _, s := range scripts {
		p.Commands = append(p.Commands, []string{"node", "-e", s})
	}
	out = &bytes.Buffer{}
	p.Log = out
	p.Network = Network{Addresses: address.Rules{Loopback: true}, Authorities: testserver.NewAuthority(t).File, Resolver: testserver.Names{}}
	dir = filepath.Join(t.TempDir(), "brought")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := p.hand(dir); err != nil {
		t.Fatal(err)
	}
	return p, dir, out
}
