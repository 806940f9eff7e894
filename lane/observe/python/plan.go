package python

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

// Where the reporter's files lie in the box, and where it may write.
const (
	boxDir     = "/lane/python/"
	scriptFile = boxDir + "lane_run.py"
	planFile   = boxDir + "plan.json"
	scratchDir = "/tmp/.lane-python"
)

//go:embed box/*.py
var box embed.FS

// boxPlan is what the script in the box reads.
type boxPlan struct {
	Kind     string             `json:"kind"`
	Unit     string             `json:"unit"`
	Tree     string             `json:"tree"`
	Scratch  string             `json:"scratch"`
	Argv     []string           `json:"argv"` // sys.argv of the runner
	Args     []string           `json:"args"`
	Path     []string           `json:"path"` // put before everything else on sys.path
	Env      map[string]*string `json:"env"`  // put back for the tests; null takes a variable away
	Canaries []boxCanary        `json:"canaries"`
	Select   []string           `json:"select"` // null selects everything
	Seed     uint64             `json:"seed"`
	FailFast bool               `json:"failfast"`
	Cover    *boxCover          `json:"cover"`
	Warm     bool               `json:"warm"`
	Fork     *boxFork           `json:"fork"`
}

type boxCover struct {
	Dirs []string `json:"dirs"` // relative to the tree; none is all of it
	Out  string   `json:"out"`
}

// setup is what all plans of one request have in common.
type setup struct {
	req         observe.Request
	cmd         command
	interpreter string
	cwd         string // relative to the tree
	canaries    []boxCanary
	typed       func(ids []string) []string
	notes       []string
}

func prepare(kind string, r observe.Request) (*setup, error) {
	if r.TreeBox == "" {
		r.TreeBox = "/tree"
	}
	if r.Cache == "" {
		r.Cache = "/cache/go-build"
	}
	c, ok := parseCommand(r.Argv)
	if !ok || c.kind != kind {
		return nil, &observe.Unparsed{
			Reporter: kind, What: fmt.Sprintf("%q is not %s itself", strings.Join(r.Argv, " "), kind),
			Advice: "write the command of the task as pytest ARGS, python3 -m pytest ARGS or python3 -m unittest ARGS",
		}
	}
	s := &setup{req: r, cmd: c, cwd: path.Clean("./" + r.Dir)}
	var err error
	if s.interpreter, err = findInterpreter(r, c); err != nil {
		return nil, err
	}
	t, err := openTree(r.TreeHost)
	if err != nil {
		return nil, err
	}
	defer t.close()
	if !t.isDir(s.cwd) {
		return nil, fmt.Errorf("read tree: no folder %s", s.cwd)
	}
	if r.Canaries {
		s.place(t)
	}
	named := c.positional(t, s.cwd)
	s.typed = func(ids []string) []string { return c.typed(r.Argv, named, s.cwd, ids) }
	if value := lookupEnv(r.Env, "PYTEST_ADDOPTS"); value != nil {
		s.notes = append(s.notes, "PYTEST_ADDOPTS has no effect: write its options into the command")
	}
	return s, nil
}

func instrument(kind string, r observe.Request) (observe.Plan, error) {
	s, err := prepare(kind, r)
	if err != nil {
		return observe.Plan{}, err
	}
	return s.vary(observe.Variation{Seed: r.Seed, Select: r.Select, FailFast: r.FailFast})
}

// vary plans one run of what is prepared.
func (s *setup) vary(v observe.Variation) (observe.Plan, error) {
	canaries := s.canaries
	if v.FailFast {
		if v.Select == nil && len(canaries) > 0 {
			return observe.Plan{}, fmt.Errorf("plan %s: a canary would end a run that stops at the first failure", s.cmd.kind)
		}
		canaries = nil
	}
	files, err := s.files(v, canaries, nil)
	if err != nil {
		return observe.Plan{}, err
	}
	p := observe.Plan{
		Argv: s.argv(), Typed: s.typed(v.Select), Env: s.env(), Files: files, Class: observe.InProcess,
		Expected: []string{s.cmd.kind}, Known: true, Selectable: true, Notes: s.notes, Vary: s.vary,
	}
	for _, c := range canaries {
		p.Canaries = append(p.Canaries, observe.Canary{ID: c.ID, Unit: s.cmd.kind})
	}
	p.SetNaming(func(_, test string) string { return test }, parentOf(s.cmd.kind))
	return p, nil
}

func parentOf(kind string) func(string) string {
	if kind == unittest {
		return parentOfCase
	}
	return parentOfNode
}

// argv starts the interpreter without the user's site folder. sys.path then holds nothing of the tree: the script's own folder,
// and what the closure itself has.
func (s *setup) argv() []string {
	argv := append([]string{s.interpreter, "-s"}, s.cmd.flags...)
	return append(argv, scriptFile, planFile, s.req.TreeBox, path.Join(s.req.Cache, "python"))
}

// sealed are the variables that could make the interpreter load something else than the closure's.
var sealed = []string{"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONPLATLIBDIR", "PYTEST_ADDOPTS"}

func (s *setup) env() []string {
	env := []string{"PYTHONDONTWRITEBYTECODE=1"}
	for _, name := range sealed {
		env = append(env, name+"=")
	}
	if lookupEnv(s.req.Env, "PYTHONHASHSEED") == nil {
		env = append(env, "PYTHONHASHSEED=0")
	}
	return env
}

func lookupEnv(env []string, key string) (value *string) {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			value = &v
		}
	}
	return value
}

// files are the script and what it is to do.
func (s *setup) files(v observe.Variation, canaries []boxCanary, more func(*boxPlan)) (map[string][]byte, error) {
	cwd := path.Join(s.req.TreeBox, s.cwd)
	p := boxPlan{
		Kind: s.cmd.kind, Unit: s.cmd.kind, Tree: s.req.TreeBox, Scratch: scratchDir, Args: nonNil(s.cmd.args), Path: []string{},
		Env: map[string]*string{}, Canaries: canaries, Select: v.Select, Seed: v.Seed, FailFast: v.FailFast,
	}
	if more != nil {
		more(&p)
	}
	if canaries == nil {
		p.Canaries = []boxCanary{}
	}
	p.Argv = append([]string{s.cmd.name}, s.cmd.args...)
	if !s.cmd.script {
		p.Argv[0] = s.cmd.name + " -m " + s.cmd.kind
		p.Path = append(p.Path, cwd) // as python -m does
	}
	for _, name := range sealed {
		p.Env[name] = nil
	}
	if value := lookupEnv(s.req.Env, "PYTHONPATH"); value != nil && *value != "" {
		p.Env["PYTHONPATH"] = value
		for _, dir := range strings.Split(*value, ":") {
			if !path.IsAbs(dir) {
				dir = path.Join(cwd, dir)
			}
			p.Path = append(p.Path, dir)
		}
	}
	data, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write plan: %w", err)
	}
	files := map[string][]byte{planFile: data}
	names, err := fs.Glob(box, "box/*.py")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if files[boxDir+path.Base(name)], err = box.ReadFile(name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
