package gotest

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

// env is what the go command and the test binaries need beyond the fence's environment.
func (s *setup) env(v observe.Variation) []string {
	r := s.req
	flags := append(inheritedFlags(r.Env), "-overlay="+overlayFile, "-count=1", "-buildvcs=false")
	if v.NoVet {
		flags = append(flags, "-vet=off")
	}
	if v.Seed != 0 {
		flags = append(flags, "-shuffle="+shuffle(v.Seed))
	}
	env := []string{
		"LANE_EVENTS=3",
		"GOFLAGS=" + strings.Join(flags, " "),
		"GOROOT=" + s.tc.root,
		"GOENV=off",
		"GOTOOLCHAIN=local",
		"GOPROXY=off",
		"GOSUMDB=off",
		"GOVCS=*:off",
		"GOCACHE=" + r.Cache,
		"GOPATH=" + envValue(r.Env, "GOPATH", path.Join(r.Home, "go")),
		// Without it the go command starts a process of its own that gathers counters below HOME.
		"TEST_TELEMETRY_DIR=" + telemetryDir,
	}
	if !s.cgo() {
		env = append(env, "CGO_ENABLED=0")
	}
	if s.scan.noMod {
		env = append(env, "GO111MODULE=off")
	}
	if s.scan.noWork {
		env = append(env, "GOWORK=off")
	}
	return env
}

// shuffle is the value of the flag for a seed.
func shuffle(seed uint64) string { return strconv.FormatUint(max(1, seed&(1<<62-1)), 10) }

// inheritedFlags keeps what the closure's own GOFLAGS say of building, such as -mod=vendor.
func inheritedFlags(env []string) []string {
	var flags []string
	for _, f := range strings.Fields(envValue(env, "GOFLAGS", "")) {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if slices.Contains(buildFlags, name) && name != "C" && name != "vet" {
			flags = append(flags, f)
		}
	}
	return flags
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

func envValue(env []string, key, def string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			return v
		}
	}
	return def
}

// inTree resolves dir as a command in the box at cwd would; the result is relative to the tree.
func inTree(cwd, dir, box string) (string, bool) {
	if path.IsAbs(dir) {
		rest, ok := strings.CutPrefix(path.Clean(dir)+"/", box+"/")
		return path.Clean("./" + rest), ok
	}
	rel := path.Join(cwd, dir)
	return rel, rel != ".." && !strings.HasPrefix(rel, "../")
}
