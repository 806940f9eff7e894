package gotest

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

// Where the reporter's files lie in the box.
const (
	overlayFile  = "/lane/go/overlay.json"
	testingDir   = "/lane/go/testing/"
	canaryDir    = "/lane/go/src/"
	telemetryDir = "/lane/go/telemetry"
)

// vetSeesOverlays is the first release of Go (as its minor number) whose vet reads files through -overlay.
const vetSeesOverlays = 24

// Reporter makes go test report. The zero value is ready.
type Reporter struct{}

// Name is "go".
func (Reporter) Name() string { return "go" }

// Class is InProcess.
func (Reporter) Class() observe.Class { return observe.InProcess }

// Claims reports whether argv is "go test".
func (Reporter) Claims(argv []string) bool {
	_, ok := parseCommand(argv)
	return ok
}

// Instrument plans one run.
func (Reporter) Instrument(r observe.Request) (observe.Plan, error) {
	s, err := prepare(r)
	if err != nil {
		return observe.Plan{}, err
	}
	defer s.close()
	return s.plan()
}

func (s *setup) plan() (observe.Plan, error) {
	canaries, err := s.canaries()
	if err != nil {
		return observe.Plan{}, err
	}
	files, err := s.files(canaries)
	if err != nil {
		return observe.Plan{}, err
	}
	r := s.req
	return s.vary(observe.Variation{Seed: r.Seed, Select: r.Select, FailFast: r.FailFast, NoVet: r.NoVet}, canaries, files)
}

// vary plans one run of what is prepared. It reads nothing: the tree may be closed.
func (s *setup) vary(v observe.Variation, canaries []*canaryFile, files map[string][]byte) (observe.Plan, error) {
	v.NoVet = v.NoVet || s.tc.minor < vetSeesOverlays
	p := observe.Plan{
		Builds: true,
		Argv:   slices.Clone(s.req.Argv), Env: s.env(v), Files: files, Class: observe.InProcess,
		Known: s.scan.known, Selectable: s.cmd != nil, Notes: slices.Concat(s.notes, s.scan.notes),
		Vary: func(v observe.Variation) (observe.Plan, error) { return s.vary(v, canaries, files) },
	}
	p.SetNaming(Join, Parent)
	switch {
	case s.cmd == nil && (v.Select != nil || v.FailFast):
		return p, fmt.Errorf("plan go test: tests of %q cannot be selected: it is not go test itself", strings.Join(s.req.Argv, " "))
	case v.FailFast && v.Select == nil && len(canaries) > 0:
		return p, fmt.Errorf("plan go test: a canary would end a run that stops at the first failure")
	}
	units := s.scan.units
	var err error
	if v.Select != nil {
		if units, err = s.selectUnits(v.Select); err != nil {
			return p, err
		}
	}
	if v.FailFast {
		canaries = nil
	}
	canaries = canariesOf(units, canaries)
	for _, c := range canaries {
		p.Canaries = append(p.Canaries, c.canary)
	}
	if s.cmd == nil {
		return p, nil
	}
	p.Argv = s.rewrite(v, units, canaries)
	p.Source, p.Asked = make(map[string][]string), make(map[string][]string)
	asked := filterOf(p.Argv)
	for _, u := range units {
		p.Expected = append(p.Expected, u.id)
		p.Source[u.id], p.Asked[u.id] = u.tests, asked.surely(u.tests)
	}
	if s.req.Canaries && s.cmd.on("failfast") {
		p.Notes = append(p.Notes, "-failfast is left out of runs with canaries, which would end at the first of them")
	}
	return p, nil
}

func canariesOf(units []*unit, all []*canaryFile) []*canaryFile {
	var list []*canaryFile
	for _, c := range all {
		if slices.ContainsFunc(units, func(u *unit) bool { return u.id == c.canary.Unit }) {
			list = append(list, c)
		}
	}
	return list
}

// selectUnits returns the units that hold the selected tests.
func (s *setup) selectUnits(ids []string) ([]*unit, error) {
	var units []*unit
	for _, id := range ids {
		name, _, ok := s.split(id)
		i := slices.IndexFunc(s.scan.units, func(u *unit) bool { return u.id == name })
		if !ok || i < 0 {
			return nil, fmt.Errorf("select %s: no package of this command holds it", id)
		}
		if !slices.Contains(units, s.scan.units[i]) {
			units = append(units, s.scan.units[i])
		}
	}
	return units, nil
}

// split takes an id apart by the units that are known, which is exact, else by its form.
func (s *setup) split(id string) (unit, test string, ok bool) {
	for _, u := range s.scan.units {
		if test, ok := strings.CutPrefix(id, u.id+"."); ok && !strings.Contains(Top(test), ".") {
			return u.id, test, true
		}
	}
	return Split(id)
}

// canaries makes one canary for each unit.
func (s *setup) canaries() ([]*canaryFile, error) {
	if !s.req.Canaries {
		return nil, nil
	}
	skip, flat := "", false
	if s.cmd != nil {
		skip, _ = s.cmd.flag("skip")
		run, _ := s.cmd.flag("run")
		flat = strings.Contains(run, "/") || strings.Contains(skip, "/")
	}
	var list []*canaryFile
	for _, u := range s.scan.units {
		c, err := makeCanary(u, s.scan, s.req.CanarySeed, skip, flat)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// rewrite makes the argv of the run.
func (s *setup) rewrite(v observe.Variation, units []*unit, canaries []*canaryFile) []string {
	cmd := s.cmd.clone()
	if v.Seed != 0 {
		cmd.drop("shuffle") // GOFLAGS has it
	}
	if v.NoVet {
		cmd.drop("vet")
	}
	if s.req.Canaries {
		cmd.drop("failfast")
	}
	if v.FailFast {
		cmd.set("failfast", "true")
	}
	run, filtered := cmd.flag("run")
	if v.Select != nil {
		run, filtered = s.selection(v.Select, run), true
		var packages []string
		for _, u := range units {
			packages = append(packages, s.packageArg(u.dir))
		}
		cmd.setPackages(packages)
	}
	if filtered {
		if len(canaries) > 0 {
			var names []string
			for _, c := range canaries {
				names = append(names, regexp.QuoteMeta(c.name))
			}
			run += "|^(" + strings.Join(names, "|") + ")$"
		}
		cmd.set("run", run)
	}
	return cmd.argv()
}

// selection is the -run of the selected tests. Where the command's own -run reaches into subtests, that part is kept.
func (s *setup) selection(ids []string, own string) string {
	var tops []string
	for _, id := range ids {
		_, test, _ := s.split(id)
		tops = append(tops, regexp.QuoteMeta(Top(test)))
	}
	slices.Sort(tops)
	run := "^(" + strings.Join(slices.Compact(tops), "|") + ")$"
	if _, below, ok := strings.Cut(own, "/"); ok && !strings.ContainsAny(own, "|[(") {
		run += "/" + below
	}
	return run
}

// packageArg names a folder of the tree as seen from where the command runs.
func (s *setup) packageArg(dir string) string {
	return relativeTo(s.scan.cwd, dir)
}

func relativeTo(from, to string) string {
	if from == to {
		return "."
	}
	if from == "." {
		return "./" + to
	}
	up := ""
	for from != "." && to != from && !strings.HasPrefix(to, from+"/") {
		up += "../"
		from = path.Dir(from)
	}
	if from != "." {
		to = strings.TrimPrefix(strings.TrimPrefix(to, from), "/")
	}
	if up == "" {
		return "./" + to
	}
	return path.Clean(up + to)
}

// files are the overlay and what it lays.
func (s *setup) files(canaries []*canaryFile) (map[string][]byte, error) {
	patched, err := patchTesting(s.tc.version, func(name string) ([]byte, error) { return s.tc.readStd("src/testing/" + name) })
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	replace := make(map[string]string)
	for name, b := range patched {
		files[testingDir+name] = b
		replace[path.Join(s.tc.root, "src/testing", name)] = testingDir + name
	}
	for i, c := range canaries {
		at := canaryDir + strconv.Itoa(i) + ".go"
		files[at] = c.source
		replace[path.Join(s.req.TreeBox, c.path)] = at
	}
	files[telemetryDir+"/mode"] = []byte("off 2024-01-01\n")
	files[overlayFile], err = addOverlay(nil, replace)
	return files, err
}

// addOverlay adds to an overlay as the go command reads it; nil is an empty one.
func addOverlay(old []byte, replace map[string]string) ([]byte, error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	if old != nil {
		if err := json.Unmarshal(old, &overlay); err != nil {
			return nil, fmt.Errorf("read overlay: %w", err)
		}
	}
	maps.Copy(overlay.Replace, replace)
	text, err := json.MarshalIndent(overlay, "", "\t")
	if err != nil {
		return nil, fmt.Errorf("write overlay: %w", err)
	}
	return text, nil
}

var _ observe.Reporter = Reporter{}
