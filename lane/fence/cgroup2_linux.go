//go:build amd64 || arm64

package fence

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// unifiedControllers are those that a box's limits need.
var unifiedControllers = []string{"memory", "pids"}

// newUnifiedGroup makes a group of the second version and says which controllers it has. A group there has children with
// controllers only while no process is in it itself. So the box's group comes beside this process's own, where whoever made that
// lets this process make another, as systemd does for what a user's manager runs; or below it, where that is the root, for which
// the rule does not hold. This process is never moved: others may count on where it is.
func newUnifiedGroup(pid int) (dir string, controllers []string) {
	own, err := ownUnifiedGroup()
	if err != nil {
		return "", nil
	}
	for _, parent := range []string{filepath.Dir(own), own} {
		if len(enabled(parent)) == 0 && parent == own {
			// refused but for the root, and for a group that this process is not in
			for _, c := range unifiedControllers {
				_ = writeControl(parent, "cgroup.subtree_control", "+"+c)
			}
		}
		controllers := enabled(parent)
		if len(controllers) == 0 {
			continue
		}
		if dir := makeGroup(parent, pid); dir != "" {
			return dir, controllers
		}
	}
	return "", nil
}

// ownUnifiedGroup is the folder of this process's group of the second version, whose hierarchy is mounted alone or beside those
// of the first.
func ownUnifiedGroup() (string, error) {
	own, err := ownPath(func(id, controllers string) bool { return id == "0" && controllers == "" })
	if err != nil {
		return "", err
	}
	for _, mount := range []string{cgroupRoot, filepath.Join(cgroupRoot, "unified")} {
		if _, err = os.Stat(filepath.Join(mount, "cgroup.controllers")); err == nil {
			return groupFolder(mount, own)
		}
	}
	return "", err
}

// enabled are the controllers, of those that are needed, that children of a group get.
func enabled(parent string) []string {
	data, err := os.ReadFile(filepath.Join(parent, "cgroup.subtree_control"))
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Fields(string(data)), func(c string) bool { return !slices.Contains(unifiedControllers, c) })
}
