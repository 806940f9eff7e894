package nar_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/vallane/lane/warmup/nar"
)

// tree lays out one of everything that an archive can hold.
func tree(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "tree")
	file := func(name, data string, mode fs.FileMode) {
		t.Helper()
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(data), mode); err != nil {
			t.Fatal(err)
		}
	}
	file("empty", "", 0o644)
	file("eight", "12345678", 0o600)
	file("nine", "123456789", 0o444)
	file("run", "#!/bin/sh\n", 0o755)
	file("run-by-group-only", "x", 0o654)
	file("big", strings.Repeat("0123456789abcdef", 1<<15+1), 0o644)
	file("Upper/b", "b", 0o644)
	file("upper.d/a", "a", 0o644)
	file("upper/z", "z", 0o644)
	file("spaces and \n newline/ü\xff", "odd", 0o644)
	file("deep/1/2/3/4/5/6/7", "7", 0o644)
	if err := os.Mkdir(filepath.Join(root, "hollow"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "run", "dangling": "/no/such", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// nix runs a tool of Nix. The suite needs Nix: its absence fails, never skips.
func nix(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "USER=lane", "HOME="+t.TempDir(), "NIX_REMOTE="+t.TempDir(),
		"NIX_CONFIG=experimental-features = nix-command\nsubstituters =")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out
}

func TestDumpIsByteForByteWhatNixDumps(t *testing.T) {
	root := tree(t)
	for _, path := range []string{root, filepath.Join(root, "run"), filepath.Join(root, "link"), filepath.Join(root, "hollow")} {
		var got bytes.Buffer
		if err := nar.Dump(&got, path); err != nil {
			t.Fatal(err)
		}
		want := nix(t, "nix-store", "--dump", path)
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: %d bytes differ from Nix's %d", path, got.Len(), len(want))
		}
		sum, err := nar.Hash(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if sum.Size != int64(len(want)) || sum.SHA256 != sha256.Sum256(want) {
			t.Errorf("%s: sum %v of %d bytes is not the archive's", path, sum, sum.Size)
		}
	}
}

func TestHashIsSpelledAsNixSpellsIt(t *testing.T) {
	root := tree(t)
	sum, err := nar.Hash(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(string(nix(t, "nix", "hash", "path", root))); sum.SRI() != want {
		t.Errorf("SRI %s, Nix says %s", sum.SRI(), want)
	}
	if want := "sha256:" + strings.TrimSpace(string(nix(t, "nix", "hash", "path", "--base32", root))); sum.Base32() != want {
		t.Errorf("base 32 %s, Nix says %s", sum.Base32(), want)
	}
}

func TestWhatCannotBeArchivedIsNamed(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := nar.Hash(t.Context(), dir)
	if err == nil || !strings.Contains(err.Error(), fifo) || !strings.Contains(err.Error(), "named pipe") {
		t.Errorf("a named pipe gave %v", err)
	}
	_, err = nar.Hash(t.Context(), filepath.Join(dir, "absent"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent path gave %v", err)
	}
}

func TestHashEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := nar.Hash(ctx, tree(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled hash gave %v", err)
	}
}

func TestParseHashReadsEveryForm(t *testing.T) {
	sum := nar.Sum{SHA256: sha256.Sum256([]byte("lane"))}
	for _, s := range []string{
		sum.SRI(), sum.Base32(),
		"sha256:" + hex.EncodeToString(sum.SHA256[:]),
		"sha256:" + strings.TrimPrefix(sum.SRI(), "sha256-"),
	} {
		got, err := nar.ParseHash(s)
		if err != nil || got != sum.SHA256 {
			t.Errorf("%s: %x, %v", s, got, err)
		}
	}
	for _, s := range []string{
		"", "sha256-", "sha256:", "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "sha512-AAAA", "md5:00",
		sum.SRI() + "A", sum.SRI()[:len(sum.SRI())-1], "sha256:" + strings.Repeat("e", 52), "sha256:" + strings.Repeat("z", 52),
		" " + sum.SRI(), sum.SRI() + "\n",
	} {
		if got, err := nar.ParseHash(s); err == nil {
			t.Errorf("%q was read as %x", s, got)
		}
	}
}

func FuzzBase32(f *testing.F) {
	f.Add([]byte{}, "")
	f.Add([]byte("lane"), "z")
	f.Add(bytes.Repeat([]byte{0xff}, 32), strings.Repeat("z", 52))
	f.Fuzz(func(t *testing.T, b []byte, s string) {
		back, err := nar.DecodeBase32(nar.EncodeBase32(b))
		if err != nil || !bytes.Equal(back, b) {
			t.Errorf("%x came back as %x, %v", b, back, err)
		}
		if raw, err := nar.DecodeBase32(s); err == nil && nar.EncodeBase32(raw) != s {
			t.Errorf("%q is a second spelling of %x", s, raw)
		}
	})
}

func FuzzParseHash(f *testing.F) {
	f.Add("sha256-2K2SbG1izp0sk1F0iFm06B9yjumIe1+Ds7UNH1wX00M=")
	f.Add("sha256:0dpnhxl4nrzl63dwzm2frzkbjw9qqapzzw5j5gj844kqlvvccyl2")
	f.Fuzz(func(t *testing.T, s string) {
		sum, err := nar.ParseHash(s)
		if err != nil {
			return
		}
		if back, err := nar.ParseHash(nar.SRI(sum)); err != nil || back != sum {
			t.Errorf("%q: %x became %x, %v", s, sum, back, err)
		}
	})
}
