// Package testbox gives tests a task in the real closure of a language, and lays trees where boxes can read them.
//
// It is for tests only, and not for those of lane/runner itself, which it imports.
package testbox

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/warmup"
)

// Task is a command in a closure, with two minutes for it.
func Task(c *warmup.Closure, r observe.Reporter, argv ...string) *runner.Task {
	task := &runner.Task{
		Name: "unit", Argv: argv, Timeout: 2 * time.Minute, Reporter: r, Path: c.PathDirs(),
		Time: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), Zones: filepath.Join(os.TempDir(), "lane-test-zones"),
	}
	for _, p := range c.Paths {
		task.Store = append(task.Store, fence.Mount{Host: p.Host, Box: p.StorePath})
	}
	return task
}

// Give lets boxes reach a folder of the test's, and gives all in it to the user that they run as.
func Give(t testing.TB, dir string) {
	t.Helper()
	for p := dir; p != "/" && p != os.TempDir(); p = filepath.Dir(p) {
		os.Chmod(p, 0o755)
	}
	id := fence.HostID(0)
	filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error { return os.Lchown(path, id, id) })
}
