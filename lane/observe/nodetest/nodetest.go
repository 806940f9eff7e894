package nodetest

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

// Where the observer lies in the box.
const (
	observerFile = "/lane/node/observe.cjs"
	planFile     = "/lane/node/plan.json"
)

//go:embed observe.cjs
var observer []byte

// Reporter makes node --test report. The zero value is ready.
type Reporter struct{}

// Name is "node".
func (Reporter) Name() string { return "node" }

// Class is InProcess.
func (Reporter) Class() observe.Class { return observe.InProcess }

// Claims reports whether argv is "node --test". What a script of package.json runs is the tree's own secret: for "npm test"
// a spec says reporter = "node".
func (Reporter) Claims(argv []string) bool {
	_, ok := parseCommand(argv)
	return ok
}

// setup is what all plans of one request have in common.
type setup struct {
	req      observe.Request
	cmd      *command // nil where the command is not node --test itself
	find     finder
	canaries map[string][]canary // by unit
	titles   map[string][]string // by unit
	options  string              // NODE_OPTIONS of the task
	notes    []string
}

// plan is what the observer reads.
type plan struct {
	Tree     string              `json:"tree"`
	Options  string              `json:"options,omitempty"`
	Canaries map[string][]canary `json:"canaries,omitempty"`
	Titles   map[string][]string `json:"titles,omitempty"` // names of tests by the source of each file
	Select   map[string][]string `json:"select,omitempty"`
	FailFast bool                `json:"failfast,omitempty"`
}

// Instrument plans one run.
func (Reporter) Instrument(r observe.Request) (observe.Plan, error) {
	s, err := prepare(r)
	if err != nil {
		return observe.Plan{}, err
	}
	return s.vary(observe.Variation{Seed: r.Seed, Select: r.Select, FailFast: r.FailFast})
}

func prepare(r observe.Request) (*setup, error) {
	if r.TreeBox == "" {
		r.TreeBox = "/tree"
	}
	s := &setup{req: r, options: value(r.Env, "NODE_OPTIONS")}
	if err := s.known(); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(r.TreeHost)
	if err != nil {
		return nil, fmt.Errorf("read tree: %w", err)
	}
	defer root.Close()
	s.find = finder{tree: root.FS(), cwd: path.Clean("./" + r.Dir), box: r.TreeBox}
	if cmd, ok := parseCommand(r.Argv); ok {
		if err := usable(cmd); err != nil {
			return nil, err
		}
		s.cmd = &cmd
		s.find.find(cmd.paths)
		if _, some := cmd.has("--test-shard"); some || cmd.unsure {
			s.find.doubt("only the runner knows which of its arguments are files")
		}
	} else {
		s.find.find(nil) // where canaries may go
	}
	if len(s.find.unsure) > 0 && s.cmd != nil {
		s.notes = append(s.notes, "which files node --test runs is not known before it does: "+s.find.unsure[0])
	}
	s.titles = make(map[string][]string)
	if r.Canaries {
		s.canaries = make(map[string][]canary)
	}
	for _, unit := range s.find.files {
		source := s.read(unit)
		s.titles[unit] = titles(source)
		// A file that never mentions the module can hold no canary: one that is a test as a whole, or what tests need.
		if r.Canaries && strings.Contains(source, "node:test") {
			rng := rand.New(rand.NewChaCha8(sha256.Sum256(append(r.CanarySeed[:], unit...))))
			s.canaries[unit] = makeCanaries(source, rng)
		}
	}
	return s, nil
}

// usable refuses what would leave the observer without its processes.
func usable(c command) error {
	for _, name := range []string{"--test-isolation", "--experimental-test-isolation"} {
		if v, ok := c.has(name); ok && v != "process" {
			return &observe.Unparsed{Reporter: "node", What: name + "=" + v + " runs all files in the runner's own process",
				Advice: "leave the option out: each file then has a process"}
		}
	}
	if _, ok := c.has("--watch"); ok {
		return &observe.Unparsed{Reporter: "node", What: "--watch never ends", Advice: "leave the option out"}
	}
	return nil
}

// release finds what the closure says of its Node.js: the folder of headers, or npm's package.
var release = regexp.MustCompile(`(?s)define NODE_MAJOR_VERSION (\d+).*define NODE_MINOR_VERSION (\d+)|"version": *"(\d+)\.(\d+)\.`)

// known refuses releases that are older than those that Lane knows, where the closure says which it has.
func (s *setup) known() error {
	_, host, ok := s.req.Which("node")
	if !ok {
		return nil // that the command is not there shows when it is run
	}
	above := path.Dir(path.Dir(host))
	for _, name := range []string{"include/node/node_version.h", "package.json"} {
		data, err := os.ReadFile(path.Join(above, name))
		m := release.FindSubmatch(data)
		if err != nil || m == nil {
			continue
		}
		major, _ := strconv.Atoi(string(m[1]) + string(m[3]))
		minor, _ := strconv.Atoi(string(m[2]) + string(m[4]))
		if major < 18 || major == 18 && minor < 19 || major == 19 {
			return &observe.Unparsed{Reporter: "node", What: fmt.Sprintf("Node.js %d.%d is older than Lane knows", major, minor),
				Advice: "use 18.19 or later, 20, 22 or 24"}
		}
		return nil
	}
	return nil
}

func (s *setup) vary(v observe.Variation) (observe.Plan, error) {
	p := observe.Plan{
		Argv: slices.Clone(s.req.Argv), Class: observe.InProcess, Selectable: s.cmd != nil, Notes: slices.Clone(s.notes), Vary: s.vary,
		Known: s.cmd != nil && len(s.find.unsure) == 0,
		Env:   s.observed(),
	}
	p.SetNaming(Join, Parent)
	units, say := s.find.files, plan{Tree: s.req.TreeBox, Options: s.options, FailFast: v.FailFast, Titles: s.titles}
	switch {
	case s.cmd == nil && v.Select != nil:
		return p, fmt.Errorf("plan node --test: tests of %q cannot be selected: it is not node --test itself", strings.Join(s.req.Argv, " "))
	case v.FailFast && v.Select == nil && s.canaries != nil:
		return p, fmt.Errorf("plan node --test: a canary would end a run that stops at the first failure")
	case s.cmd != nil && v.Select != nil:
		units, say.Select = s.chosen(v.Select)
		p.Known = true
	}
	if p.Known {
		p.Expected = units
	}
	if s.canaries != nil && !v.FailFast {
		say.Canaries = make(map[string][]canary)
		for _, u := range units {
			if len(s.canaries[u]) > 0 {
				say.Canaries[u] = s.canaries[u]
			}
			for _, c := range s.canaries[u] {
				p.Canaries = append(p.Canaries, observe.Canary{ID: Join(u, c.Name), Unit: u})
			}
		}
	}
	if s.cmd != nil {
		p.Argv = s.argv(v, &p)
	}
	data, err := json.Marshal(say)
	if err != nil {
		return p, fmt.Errorf("plan node --test: %w", err)
	}
	p.Files = map[string][]byte{observerFile: observer, planFile: data}
	return p, nil
}

// observed are the variables that put the observer into each process of Node.js.
func (s *setup) observed() []string {
	return []string{"LANE_EVENTS=3", "NODE_OPTIONS=" + strings.TrimSpace("--require="+observerFile+" "+s.options)}
}

// chosen are the files of the selected tests, and per file the outermost names of them.
func (s *setup) chosen(ids []string) (units []string, tops map[string][]string) {
	tops = make(map[string][]string)
	for _, id := range ids {
		unit, test := split(id)
		if tops[unit] == nil {
			units = append(units, unit)
		}
		if name := top(test); !slices.Contains(tops[unit], name) {
			tops[unit] = append(tops[unit], name)
		}
	}
	slices.Sort(units)
	return units, tops
}

// argv is the command of a run.
func (s *setup) argv(v observe.Variation, p *observe.Plan) []string {
	flags, paths := s.cmd.flags, s.cmd.paths
	if v.Select != nil {
		// The observer leaves out what else matches.
		flags = s.cmd.without("--test-name-pattern", "--test-skip-pattern", "--test-only", "--test-shard")
		units, tops := s.chosen(v.Select)
		paths = nil
		var patterns []string
		for _, u := range units {
			paths = append(paths, s.argument(u))
			for _, name := range tops[u] {
				if name != whole {
					patterns = append(patterns, "--test-name-pattern="+namePattern(name))
				}
			}
		}
		slices.Sort(patterns)
		flags = append(flags, slices.Compact(patterns)...)
	}
	if _, filtered := s.cmd.has("--test-name-pattern"); filtered && v.Select == nil && !v.FailFast {
		for _, k := range p.Canaries {
			_, name := split(k.ID)
			flags = append(slices.Clone(flags), "--test-name-pattern="+namePattern(name))
		}
	}
	if v.Seed != 0 {
		if s.randomizes() {
			flags = append(slices.Clone(flags), "--test-randomize", "--test-random-seed="+strconv.FormatUint(v.Seed&(1<<32-1), 10))
		} else {
			p.Notes = append(p.Notes, "the order of tests is not varied: this release of Node.js has no --test-randomize")
		}
	}
	return slices.Concat([]string{s.cmd.program}, flags, paths)
}

// argument names a file as seen from where the command runs, so that no name can be taken for an option.
func (s *setup) argument(file string) string {
	from, up := s.find.cwd, ""
	for from != "." && !strings.HasPrefix(file, from+"/") {
		from, up = path.Dir(from), up+"../"
	}
	if from != "." {
		file = strings.TrimPrefix(file, from+"/")
	}
	if up == "" {
		up = "./"
	}
	return up + file
}

// numbered is what the observer appends to a name that comes again, and how the names of some tests end by themselves.
var numbered = regexp.MustCompile(` #\d+$`)

// namePattern is an expression of JavaScript for the name of a test as the observer tells it.
func namePattern(name string) string {
	end := `\s*$`
	if at := numbered.FindStringIndex(name); at != nil {
		name, end = name[:at[0]], `(\s+`+name[at[0]+1:]+`)?`+end
	}
	if cut, ok := strings.CutSuffix(name, "…"); ok {
		name, end = cut, ""
	}
	var b strings.Builder
	for _, r := range name {
		switch {
		case strings.ContainsRune(`\^$.*+?()[]{}|/`, r):
			b.WriteString(`\` + string(r))
		case r == ' ':
			b.WriteString(`\s+`)
		case r == '›':
			b.WriteString(`[›>]`)
		case r < ' ': // no argument of a command can hold a zero
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `^\s*` + b.String() + end
}

// randomizes reports whether the closure's Node.js can shuffle its tests: the option's name is in the program then.
func (s *setup) randomizes() bool {
	_, host, ok := s.req.Which(s.cmd.program)
	if !ok {
		return false
	}
	found, err := contains(host, "--test-random-seed")
	return err == nil && found
}

func value(env []string, key string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			return v
		}
	}
	return ""
}

var _ observe.Reporter = Reporter{}
