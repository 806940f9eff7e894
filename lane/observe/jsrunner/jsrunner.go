package jsrunner

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/observe/nodetest"
)

// Where the reporters find what they need, and what they leave.
const (
	planFile = folder + "plan.json"
	outFile  = "/tmp/.lane-js-tests.json"
)

// A Reporter makes one of the runners report. The zero value is of no use; Vitest, Jest and Mocha make them.
type Reporter struct{ d *dialect }

// Vitest reports for vitest, from 0.30 on.
func Vitest() Reporter { return Reporter{vitest()} }

// Jest reports for jest, from 27 on.
func Jest() Reporter { return Reporter{jest()} }

// Mocha reports for mocha, from 8 on.
func Mocha() Reporter { return Reporter{mocha()} }

// Name is that of the runner.
func (r Reporter) Name() string { return r.d.name }

// Class is Forgeable.
func (r Reporter) Class() observe.Class { return observe.Forgeable }

// Claims reports whether argv starts the runner itself.
func (r Reporter) Claims(argv []string) bool {
	_, ok := r.d.parse(argv)
	return ok
}

// Match reports whether a pattern names the test with this id, as for tests of node:test.
func (r Reporter) Match(pattern, id string) bool { return nodetest.Reporter{}.Match(pattern, id) }

// setup is what all plans of one request have in common.
type setup struct {
	*dialect
	cmd    command
	box    string // the tree
	unsure string // why tests cannot be selected
}

func (r Reporter) prepare(q observe.Request) (*setup, error) {
	cmd, ok := r.d.parse(q.Argv)
	if !ok {
		return nil, &observe.Unparsed{Reporter: r.d.name, What: fmt.Sprintf("%q is not %s itself", strings.Join(q.Argv, " "), r.d.name),
			Advice: fmt.Sprintf("write the command that a script runs, as in run = [\"node\", \"node_modules/%s\"]", r.d.programs[0])}
	}
	s := &setup{dialect: r.d, cmd: cmd, box: q.TreeBox, unsure: cmd.unsure}
	if s.box == "" {
		s.box = "/tree"
	}
	if s.unsure == "" && s.settings != nil {
		root, err := os.OpenRoot(q.TreeHost)
		if err != nil {
			return nil, fmt.Errorf("read tree: %w", err)
		}
		defer root.Close()
		s.unsure = s.settings(root.FS(), path.Clean("./"+q.Dir))
	}
	return s, nil
}

// Instrument plans one run.
func (r Reporter) Instrument(q observe.Request) (observe.Plan, error) {
	s, err := r.prepare(q)
	if err != nil {
		return observe.Plan{}, err
	}
	return s.vary(observe.Variation{Seed: q.Seed, Select: q.Select, FailFast: q.FailFast})
}

func (s *setup) vary(v observe.Variation) (observe.Plan, error) {
	if s.unsure != "" && v.Select != nil {
		return observe.Plan{}, fmt.Errorf("plan %s: no test can be selected: %s", s.name, s.unsure)
	}
	p := observe.Plan{
		Class: observe.Forgeable, Selectable: s.unsure == "", Vary: s.vary, Collect: []string{outFile},
		Read: func(left observe.Remains) (observe.Report, error) { return read(left, v.Select) },
	}
	p.SetNaming(nodetest.Join, func(string) string { return "" })
	if s.unsure != "" {
		p.Notes = append(p.Notes, fmt.Sprintf("tests of %s are not selected: %s", s.name, s.unsure))
	}
	say := map[string]any{"tree": s.box, "out": outFile}
	// Lane's options follow the command's own words: which of these is the value of which option is not always known.
	argv, last := slices.Concat(s.cmd.start, s.cmd.args, s.report(s.cmd)), s.cmd.rest
	if v.Select != nil {
		argv = slices.Concat(s.cmd.start, s.cmd.flags, s.report(s.cmd))
		var paths []string
		for _, u := range unitsOf(v.Select) {
			paths = append(paths, path.Join(s.box, u))
		}
		say["order"] = paths
		if s.sequence != nil {
			argv = append(argv, s.sequence...)
		}
		if e := expression(v.Select); e != "" {
			argv = append(argv, s.titles+"="+e)
		}
		last = s.files(paths)
	}
	if v.FailFast && !s.cmd.has("--bail", "-b") {
		argv = append(argv, s.failFast)
	}
	if v.Seed != 0 && s.shuffle != nil {
		argv = append(argv, s.shuffle(v.Seed)...)
	} else if v.Seed != 0 {
		p.Notes = append(p.Notes, "the order of tests is not varied: no option for it is known to all releases of "+s.name)
	}
	data, err := json.Marshal(say)
	if err != nil {
		return p, fmt.Errorf("plan %s: %w", s.name, err)
	}
	p.Argv = slices.Concat(argv, last)
	p.Files = map[string][]byte{s.script: s.source, planFile: data}
	for name, text := range s.beside {
		p.Files[name] = text
	}
	return p, nil
}

const separator = " > "

// unitsOf are the files of tests, in the order of the tests.
func unitsOf(ids []string) (units []string) {
	seen := map[string]bool{}
	for _, id := range ids {
		unit, _, _ := strings.Cut(id, separator)
		if !seen[unit] {
			seen[unit] = true
			units = append(units, unit)
		}
	}
	return units
}

// maxExpression is how many bytes of titles a command line may hold; a single argument may have 128 KiB.
const maxExpression = 64 << 10

// expression is one of JavaScript for the full titles of some tests, in which the names of suites and test stand in a row; "" where no
// such expression can tell them from others, so that all tests of their files run.
func expression(ids []string) string {
	var b strings.Builder
	for i, id := range ids {
		_, test, ok := strings.Cut(id, separator)
		if !ok || len(test) > 900 || b.Len() > maxExpression {
			return "" // a file as a whole, or a name that is not told in full
		}
		if i > 0 {
			b.WriteByte('|')
		}
		for j, part := range strings.Split(test, separator) {
			if j > 0 {
				b.WriteString(`\s+(?:>\s+)?`)
			}
			b.WriteString(literal(part))
		}
	}
	return `^\s*(?:` + b.String() + `)\s*$`
}

// literal is an expression for a text, whatever blanks it has.
func literal(s string) string {
	var b strings.Builder
	blank := false
	for _, r := range s {
		space := r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == 0xA0
		switch {
		case space && !blank:
			b.WriteString(`\s+`)
		case space:
		case strings.ContainsRune(`\^$.*+?()[]{}|/`, r):
			b.WriteString(`\` + string(r))
		case r < ' ' || r == 0xFFFD:
			b.WriteString(`.`)
		default:
			b.WriteRune(r)
		}
		blank = space
	}
	return b.String()
}

var _ observe.Reporter = Reporter{}
