package nix

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestSourceHoldsWhatTheBuildNeeds(t *testing.T) {
	var sources []string
	readJSON(t, "source.json", &sources)
	f := stage(t, sources...)
	stray := filepath.Join(f.dir, "nix/stray.txt")
	if err := os.WriteFile(stray, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	source, stderr, err := f.nix(t, ".", "eval", "--raw", "path:.#packages.x86_64-linux.lane.src")
	if err != nil {
		t.Fatalf("evaluate src: %v\n%s", err, stderr)
	}
	if _, err := os.Stat(filepath.Join(source, "nix")); err == nil {
		t.Error("the package is rebuilt when a file below nix/ changes")
	}

	program := filepath.Join(t.TempDir(), "lane")
	version := strings.TrimSpace(readText(t, "../VERSION"))
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-X main.version="+version, "-o", program, "./cmd/lane")
	build.Dir = source
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	out, err := exec.Command(program, "version").Output()
	if err != nil || !strings.Contains(string(out), version) {
		t.Errorf("lane version: %q, %v; want %s", out, err, version)
	}
}
