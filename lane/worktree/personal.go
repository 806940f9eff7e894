package worktree

import (
	"path/filepath"
	"strings"
)

// PersonalIgnoreFiles finds the files of ignore patterns of a person for [Options].IgnoreFiles, where git looks for them: what
// core.excludesFile of his own configuration names, else git/ignore in the folder of configurations. getenv looks up HOME,
// XDG_CONFIG_HOME and GIT_CONFIG_GLOBAL. A configuration that cannot be read names none: git itself will say so before Lane does.
func PersonalIgnoreFiles(getenv func(string) string) []string {
	home, configs := getenv("HOME"), getenv("XDG_CONFIG_HOME")
	if configs == "" && home != "" {
		configs = filepath.Join(home, ".config")
	}
	if !filepath.IsAbs(configs) {
		return nil
	}
	own := []string{filepath.Join(configs, "git", "config"), filepath.Join(home, ".gitconfig")}
	if other := getenv("GIT_CONFIG_GLOBAL"); other != "" {
		own = []string{other}
	}
	named := ""
	for _, file := range own {
		if cfg, err := decodeConfig(file); err == nil {
			if v := cfg.Section("core").Option("excludesFile"); v != "" {
				named = v
			}
		}
	}
	if rest, ok := strings.CutPrefix(named, "~/"); ok {
		named = filepath.Join(home, rest)
	}
	if filepath.IsAbs(named) {
		return []string{named}
	}
	return []string{filepath.Join(configs, "git", "ignore")}
}
