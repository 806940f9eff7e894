package treename_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/worktree/treename"
)

func TestNamesThatAreRefused(t *testing.T) {
	for _, name := range []string{
		"", ".", "..", "a/b", "a\x00b", strings.Repeat("n", 256),
		".git", ".GIT", ".Git", "git~1", "GIT~1", "Git~1 .",
		".git ", ".git.", ".git. .", ".git::$INDEX_ALLOCATION", ".git:x", "git~1:x",
		".g\u200cit", "\ufeff.git", ".GI\u202eT", ".git\u206f",
		`x\.git`, `.git\hooks`, `a\git~1\b`,
	} {
		err := treename.Check(name, false)
		var refused *treename.Error
		if !errors.As(err, &refused) {
			t.Errorf("Check(%q) = %v, want a refusal", name, err)
		}
	}
}

func TestNamesThatPass(t *testing.T) {
	for _, name := range []string{
		"a", "...", "..a", ".gitignore", ".gitattributes", ".gitmodules", ".github", "git", "git~2", "git~10", ".git1",
		"with space", "trailing.", "tab\tand\nnewline", "ünï", "\xff\xfe not text", "-x", "CON", `back\slash`, strings.Repeat("n", 255),
	} {
		if err := treename.Check(name, false); err != nil {
			t.Errorf("Check(%q) = %v", name, err)
		}
	}
}

func TestSymbolicLinksHaveOneNameLess(t *testing.T) {
	for _, name := range []string{".gitmodules", ".GitModules"} {
		if treename.Check(name, true) == nil {
			t.Errorf("a symbolic link named %q passed", name)
		}
	}
	if err := treename.Check(".gitignore", true); err != nil {
		t.Error(err)
	}
}

func TestPaths(t *testing.T) {
	for path, fine := range map[string]bool{
		"a/b/c": true, "a": true,
		"": false, "/etc/passwd": false, "a//b": false, "a/": false, "a/../b": false, "../b": false, "a/./b": false,
		"a/.git/hooks/x": false, strings.Repeat("d/", 2000) + "x": false,
		"sub/.gitmodules": true,
	} {
		if err := treename.CheckPath(path, false); (err == nil) != fine {
			t.Errorf("CheckPath(%.40q) = %v, want fine = %v", path, err, fine)
		}
	}
	if treename.CheckPath("sub/.gitmodules", true) == nil {
		t.Error("a symbolic link sub/.gitmodules passed")
	}
}
