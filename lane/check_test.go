package lane

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/lane/fence"
)

func TestMain(m *testing.M) {
	fence.Init()
	os.Exit(m.Run())
}

func git(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// options keep state apart per test and share what is costly to make.
func options(t testing.TB) Options {
	testclosure.Go(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return Options{State: t.TempDir(), Cache: filepath.Join(cache, "lane-test"), Shared: testclosure.Shared(), Version: "test",
		Events: func(e Event) { t.Logf("%s %s %d/%d", e.Phase, e.Text, e.Done, e.Total) }}
}
