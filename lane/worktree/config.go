package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/config"
)

// settings are the few things that Lane asks of a user's configuration. Included files are not read.
type settings struct {
	objectFormat string
	refStorage   string
	fileMode     string
	symlinks     string
	autoCRLF     string
	eol          string
	sparse       string
	sparseCone   string
	excludesFile string
	smudges      map[string]string // filter driver -> the command that would run on checkout
}

// readSettings reads a repository's config, and config.worktree where that extension is on.
func (l layout) readSettings() (settings, error) {
	s := settings{smudges: map[string]string{}}
	cfg, err := decodeConfig(filepath.Join(l.commonDir, "config"))
	if err != nil {
		return s, err
	}
	s.take(cfg)
	if strings.EqualFold(cfg.Section("extensions").Option("worktreeConfig"), "true") {
		own, err := decodeConfig(filepath.Join(l.gitDir, "config.worktree"))
		if err != nil {
			return s, err
		}
		s.take(own)
	}
	return s, nil
}

func decodeConfig(path string) (*config.Config, error) {
	cfg := config.New()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return cfg, nil
	}
	if err != nil {
		return nil, refuse(UnreadableSource, "", "read git configuration: %v", err)
	}
	defer f.Close()
	if err := config.NewDecoder(f).Decode(cfg); err != nil {
		return nil, refuse(UnsupportedSource, "", "read git configuration %s: %v", path, err)
	}
	return cfg, nil
}

func (s *settings) take(cfg *config.Config) {
	set := func(to *string, section, key string) {
		if v := cfg.Section(section).Option(key); v != "" {
			*to = strings.ToLower(v)
		}
	}
	set(&s.objectFormat, "extensions", "objectFormat")
	set(&s.refStorage, "extensions", "refStorage")
	set(&s.fileMode, "core", "fileMode")
	set(&s.symlinks, "core", "symlinks")
	set(&s.autoCRLF, "core", "autocrlf")
	set(&s.eol, "core", "eol")
	set(&s.sparse, "core", "sparseCheckout")
	set(&s.sparseCone, "core", "sparseCheckoutCone")
	if v := cfg.Section("core").Option("excludesFile"); v != "" {
		s.excludesFile = v
	}
	for _, sub := range cfg.Section("filter").Subsections {
		for _, key := range []string{"smudge", "process"} {
			// `cat` is how git's manual writes a filter that works in the other direction only.
			if v := strings.TrimSpace(sub.Option(key)); v != "" && v != "cat" {
				s.smudges[sub.Name] = v
			}
		}
	}
}

// supported refuses a repository whose format go-git cannot read.
func (s settings) supported(where string) error {
	switch {
	case s.objectFormat != "" && s.objectFormat != "sha1":
		return refuse(UnsupportedSource, "", "open repository %s: its objects are named by %s; lane reads SHA-1 repositories", where, strings.ToUpper(s.objectFormat))
	case s.refStorage != "" && s.refStorage != "files":
		return refuse(UnsupportedSource, "git refs migrate --ref-format=files, in a clone", "open repository %s: its refs are stored as %s; lane reads files", where, s.refStorage)
	}
	return nil
}
