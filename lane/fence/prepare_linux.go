//go:build amd64 || arm64

package fence

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// run makes the box ready, runs one command and says how it went. Where it
// answers with a failure, no process was started.
func (b *boxInit) run(req *runRequest, fds []int) reply {
	want := 2
	if req.Events {
		want++
	}
	if req.Stdin {
		want++
	}
	if len(fds) != want {
		return reply{Failed: &failure{Step: "start run", Msg: "descriptors are missing", Fatal: true}}
	}
	if f := b.prepare(req); f != nil {
		return reply{Failed: f}
	}
	result := b.execute(req, fds)
	if result.Census.After != 0 {
		return reply{Failed: &failure{Step: "empty box", Msg: "processes do not end", Fatal: true}, Run: result}
	}
	if len(req.Collect) > 0 {
		result.Collected, result.NotCollected = collect(req.Collect, req.CollectLimit)
	}
	return reply{Run: result}
}

// prepare brings the box to the state that the command is to find.
func (b *boxInit) prepare(req *runRequest) *failure {
	if !req.Keep && !b.root.untouched() {
		if err := b.root.fresh(); err != nil {
			f := fail("reset box", err)
			f.Fatal = true
			return f
		}
	}
	b.root.used = true
	for _, name := range slices.Backward(b.runFiles) {
		if err := b.root.files.Remove(name); err != nil {
			f := fail("remove files of the last run", err)
			f.Fatal = true
			return f
		}
	}
	made, err := layFiles(b.root.files, req.Files, b.boxTime)
	b.runFiles = made
	if err != nil {
		return fail("write files of the run", err)
	}
	return fail("change tree", applyChanges(req.Overlay, b.boxTime))
}

// environment is the fixed part, then the box's, then the run's own; the last
// value of a name wins.
func (b *boxInit) environment(req *runRequest) []string {
	env := []string{
		"HOME=" + HomeDir,
		"LANG=C.UTF-8",
		"LOGNAME=lane",
		"PATH=" + strings.Join(b.config.Path, ":"),
		fmt.Sprintf("SOURCE_DATE_EPOCH=%d", b.boxTime.Unix()),
		"TMPDIR=/tmp",
		"TZ=UTC",
		"USER=lane",
	}
	env = append(append(env, b.config.Env...), req.Env...)
	if req.Events {
		env = append(env, "LANE_EVENTS=3")
	}
	at := map[string]int{}
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if i, ok := at[name]; ok {
			out[i] = kv
			continue
		}
		at[name] = len(out)
		out = append(out, kv)
	}
	return out
}

// workDirectory is where the command starts.
func workDirectory(dir string) string {
	if dir == "" {
		return TreeDir
	}
	if path.IsAbs(dir) {
		return path.Clean(dir)
	}
	return path.Join(TreeDir, dir)
}

// lookUp finds the program as a shell in the box would. The error is for the
// person who wrote the command.
func lookUp(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		full := name
		if !path.IsAbs(full) {
			full = path.Join(dir, name)
		}
		if st, err := os.Stat(full); err != nil {
			return "", fmt.Errorf("no command %s in the box", full)
		} else if st.IsDir() {
			return "", fmt.Errorf("%s is a folder", full)
		}
		return full, nil
	}
	var search string
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			search = v
		}
	}
	for _, d := range strings.Split(search, ":") {
		if !path.IsAbs(d) {
			continue
		}
		full := path.Join(d, name)
		if st, err := os.Stat(full); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return full, nil
		}
	}
	if search == "" {
		return "", fmt.Errorf("no command %s: the box has no PATH", name)
	}
	return "", fmt.Errorf("no command %s in %s", name, search)
}
