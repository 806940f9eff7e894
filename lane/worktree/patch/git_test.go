package patch_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/worktree/patch"
)

// TestAgreesWithGit makes random pairs of files, has git write the difference of them all, and wants
// every new file back, byte for byte, from the old one.
func TestAgreesWithGit(t *testing.T) {
	for _, context := range []string{"-U0", "-U1", "-U3", "-U10"} {
		t.Run(context, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, uint64(len(context))))
			dir := t.TempDir()
			olds, news := map[string][]byte{}, map[string][]byte{}
			for i := range 150 {
				name := fmt.Sprintf("file %03d", i)
				olds[name] = randomText(r)
				news[name] = edit(r, olds[name])
				write(t, filepath.Join(dir, name), olds[name])
			}
			git(t, dir, "init", "-q")
			git(t, dir, "add", ".")
			for name, data := range news {
				write(t, filepath.Join(dir, name), data)
			}
			out := git(t, dir, "diff", "--no-color", "--no-ext-diff", "--text", context)
			files, err := patch.Parse(out)
			if err != nil {
				t.Fatal(err)
			}
			for i := range files {
				name := files[i].New
				old, want := olds[name], news[name]
				got, err := files[i].Apply(old, blobID(string(old)))
				if err != nil {
					t.Fatalf("%v\nold: %q", err, old)
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("%s: got %q, want %q", name, got, want)
				}
				olds[name] = want
			}
			for name := range olds {
				if !bytes.Equal(olds[name], news[name]) {
					t.Errorf("%s differs and git's patch was not read", name)
				}
			}
		})
	}
}

// TestTakesNoMoreThanGit applies patches to files that have moved on since. Whatever is taken here,
// git apply takes too, and makes the same of it.
func TestTakesNoMoreThanGit(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	dir := t.TempDir()
	taken, refused := 0, 0
	for range 90 {
		old := randomText(r)
		write(t, filepath.Join(dir, "x"), old)
		write(t, filepath.Join(dir, "y"), edit(r, old))
		_, hunks, found := strings.Cut(string(git(t, dir, "diff", "--no-index", "--text", fmt.Sprintf("-U%d", r.IntN(4)), "x", "y")), "\n@@ ")
		if !found {
			continue
		}
		diff := "--- a/f\n+++ b/f\n@@ " + hunks
		base := old
		if r.IntN(3) > 0 {
			base = edit(r, old)
		}
		files, err := patch.Parse([]byte(diff))
		if err != nil {
			t.Fatal(err)
		}
		got, err := files[0].Apply(base, "")
		if err != nil {
			refused++
			continue
		}
		taken++
		write(t, filepath.Join(dir, "f"), base)
		write(t, filepath.Join(dir, "diff"), []byte(diff))
		git(t, dir, "apply", "--whitespace=nowarn", "diff")
		if want, _ := os.ReadFile(filepath.Join(dir, "f")); !bytes.Equal(got, want) {
			t.Fatalf("%s\nbase: %q\ngit:  %q\nhere: %q", diff, base, want, got)
		}
	}
	if taken < 15 || refused < 15 {
		t.Errorf("%d taken and %d refused: the test has lost one of its halves", taken, refused)
	}
}

// git runs git without any configuration but its own. A diff may exit 1.
func git(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "HOME=/nonexistent"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && (args[0] != "diff" || cmd.ProcessState.ExitCode() != 1) {
		t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return out
}

// randomText has few different lines, so that hunks have many places that nearly fit.
func randomText(r *rand.Rand) []byte {
	var b bytes.Buffer
	for range r.IntN(40) {
		b.WriteString([]string{"a", "b", "", "\t{", "}", "\r", "- x", "+ y", "@@ -1 +1 @@", "\xff\x00"}[r.IntN(10)] + "\n")
	}
	if b.Len() > 0 && r.IntN(3) == 0 {
		b.WriteString("no newline here")
	}
	return b.Bytes()
}

func edit(r *rand.Rand, old []byte) []byte {
	lines := bytes.SplitAfter(old, []byte("\n"))
	for range 1 + r.IntN(4) {
		at := r.IntN(len(lines))
		switch r.IntN(3) {
		case 0:
			lines[at] = []byte("changed\n")
		case 1:
			lines = append(lines[:at:at], lines[at+1:]...)
		default:
			lines = append(lines[:at:at], append([][]byte{[]byte("added\n")}, lines[at:]...)...)
		}
		if len(lines) == 0 {
			lines = [][]byte{[]byte("a\n")}
		}
	}
	return bytes.Join(lines, nil)
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
