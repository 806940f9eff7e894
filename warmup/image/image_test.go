package image_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/warmup/image"
)

// sample is an image of n store paths, each of which needs the one before it, and a file.
func sample(t *testing.T, n int) image.Image {
	t.Helper()
	img := image.Image{
		Name: "lane-test:1", Architecture: "amd64", Entrypoint: []string{"/bin/lane"}, Env: []string{"PATH=/bin"}, WorkingDir: "/repo",
		Files: []image.File{{Name: "/bin/lane", Data: []byte("#!/bin/sh\n"), Mode: 0o755}, {Name: "/etc/passwd", Data: []byte("root:x:0:0::/:/bin/sh\n"), Mode: 0o644}},
	}
	dir := t.TempDir()
	for i := range n {
		base := fmt.Sprintf("%032d-part-%d", i, i)
		host := filepath.Join(dir, base)
		for name, data := range map[string]string{"bin/run": "#!", "lib/" + strings.Repeat("long-", 30) + "/data": base} {
			at := filepath.Join(host, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(data), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(os.Chmod(filepath.Join(host, "bin/run"), 0o700), os.Symlink("bin/run", filepath.Join(host, "link"))); err != nil {
			t.Fatal(err)
		}
		p := image.Path{StorePath: "/nix/store/" + base, Host: host}
		if i > 0 {
			p.References = []string{img.Paths[i-1].StorePath}
		}
		img.Paths = append(img.Paths, p)
	}
	return img
}

func write(t *testing.T, img image.Image) ([]byte, string) {
	t.Helper()
	var b bytes.Buffer
	digest, err := image.Write(t.Context(), &b, img, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), digest
}

func TestImagesAreTheSameBytes(t *testing.T) {
	img := sample(t, 3)
	first, digest := write(t, img)
	for _, p := range img.Paths { // what changes from machine to machine
		if err := os.Chtimes(p.Host, time.Now(), time.Now()); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(p.Host, "bin/run"), 0o555); err != nil {
			t.Fatal(err)
		}
	}
	img.Paths[0], img.Paths[2] = img.Paths[2], img.Paths[0]
	second, again := write(t, img)
	if !bytes.Equal(first, second) || digest != again {
		t.Errorf("%d and %d bytes, %s and %s", len(first), len(second), digest, again)
	}
}

// files reads a tar.
func files(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := all[h.Name]; twice {
			t.Errorf("%s is there twice", h.Name)
		}
		all[h.Name] = body
		if !h.ModTime.Equal(time.Unix(1, 0)) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s is of %v and %d %q", h.Name, h.ModTime, h.Uid, h.Uname)
		}
	}
}

func TestLayersHoldWhatTheStoreHolds(t *testing.T) {
	data, _ := write(t, sample(t, 100))
	all := files(t, data)
	var m []struct{ Layers []string }
	if err := json.Unmarshal(all["manifest.json"], &m); err != nil {
		t.Fatal(err)
	}
	if n := len(m[0].Layers); n > 100 || n < 50 {
		t.Errorf("%d layers", n)
	}
	seen := map[string]int{}
	for _, l := range m[0].Layers {
		sum := sha256.Sum256(all[l])
		if l != "blobs/sha256/"+hex.EncodeToString(sum[:]) {
			t.Errorf("%s has another digest", l)
		}
		for name := range files(t, all[l]) {
			seen[name]++
		}
	}
	for i := range 100 {
		base := fmt.Sprintf("nix/store/%032d-part-%d/", i, i)
		for _, name := range []string{base, base + "bin/run", base + "link", base + "lib/" + strings.Repeat("long-", 30) + "/data"} {
			if seen[name] != 1 {
				t.Errorf("%s is there %d times", name, seen[name])
			}
		}
	}
	if seen["bin/lane"] != 1 || seen["bin/"] != 1 {
		t.Error("lane is not in it")
	}
	// The path that all others need lies in a layer of its own, the first.
	if first := files(t, all[m[0].Layers[0]]); first[fmt.Sprintf("nix/store/%032d-part-0/bin/run", 0)] == nil || len(first) > 10 {
		t.Errorf("the first layer has %d entries", len(first))
	}
}

// Others read it: skopeo takes it as the one and as the other, verifies every digest, and finds the same image.
func TestOthersReadBothForms(t *testing.T) {
	data, digest := write(t, sample(t, 3))
	dir := t.TempDir()
	file := filepath.Join(dir, "image.tar")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var configs []string
	for _, form := range []string{"oci-archive:" + file, "docker-archive:" + file} {
		out := skopeo(t, "inspect", "--config", form)
		configs = append(configs, out)
		skopeo(t, "copy", form, "oci:"+filepath.Join(dir, strings.TrimSuffix(form, ":"+file))+":x")
	}
	if configs[0] != configs[1] || !strings.Contains(configs[0], `"/bin/lane"`) {
		t.Errorf("as one it is\n%s\nas the other\n%s", configs[0], configs[1])
	}
	if out := skopeo(t, "inspect", "--format", "{{.Digest}}", "oci-archive:"+file); strings.TrimSpace(out) != digest {
		t.Errorf("its digest is %s, others find %s", digest, out)
	}
}

// skopeo runs the tool. The suite needs it: its absence fails, never skips.
func skopeo(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("skopeo", append([]string{"--insecure-policy", "--tmpdir", t.TempDir()}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("skopeo %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestAnImageOfWhatIsNotThere(t *testing.T) {
	img := sample(t, 1)
	img.Paths[0].Host += "-gone"
	if _, err := image.Write(t.Context(), io.Discard, img, t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
