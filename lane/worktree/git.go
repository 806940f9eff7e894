package worktree

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// gitCall is one run of the git program, against a git directory of Lane's own. It never sees the
// user's git directory, nor any configuration but the one here.
type gitCall struct {
	gitDir   string
	workTree string // "" for none; also the folder that git runs in
	index    string // "" for none
	objects  string // where objects are written; "" for the git directory's
	borrow   []string
	config   []string // further key=value
	stdin    io.Reader
}

// gitConfig rules out every program that a repository could name, and every setting that changes what is
// written where.
var gitConfig = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false", "core.attributesFile=/dev/null",
	"core.autocrlf=false", "core.eol=lf", "core.safecrlf=false", "core.symlinks=true", "core.fileMode=true", "core.ignoreCase=false",
	"core.protectHFS=true", "core.protectNTFS=true", "core.looseCompression=1", "core.fsync=none", "index.sparse=false", "core.splitIndex=false",
	"gc.auto=0", "maintenance.auto=false", "protocol.allow=never", "submodule.recurse=false", "diff.external=", "advice.addEmbeddedRepo=false",
}

// git runs git and returns what it printed.
func (r *Repo) git(ctx context.Context, c gitCall, args ...string) ([]byte, error) {
	program := r.o.Git
	if program == "" {
		program = "git"
	}
	program, err := exec.LookPath(program)
	if err != nil {
		return nil, refuse(GitNeeded, "install git", "run git %s: there is no git", args[0])
	}
	full := []string{"--no-pager", "--no-optional-locks", "--no-replace-objects"}
	for _, setting := range append(gitConfig[:len(gitConfig):len(gitConfig)], c.config...) {
		full = append(full, "-c", setting)
	}
	cmd := exec.CommandContext(ctx, program, append(full, args...)...)
	cmd.Dir = c.workTree
	cmd.Env = c.environment()
	cmd.Stdin = c.stdin
	var out bytes.Buffer
	stderr := &tail{most: 4096}
	cmd.Stdout, cmd.Stderr = &out, stderr
	cmd.WaitDelay = 5 * time.Second
	ownSession(cmd)
	start := time.Now()
	err = cmd.Run()
	r.o.log().Debug("git", "args", args, "took", time.Since(start), "err", err)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, &gitError{command: args[0], cause: err, exit: cmd.ProcessState.ExitCode(), said: strings.TrimSpace(string(stderr.data))}
	}
	return out.Bytes(), nil
}

// gitError says how a git call failed.
type gitError struct {
	command string
	cause   error
	exit    int // -1 where a signal ended it or it never ran
	said    string
}

func (e *gitError) Error() string {
	return fmt.Sprintf("run git %s: %v: %s", e.command, e.cause, e.said)
}

// environment is all that git sees. PATH is empty: git finds its own programs by itself, and there is
// no other that it should run.
func (c gitCall) environment() []string {
	env := []string{
		"PATH=/nonexistent", "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent", "LC_ALL=C", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none", "GIT_LFS_SKIP_SMUDGE=1",
		"GIT_DIR=" + c.gitDir, "GIT_NO_LAZY_FETCH=1",
	}
	if c.workTree != "" {
		env = append(env, "GIT_WORK_TREE="+c.workTree)
	}
	if c.index != "" {
		env = append(env, "GIT_INDEX_FILE="+c.index)
	}
	if c.objects != "" {
		env = append(env, "GIT_OBJECT_DIRECTORY="+c.objects)
	}
	if len(c.borrow) > 0 {
		var quoted []string
		for _, dir := range c.borrow {
			quoted = append(quoted, quotePath(dir))
		}
		env = append(env, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+strings.Join(quoted, ":"))
	}
	return env
}

// tail keeps the last bytes that are written to it.
type tail struct {
	most int
	data []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	if over := len(t.data) - t.most; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	return len(p), nil
}

// splitNUL splits what git prints with -z.
func splitNUL(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
