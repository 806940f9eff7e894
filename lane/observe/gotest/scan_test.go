package gotest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/vallane/lane/lane/observe"
)

const (
	oneTest    = "package p\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {}\n"
	outerTest  = "package p_test\n\nimport \"testing\"\n\nfunc TestOuter(t *testing.T) {}\n"
	plainGo    = "package p\n"
	cgoTest    = "package p\n\nimport \"C\"\n"
	goMod      = "module example.org/m\n\ngo 1.21\n"
	brokenTest = "package p\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) { this is not Go\n"
)

func TestExpectedUnits(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		argv  string // after "go test"
		dir   string
		want  string // ids, without "example.org/m"
		known bool
		note  string
	}{
		{"no package named", map[string]string{"go.mod": goMod, "a_test.go": oneTest, "b/b_test.go": oneTest}, "", "", ".", true, ""},
		{"all below", map[string]string{"go.mod": goMod, "a_test.go": oneTest, "b/b_test.go": oneTest, "c/c.go": plainGo}, "./...", "", ". /b", true, ""},
		{"a pattern", map[string]string{"go.mod": goMod, "bx/a_test.go": oneTest, "by/z/b_test.go": oneTest, "c/c_test.go": oneTest}, "./b...", "", "/bx /by/z", true, ""},
		{"a folder and all below", map[string]string{"go.mod": goMod, "b/a_test.go": oneTest, "b/c/a_test.go": oneTest, "bc/a_test.go": oneTest}, "./b/...", "", "/b /b/c", true, ""},
		{"by import path", map[string]string{"go.mod": goMod, "b/b_test.go": oneTest}, "example.org/m/...", "", "/b", true, ""},
		{"one by import path", map[string]string{"go.mod": goMod, "b/b_test.go": oneTest}, "example.org/m/b", "", "/b", true, ""},
		{"by absolute folder", map[string]string{"go.mod": goMod, "b/b_test.go": oneTest}, "/tree/b", "", "/b", true, ""},
		{"in a folder", map[string]string{"go.mod": goMod, "b/b_test.go": oneTest, "a_test.go": oneTest}, "./...", "b", "/b", true, ""},
		{"another module", map[string]string{"go.mod": goMod, "a_test.go": oneTest}, "./... fmt", "", ".", false, "what fmt stands for"},
		{"a file", map[string]string{"go.mod": goMod, "a_test.go": oneTest}, "a_test.go", "", "", false, "a_test.go"},
		{"out of the tree", map[string]string{"go.mod": goMod, "a_test.go": oneTest}, "../x", "", "", false, "../x"},
		{"left out", map[string]string{"go.mod": goMod, "_x/a_test.go": oneTest, ".x/a_test.go": oneTest, "testdata/a_test.go": oneTest, "vendor/v/a_test.go": oneTest,
			"n/go.mod": "module n\n", "n/a_test.go": oneTest, "n/b/a_test.go": oneTest}, "./...", "", "", true, ""},
		{"named all the same", map[string]string{"go.mod": goMod, "testdata/a_test.go": oneTest}, "./testdata", "", "/testdata", true, ""},
		{"ignored", map[string]string{"go.mod": goMod + "\nignore ./b\n\nignore (\n\tc\n)\n", "b/a_test.go": oneTest, "d/b/a_test.go": oneTest, "d/c/a_test.go": oneTest}, "./...", "", "/d/b", true, ""},
		{"constraints", map[string]string{"go.mod": goMod, "a/a_windows_test.go": oneTest, "b/b_test.go": "//go:build ignore\n\n" + oneTest, "c/c_linux_test.go": oneTest,
			"d/d_test.go": "//go:build !linux\n\n" + oneTest, "e/e_test.go": "//go:build go1.20 && linux\n\n" + oneTest, "f/f_test.go": "//go:build go1.99\n\n" + oneTest}, "./...", "", "/c /e", true, ""},
		{"tags", map[string]string{"go.mod": goMod, "a/a_test.go": "//go:build slow\n\n" + oneTest, "b/b_test.go": "//go:build fast\n\n" + oneTest}, "-tags slow,other ./...", "", "/a", true, ""},
		{"cgo without a compiler", map[string]string{"go.mod": goMod, "a/a_test.go": cgoTest}, "./...", "", "", true, ""},
		{"a file that does not parse", map[string]string{"go.mod": goMod, "a/a_test.go": brokenTest}, "./...", "", "/a", true, ""},
		{"a workspace that leads out", map[string]string{"go.mod": goMod, "go.work": "go 1.21\n\nuse .\n\nuse ../other\n", "a_test.go": oneTest}, "./...", "", ".", true, "outside of the tree"},
		{"a broken go.mod", map[string]string{"go.mod": "module \x00(\n", "a_test.go": oneTest}, "", "", "ANY", false, "read go.mod"},
		{"an old release", map[string]string{"go.mod": "module example.org/m\n\ngo 1.99\n", "a_test.go": oneTest}, "", "", ".", true, "asks for go 1.99"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			goroot, _ := goRoot()
			r := observe.Request{
				Argv: append([]string{"go", "test"}, strings.Fields(tt.argv)...), TreeHost: layTree(t, tt.files), Dir: tt.dir, Path: []string{goroot + "/bin"},
			}
			p, err := Reporter{}.Instrument(r)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, id := range p.Expected {
				if id = strings.TrimPrefix(id, "example.org/m"); id == "" {
					id = "."
				}
				ids = append(ids, id)
			}
			if got := strings.Join(ids, " "); got != tt.want && tt.want != "ANY" || p.Known != tt.known {
				t.Errorf("expected %q, known %v, want %q, %v", got, p.Known, tt.want, tt.known)
			}
			if notes := strings.Join(p.Notes, "; "); !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" && release(t, goroot) >= vetSeesOverlays {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
}

// TestHostileTree: nothing outside of the tree is read, and nothing is waited for.
func TestHostileTree(t *testing.T) {
	outside := layTree(t, map[string]string{"secret_test.go": oneTest, "pkg/x_test.go": oneTest})
	root := layTree(t, map[string]string{"go.mod": goMod, "ok/ok_test.go": oneTest, "ok/ok.go": plainGo, "link/real_test.go": oneTest})
	for _, err := range []error{
		os.MkdirAll(filepath.Join(root, "absolute"), 0o755),
		os.MkdirAll(filepath.Join(root, "fifo"), 0o755),
		os.MkdirAll(filepath.Join(root, "folder/x_test.go"), 0o755),
		os.Symlink(filepath.Join(outside, "secret_test.go"), filepath.Join(root, "absolute/secret_test.go")),
		os.Symlink("../../secret_test.go", filepath.Join(root, "ok/up_test.go")),
		os.Symlink("loop_test.go", filepath.Join(root, "ok/loop_test.go")),
		os.Symlink(filepath.Join(outside, "pkg"), filepath.Join(root, "pkg")),
		os.Symlink(".", filepath.Join(root, "again")),
		os.Symlink("real_test.go", filepath.Join(root, "link/other_test.go")),
		syscall.Mkfifo(filepath.Join(root, "fifo/wait_test.go"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	goroot, _ := goRoot()
	p, err := Reporter{}.Instrument(observe.Request{Argv: []string{"go", "test", "./..."}, TreeHost: root, Path: []string{goroot + "/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Expected, " "); got != "example.org/m/link example.org/m/ok" {
		t.Errorf("expected %q", got)
	}
}

func TestPackageOfUnit(t *testing.T) {
	for _, tt := range []struct {
		name               string
		files              map[string]string
		clause             string
		internal, external bool
		tests              string
	}{
		{"internal", map[string]string{"a.go": plainGo, "a_test.go": oneTest}, "p", true, false, "TestOne"},
		{"external", map[string]string{"a.go": plainGo, "a_test.go": outerTest}, "p", false, true, "TestOuter"},
		{"both", map[string]string{"a.go": plainGo, "a_test.go": outerTest, "b_test.go": oneTest}, "p", true, true, "TestOuter TestOne"},
		{"only external", map[string]string{"a_test.go": outerTest}, "p", false, true, "TestOuter"},
		{"called _test", map[string]string{"a.go": "package p_test\n", "a_test.go": outerTest}, "p_test", true, false, "TestOuter"},
		{"all kinds", map[string]string{"a_test.go": `package p
import . "testing"
func TestA(t *T) {}
func Testb(t *T) {}
func Test(t *T) {}
func TestMain(m *M) {}
func TestTwo(t *T, n int) {}
func FuzzA(f *F) {}
func BenchmarkA(b *B) {}
func Example() { /* Output: */ }
func ExampleA() {
	// Output: x
}
func ExampleSilent() {}
type S struct{}
func (S) TestMethod(t *T) {}
`}, "p", true, false, "TestA Test FuzzA Example ExampleA"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr, err := openTree(layTree(t, tt.files))
			if err != nil {
				t.Fatal(err)
			}
			defer tr.close()
			u := newScan(tr, "/tree", ".", &toolchain{minor: 26}, "linux", "amd64", false, nil).unit(".")
			if u.name != tt.clause || u.internal != tt.internal || u.external != tt.external || strings.Join(u.tests, " ") != tt.tests || u.id != "_/tree" {
				t.Errorf("got %+v", u)
			}
		})
	}
}
