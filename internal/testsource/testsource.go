// Package testsource gives tests the sources of published projects, fetched by the machine's ordinary clients, pinned by
// digest, and kept in the cache of tests.
//
// It is for tests only. What cannot be fetched fails the test.
package testsource

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pinned returns a file with a digest, from the cache of tests or from get, which writes it into a folder.
func pinned(t testing.TB, digest string, get func(dir string) (file string)) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(cache, "lane-test", "sources", digest)
	if hashOf(kept) == digest {
		return kept
	}
	file := get(t.TempDir())
	if got := hashOf(file); got != digest {
		t.Fatalf("%s has the digest %s, want %s", filepath.Base(file), got, digest)
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(kept, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

func hashOf(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Debian unpacks the sources of a Debian package. apt fetches them by the lines that the machine has, for sources, in a
// configuration of the test's own.
func Debian(t testing.TB, name, version, tarball, digest string) string {
	t.Helper()
	archive := pinned(t, digest, func(dir string) string {
		sourceLines(t, filepath.Join(dir, "parts"))
		must(t, os.MkdirAll(filepath.Join(dir, "lists", "partial"), 0o755))
		must(t, os.MkdirAll(filepath.Join(dir, "cache", "archives", "partial"), 0o755))
		options := []string{"-q", "-o", "Dir::Etc::sourcelist=/dev/null", "-o", "Dir::Etc::sourceparts=" + filepath.Join(dir, "parts"),
			"-o", "Dir::State::lists=" + filepath.Join(dir, "lists"), "-o", "Dir::Cache=" + filepath.Join(dir, "cache")}
		for _, args := range [][]string{{"update"}, {"source", "--download-only", "--tar-only", name + "=" + version}} {
			cmd := exec.Command("apt-get", append(options, args...)...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("apt-get %s: %v\n%s", args[0], err, out)
			}
		}
		return filepath.Join(dir, tarball)
	})
	return unpack(t, archive)
}

// sourceLines writes the machine's own lines of package sources as lines for source packages.
func sourceLines(t testing.TB, dir string) {
	t.Helper()
	var text strings.Builder
	lists, _ := filepath.Glob("/etc/apt/sources.list.d/*.list")
	for _, f := range append(lists, "/etc/apt/sources.list") {
		if data, err := os.ReadFile(f); err == nil {
			text.WriteString(regexp.MustCompile(`(?m)^deb `).ReplaceAllString(string(data), "deb-src ") + "\n")
		}
	}
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "sources.list"), []byte(text.String()), 0o644))
	stanzas, _ := filepath.Glob("/etc/apt/sources.list.d/*.sources")
	for _, f := range stanzas {
		data, err := os.ReadFile(f)
		must(t, err)
		data = regexp.MustCompile(`(?m)^Types:.*$`).ReplaceAll(data, []byte("Types: deb-src"))
		must(t, os.WriteFile(filepath.Join(dir, filepath.Base(f)), data, 0o644))
	}
}

// unpack unpacks an archive and returns the one folder that it holds.
func unpack(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("tar", "-xf", archive, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("unpack %s: %v\n%s", archive, err, out)
	}
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 1 {
		t.Fatalf("%s holds %d folders", archive, len(entries))
	}
	return filepath.Join(dir, entries[0].Name())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Installed copies a folder with a package-lock.json into dir, which need not be there, and has npm put what it pins beside it, without
// scripts and without links.
func Installed(t testing.TB, from, dir string) {
	t.Helper()
	must(t, os.CopyFS(dir, os.DirFS(from)))
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-bin-links")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci in %s: %v\n%s", from, err, out)
	}
}

// Npm unpacks a package of npm's, as its registry serves it to the machine's own npm.
func Npm(t testing.TB, name, tarball, digest string) string {
	t.Helper()
	return unpack(t, pinned(t, digest, func(dir string) string {
		cmd := exec.Command("npm", "pack", "--silent", name)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("npm pack %s: %v\n%s", name, err, out)
		}
		return filepath.Join(dir, tarball)
	}))
}
