package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// layout is where the parts of a repository lie. All paths are absolute and free of symbolic links.
type layout struct {
	gitDir    string // HEAD and index of this worktree
	commonDir string // refs, config and objects, shared by all worktrees
	workTree  string // "" for a bare repository
}

// discover finds the repository that path lies in, as git does: path may be the top of a working
// tree, any folder or file below it, a linked worktree, a submodule, or a bare repository.
func discover(path string) (layout, error) {
	dir, err := filepath.Abs(path)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return layout{}, refuse(UnreadableSource, "", "open repository %s: %v", path, err)
		}
		return layout{}, refuse(NotARepository, "", "open repository %s: %v", path, err)
	}
	for {
		l, found, err := layoutAt(dir)
		if found || err != nil {
			return l, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return layout{}, refuse(NotARepository, "name a folder of a git repository, or make one: git init", "open repository %s: neither it nor a folder above it is a git repository", path)
		}
		dir = parent
	}
}

func layoutAt(dir string) (l layout, found bool, err error) {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Stat(dotGit)
	switch {
	case err == nil && info.IsDir() && isGitDir(dotGit):
		l, err = layoutOf(dotGit, dir)
		return l, true, err
	case err == nil && info.Mode().IsRegular():
		gitDir, err := readGitFile(dotGit)
		if err != nil {
			return l, false, err
		}
		l, err = layoutOf(gitDir, dir)
		return l, true, err
	case isGitDir(dir):
		workTree := ""
		if filepath.Base(dir) == ".git" {
			workTree = filepath.Dir(dir)
		}
		l, err = layoutOf(dir, workTree)
		return l, true, err
	case errors.Is(err, fs.ErrPermission):
		return l, false, refuse(UnreadableSource, "", "open repository: %v", err)
	}
	return l, false, nil
}

// isGitDir looks for what every git directory has; a linked worktree's has a commondir instead of objects.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	if _, err := os.Stat(filepath.Join(dir, "commondir")); err == nil {
		return true
	}
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// readGitFile follows the .git file of a linked worktree or a submodule.
func readGitFile(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", refuse(UnreadableSource, "", "open repository: %v", err)
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	if !ok {
		return "", refuse(NotARepository, "", "open repository: %s is neither a folder nor names one", path)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), target)
	}
	if !isGitDir(target) {
		return "", refuse(NotARepository, "if the repository has moved: git worktree repair", "open repository: %s points to %s, which is no git repository", path, target)
	}
	return target, nil
}

func layoutOf(gitDir, workTree string) (layout, error) {
	gitDir, err := filepath.EvalSymlinks(gitDir)
	if err != nil {
		return layout{}, refuse(UnreadableSource, "", "open repository: %v", err)
	}
	l := layout{gitDir: gitDir, commonDir: gitDir, workTree: workTree}
	data, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return layout{}, refuse(UnreadableSource, "", "open repository: %v", err)
	}
	common := strings.TrimRight(string(data), "\r\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitDir, common)
	}
	if l.commonDir, err = filepath.EvalSymlinks(common); err != nil {
		return layout{}, refuse(NotARepository, "if the repository has moved: git worktree repair", "open repository: %v", err)
	}
	return l, nil
}

// objectFolders lists the object folders that a repository reads from: its own and, in turn, those
// that it borrows from. Folders that are not there are left out, as git does.
func (l layout) objectFolders() []string {
	var folders []string
	seen := map[string]bool{}
	var add func(dir string, depth int)
	add = func(dir string, depth int) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || seen[real] || depth > 5 { // git's own bound
			return
		}
		seen[real] = true
		folders = append(folders, real)
		data, err := os.ReadFile(filepath.Join(real, "info", "alternates"))
		if err != nil {
			return
		}
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			if line[0] == '"' {
				line = unquotePath(line)
			}
			if !filepath.IsAbs(line) {
				line = filepath.Join(real, line)
			}
			add(line, depth+1)
		}
	}
	add(filepath.Join(l.commonDir, "objects"), 0)
	return folders
}
