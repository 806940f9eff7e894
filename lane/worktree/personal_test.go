package worktree_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vallane/lane/lane/worktree"
)

func TestPersonalIgnoreFiles(t *testing.T) {
	for _, c := range []struct {
		name, gitconfig, want string
		xdg                   bool
		global                string
	}{
		{name: "git's default", want: ".config/git/ignore"},
		{name: "another folder of configurations", xdg: true, want: "xdg/git/ignore"},
		{name: "named from home", gitconfig: "[core]\n\texcludesFile = ~/mine\n", want: "mine"},
		{name: "another configuration", gitconfig: "[core]\n\texcludesFile = ~/mine\n", global: "/dev/null", want: ".config/git/ignore"},
		{name: "broken configuration", gitconfig: "[core\n", want: ".config/git/ignore"},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			must(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(c.gitconfig), 0o644))
			env := map[string]string{"HOME": home, "GIT_CONFIG_GLOBAL": c.global}
			if c.xdg {
				env["XDG_CONFIG_HOME"] = filepath.Join(home, "xdg")
			}
			got := worktree.PersonalIgnoreFiles(func(k string) string { return env[k] })
			if want := []string{filepath.Join(home, c.want)}; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	if got := worktree.PersonalIgnoreFiles(func(string) string { return "" }); got != nil {
		t.Errorf("without HOME: %q", got)
	}
}
