package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
)

const look = `
const fs = require('fs');
const list = (d) => fs.readdirSync(d, { recursive: true }).sort();
const denied = (f) => { try { f(); return 'done' } catch (e) { return e.code } };
console.log(JSON.stringify({
  tree: list('/tree'), home: list(process.env.HOME), fetched: list('/fetched'), cwd: process.cwd(), env: process.env,
  interfaces: fs.readFileSync('/proc/net/dev', 'latin1').split('\n').slice(2).map((l) => l.split(':')[0].trim()).filter(Boolean),
  authorities: fs.readFileSync('/etc/ssl/certs/ca-certificates.crt', 'latin1').includes('BEGIN CERTIFICATE'),
  write: denied(() => fs.writeFileSync('/etc/ssl/certs/ca-certificates.crt', 'mine')),
  remove: denied(() => fs.unlinkSync('/etc/ssl/certs/ca-certificates.crt')),
}))`

// A fetch box sees manifests and nothing else, has no interface but lo, and cannot change whom it trusts.
func TestWhatTheBoxSees(t *testing.T) {
	t.Setenv("STORY_TOKEN", "secret")
	p, dir, out := node(t, look)
	p.Manifests = map[string][]byte{"package.json": []byte("{}"), "web/package-lock.json": []byte("{}")}
	p.Dir, p.Env = "tools/x", []string{"npm_config_audit=true"}
	if _, err := p.Run(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	var saw struct {
		Tree, Home, Fetched, Interfaces []string
		Cwd, Write, Remove              string
		Authorities                     bool
		Env                             map[string]string
	}
	if err := json.Unmarshal(out.Bytes(), &saw); err != nil {
		t.Fatal(err, out)
	}
	if got := strings.Join(saw.Tree, " "); got != "package.json tools tools/x web web/package-lock.json" || saw.Cwd != "/tree/tools/x" {
		t.Errorf("the tree holds %s, and the command starts in %s", got, saw.Cwd)
	}
	if len(saw.Home)+len(saw.Fetched) > 0 || slices.ContainsFunc(saw.Interfaces, func(i string) bool { return i != "lo" }) {
		t.Errorf("home %v, fetched %v, interfaces %v", saw.Home, saw.Fetched, saw.Interfaces)
	}
	if !saw.Authorities || saw.Write != "EROFS" || saw.Remove == "done" {
		t.Errorf("authorities: there %t, written %s, removed %s", saw.Authorities, saw.Write, saw.Remove)
	}
	for k, want := range map[string]string{"HTTPS_PROXY": "http://" + ProxyAddress, "npm_config_ignore_scripts": "true", "GOMODCACHE": "/fetched/go-mod", "npm_config_audit": "true"} {
		if saw.Env[k] != want {
			t.Errorf("%s is %q, want %q", k, saw.Env[k], want)
		}
	}
	if _, there := saw.Env["STORY_TOKEN"]; there {
		t.Error("a variable of the host's is in the box")
	}
}

// Named caches and the node_modules beside a package.json cross the cut; nothing else does, and no link is followed on the host.
func TestWhatCrosses(t *testing.T) {
	p, dir, _ := node(t, `
const fs = require('fs');
const put = (f) => { fs.mkdirSync(require('path').dirname(f), { recursive: true }); fs.writeFileSync(f, 'x') };
for (const f of ['/fetched/go-mod/a/b.go', '/fetched/other/x', '/tree/node_modules/dep/index.js', '/tree/web/node_modules/dep/index.js', '/tree/lib/node_modules/dep/index.js',
  '/tree/evil.js', process.env.HOME + '/.npmrc']) put(f);
fs.symlinkSync('/etc', '/fetched/npm');
fs.symlinkSync('/etc', '/tree/bad/node_modules');
fs.symlinkSync('/etc/passwd', '/tree/node_modules/dep/passwd');
fs.symlinkSync('../dep/index.js', '/tree/node_modules/link');
fs.writeFileSync('/tree/package.json', 'changed');
fs.mkdirSync('/fetched/go-mod/closed/below', { recursive: true });
fs.chmodSync('/fetched/go-mod/closed', 0);
`, `if (!require('fs').existsSync(process.env.HOME + '/.npmrc')) process.exit(1) // commands share one box`)
	p.Manifests = map[string][]byte{"package.json": []byte("{}"), "web/package.json": []byte("{}"), "bad/package.json": []byte("{}")}
	if hosts, err := p.Run(t.Context(), dir); err != nil || len(hosts) > 0 {
		t.Fatal(hosts, err)
	}
	var got []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			got = append(got, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"brought/caches/go-mod/a/b.go", "brought/tree/node_modules/dep/index.js", "brought/tree/node_modules/dep/passwd", "brought/tree/node_modules/link", "brought/tree/web/node_modules/dep/index.js", "fetched.json"}
	if !slices.Equal(got, want) {
		t.Errorf("crossed:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	b, err := Read(dir)
	if err != nil || !b.Modules || b.Digest == "" || !slices.Equal(b.Env, []string{"GOMODCACHE=/fetched/go-mod"}) {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct{ name, script, says string }{
		{"exit status", "console.error('no such version'); process.exit(3)", "exit status 3\nno such version"},
		{"signal", "process.kill(process.pid, 'SIGSEGV')", "signal"},
		{"disk", "for (;;) require('fs').appendFileSync('/fetched/' + Math.floor(Math.random() * 9), Buffer.alloc(1 << 20))", "wrote more than it may"},
		{"a way around the proxy", "require('net').connect(443, '192.0.2.1').on('error', (e) => { console.error(e.code); process.exit(1) })", "ENETUNREACH"},
		{"a name", "require('dns').resolve('example.org', (e) => { console.error(e.code); process.exit(1) })", "ECONNREFUSED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, dir, _ := node(t, c.script)
			p.mostBytes = 64 << 20
			_, err := p.Run(t.Context(), dir)
			var f *Failed
			if !errors.As(err, &f) || !strings.Contains(f.Msg, c.says) || f.Hint() == "" {
				t.Errorf("%v, want a failure that says %q", err, c.says)
			}
		})
	}
}

// The proxy is reached from a fetch box, by the very probe that reaches nobody in a box like a test's (E10).
func TestControl(t *testing.T) {
	p, _, _ := node(t)
	if err := p.Control(t.Context()); err != nil {
		t.Fatal(err)
	}
	b, err := fence.Open(t.Context(), fence.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	results, err := b.Probe(t.Context(), []string{ProxyAddress})
	if err != nil || len(results) != 1 || results[0].Reached {
		t.Errorf("after the cut: %+v, %v", results, err)
	}
}

func TestKey(t *testing.T) {
	base := func() *Phase {
		return &Phase{Closure: "c", Commands: [][]string{{"npm", "ci"}}, Allow: []string{"a:1", "b:2"}, Env: []string{"K=v"}, Manifests: map[string][]byte{"package.json": []byte("{}")}}
	}
	same := base()
	same.Allow = []string{"b:2", "a:1"}
	same.Path, same.Time = []string{"/x"}, same.Time.AddDate(1, 0, 0)
	if same.Key() != base().Key() {
		t.Error("the key depends on what does not matter")
	}
	for name, change := range map[string]func(*Phase){
		"closure": func(p *Phase) { p.Closure = "d" }, "words": func(p *Phase) { p.Commands = [][]string{{"npm ci"}} }, "commands": func(p *Phase) { p.Commands = append(p.Commands, []string{"x"}) },
		"folder": func(p *Phase) { p.Dir = "web" }, "hosts": func(p *Phase) { p.Allow = p.Allow[:1] }, "variables": func(p *Phase) { p.Env = nil },
		"bytes": func(p *Phase) { p.Manifests["package.json"] = []byte("{ }") }, "names": func(p *Phase) { p.Manifests = map[string][]byte{"web/package.json": []byte("{}")} },
	} {
		other := base()
		if change(other); other.Key() == base().Key() {
			t.Errorf("the key does not depend on the %s", name)
		}
	}
}

func TestIsManifest(t *testing.T) {
	for _, name := range []string{"package.json", "web/package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "requirements.txt", "requirements-dev.txt", "requirements/test.txt", "constraints.txt",
		"pyproject.toml", "uv.lock", "go.mod", "a/b/go.sum", "go.work", "Cargo.toml", "Cargo.lock", "Gemfile", "Gemfile.lock"} {
		if !IsManifest(name) {
			t.Errorf("%s is no manifest", name)
		}
	}
	for _, name := range []string{"main.go", "package.js", "setup.py", "notes.txt", ".npmrc", "pip.conf", ".cargo/config.toml", "build.rs", "Makefile", "index.js", "go.mod/main.go", "package.json.js", "LICENSE",
		"requirements.py", ".env", "requirements/install.sh"} {
		if IsManifest(name) {
			t.Errorf("%s is a manifest", name)
		}
	}
}

// A phase whose time is over is no failure of the phase.
func TestDeadline(t *testing.T) {
	p, dir, _ := node(t, "setInterval(() => {}, 1000)")
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := p.Run(ctx, dir)
	var f *Failed
	if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &f) {
		t.Errorf("%v, want that the deadline is over", err)
	}
}
