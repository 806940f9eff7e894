package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/internal/testserver"
	"github.com/vallane/lane/internal/testsource"
	"github.com/vallane/lane/lane/egress/address"
	"github.com/vallane/lane/lane/fence"
)

const registryHost = "registry.example.org"

// npmProject is a phase that runs the real npm on a project with one dependency, whose install script leaves a file behind. integrity
// is what the lock says of it; "" is the truth.
func npmProject(t *testing.T, integrity string) (*Phase, string) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	for name, text := range map[string]string{
		"package/package.json": `{"name": "left", "version": "1.0.0", "bin": "index.js", "scripts": {"preinstall": "echo x > ran", "install": "echo x > ran", "postinstall": "echo x > ran"}}`,
		"package/index.js":     "module.exports = 'left'\n",
	} {
		if err := errors.Join(w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}), func() error { _, err := w.Write([]byte(text)); return err }()); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	if integrity == "" {
		sum := sha512.Sum512(packed.Bytes())
		integrity = "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
	}
	p, dir, _ := node(t)
	a := testserver.NewAuthority(t)
	port := a.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(packed.Bytes()) }), registryHost)
	p.Network = Network{Addresses: address.Rules{Loopback: true}, Authorities: a.File, Resolver: testserver.Names{registryHost: {"127.0.0.1"}}}
	p.Allow = []string{registryHost + ":" + port}
	p.Manifests = map[string][]byte{
		"package.json": []byte(`{"name": "shop", "private": true, "dependencies": {"left": "1.0.0"}, "scripts": {"postinstall": "echo x > ran"}}`),
		"package-lock.json": fmt.Appendf(nil, `{"name": "shop", "lockfileVersion": 3, "requires": true, "packages": {"": {"name": "shop", "dependencies": {"left": "1.0.0"}},
			"node_modules/left": {"version": "1.0.0", "resolved": "https://%s:%s/left/-/left-1.0.0.tgz", "integrity": %q, "hasInstallScript": true, "bin": {"left": "index.js"}}}}`, registryHost, port, integrity),
	}
	const at = "/nix/store/00000000000000000000000000000000-npm"
	npm := testsource.Npm(t, "npm@10.9.2", "npm-10.9.2.tgz", "5cd1e5ab971ea6333f910bc2d50700167c5ef4e66da279b2a3efc874c6b116e4")
	for d := npm; d != filepath.Dir(d) && d != os.TempDir(); d = filepath.Dir(d) { // the box's user has to reach it
		if err := os.Chmod(d, 0o755); err != nil {
			break
		}
	}
	p.Store = append(p.Store, fence.Mount{Host: npm, Box: at})
	p.Commands = [][]string{{"node", at + "/bin/npm-cli.js", "ci"}}
	return p, dir
}

// npm brings what the lock names, runs no install script, and a box after the cut has it below its tree.
func TestNpm(t *testing.T) {
	p, dir := npmProject(t, "")
	hosts, err := p.Run(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(hosts) != 1 || hosts[0].Host != registryHost || hosts[0].Reason != "" || hosts[0].Received == 0 {
		t.Errorf("hosts: %+v", hosts)
	}
	if found, _ := filepath.Glob(filepath.Join(TreeOf(dir), "node_modules", "*", "ran")); len(found) > 0 {
		t.Errorf("an install script ran: %v", found)
	}
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "shop.js"), []byte("console.log(require('left'))\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := p.hand(tree); err != nil {
		t.Fatal(err)
	}
	b, err := fence.Open(t.Context(), fence.Config{StorePaths: p.Store, Path: p.Path, Tree: tree, TreeBelow: TreeOf(dir), Overlays: []fence.Overlay{{Lower: CachesOf(dir), At: CachesDir}}, Limits: p.Limits})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	brought, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{{"node", "shop.js"}, {"node", p.Commands[0][1], "rebuild", "--foreground-scripts"}} { // scripts run after the cut
		r, err := b.Run(t.Context(), fence.Command{Argv: argv, Env: brought.Env, Keep: true})
		if err != nil || r.Exit != 0 {
			t.Errorf("%v: %v, exit %d\n%s%s", argv, err, r.Exit, r.Stdout, r.Stderr)
		}
		if argv[1] == "shop.js" && strings.TrimSpace(r.Stdout.String()) != "left" {
			t.Errorf("it printed %q", r.Stdout)
		}
	}
	if found, _ := filepath.Glob(filepath.Join(TreeOf(dir), "node_modules", "*", "ran")); len(found) > 0 {
		t.Errorf("a run changed what was fetched: %v", found)
	}
}

// What is not what the lock says does not come in.
func TestNpmIntegrity(t *testing.T) {
	p, dir := npmProject(t, "sha512-"+base64.StdEncoding.EncodeToString(make([]byte, 64)))
	p.Env = []string{"npm_config_fetch_retries=0"}
	_, err := p.Run(t.Context(), dir)
	var f *Failed
	if !errors.As(err, &f) || !strings.Contains(f.Msg, "EINTEGRITY") {
		t.Errorf("%v, want a failure of integrity", err)
	}
}
