package testclosure_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/warmup"
)

func TestTheClosureRunsGo(t *testing.T) {
	c := testclosure.Go(t)
	if c.Verified != warmup.LevelSealed || c.Sandbox != warmup.SandboxNotBuilt {
		t.Errorf("verified %s, sandbox %s", c.Verified, c.Sandbox)
	}
	out, err := exec.Command(filepath.Join(c.Host(c.Root), "bin", "go"), "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "go version go1.26.8 ") {
		t.Errorf("%q, %v", out, err)
	}
}
