package spec

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vallane/lane/lane/spec/position"
)

// What a change may be (the key change).
const (
	ChangeFeature  = "feature"
	ChangeFix      = "fix"
	ChangeRefactor = "refactor" // behaviour stays: no test of it need fail on base
	ChangeRemoval  = "removal"
	ChangeTree     = "tree" // no change: verify what is there
)

// Changes lists what a change may be.
func Changes() []string {
	return []string{ChangeFeature, ChangeFix, ChangeRefactor, ChangeRemoval, ChangeTree}
}

// What shows that a criterion is met (criterion.kind).
const (
	KindTest     = "test"
	KindDeploy   = "deploy"
	KindManual   = "manual"    // reported as unverifiable, never as met
	KindBlackBox = "black-box" // seen from outside only, against code that looks at its caller
	KindTarget   = "target"    // seen at the running target, by tasks of kind api or browser
)

// Worktree as Source.Head means the files as they lie in the folder, committed
// or not.
const Worktree = "WORKTREE"

// Where commands run (env.fence), and how the tree gets into the box (env.tree).
const (
	FenceLocal     = "local"
	FenceWASI      = "wasi"
	FenceContainer = "container"

	TreeOverlay = "overlay"
	TreeCopy    = "copy" // for suites that rename folders of their tree, which an overlay refuses with EXDEV
)

// What stability runs vary (stability.vary).
const (
	VaryOrder    = "order"
	VaryTimezone = "timezone"
	VaryHashSeed = "hash-seed"
)

// Which code is mutated (mutation.scope).
const (
	ScopeDiff     = "diff"
	ScopeCriteria = "criteria"
	ScopeAll      = "all"
)

// Spec is one spec, checked, with its defaults filled in. Of the fields of a
// key's name, Reference says what they mean.
type Spec struct {
	Name string `json:"-"` // the file's name as given to Parse, for messages

	ID         string       `json:"id"`
	Title      string       `json:"title"`  // the id where the file gives none
	Change     string       `json:"change"` // one of the Change constants
	Source     Source       `json:"source"`
	Env        Env          `json:"env"`
	Criteria   []Criterion  `json:"criteria"`
	Tasks      []Task       `json:"tasks"` // at least one
	Services   []Service    `json:"services,omitempty"`
	Target     *Target      `json:"target,omitempty"` // nil for none
	Tests      Tests        `json:"tests"`
	Hidden     *Hidden      `json:"hidden,omitempty"` // nil where the file has no [hidden]
	Stability  Stability    `json:"stability"`
	Mutation   Mutation     `json:"mutation"`
	Deploy     Deploy       `json:"deploy,omitzero"`
	Downstream []Downstream `json:"downstream,omitempty"`
	Limits     Limits       `json:"limits"`
	Assurance  Assurance    `json:"assurance"`

	// Defaults holds the path of every key that was left at its default,
	// such as "source.base" or "task[0].timeout".
	Defaults map[string]bool `json:"-"`
	// Digest is the SHA-256 of what the spec means: two files that differ in
	// comments, order of keys or spelled-out defaults have the same.
	Digest [32]byte `json:"-"`
	// FileDigest is the SHA-256 of the bytes given to Parse.
	FileDigest [32]byte `json:"-"`

	index *position.Index
}

// Source says which change of which repository is verified.
type Source struct {
	Repo string `json:"repo"` // "." is the repository that holds the spec; else a path or URL
	// Base is what head is compared with, from the merge-base of the two.
	// Where Defaults has "source.base" and the repository has no branch
	// "main", its default branch is meant.
	Base  string `json:"base"`
	Head  string `json:"head"`  // a branch, tag or commit, or Worktree; "" where Patch is set
	Patch string `json:"patch"` // a file beside the spec, applied onto base; "" for none
	Git   bool   `json:"git"`   // give the tree in the box a fresh repository of one commit
}

// Env says what the tasks run in.
type Env struct {
	Flake  string     `json:"flake"`  // FOLDER#ATTRIBUTE; Task.FlakeRef takes it apart
	Extras []string   `json:"extras"` // globs of further files that the flake reads
	Accept []string   `json:"accept"` // "sha256:HEX" of the flake's files as a change may bring them
	Fetch  [][]string `json:"fetch"`  // commands of the fetch phase
	Allow  []string   `json:"allow"`  // HOST:PORT pairs that the fetch phase may reach
	Tree   string     `json:"tree"`   // TreeOverlay or TreeCopy
	Fence  string     `json:"fence"`  // one of the Fence constants
}

// Criterion is one thing that the change has to bring about.
type Criterion struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind"` // one of the Kind constants
	Text    string   `json:"text"`
	Code    []string `json:"code"`    // globs of the code it is about; see Covers
	Tests   []string `json:"tests"`   // tests that show it
	Removes []string `json:"removes"` // tests that the change may remove
}

// Covers reports whether a file of the tree, a slash path, is code that the
// criterion is about.
func (c Criterion) Covers(path string) bool {
	return slices.ContainsFunc(c.Code, func(pattern string) bool { return Match(pattern, path) })
}

// Task is one test command.
type Task struct {
	Name     string            `json:"name"`
	Kind     string            `json:"kind,omitempty"`  // TaskAPI or TaskBrowser; "" for one that tests the tree
	Run      []string          `json:"run"`             // the command and its arguments; no shell reads it
	Build    []string          `json:"build,omitempty"` // a command that goes before Run; see Reference
	Reporter string            `json:"reporter"`
	Timeout  time.Duration     `json:"timeout"` // of one execution; above 0, at most the deadline
	Dir      string            `json:"dir"`     // slash path below the tree, "." for its root
	Env      map[string]string `json:"env"`     // variables beside those that Lane sets
	Tests    []string          `json:"tests"`   // tests that must pass
	Flake    string            `json:"flake"`   // as Env.Flake, which it defaults to
	Fetch    [][]string        `json:"fetch"`
	Allow    []string          `json:"allow"`
}

// FlakeRef returns the folder of the task's flake, a slash path below the tree
// with "." for its root, and the attribute that is the closure.
func (t Task) FlakeRef() (folder, attribute string) {
	folder, attribute, _ = strings.Cut(t.Flake, "#")
	return cleanFolder(folder), attribute
}

// Module reports whether the task's command is a WebAssembly module of the tree.
func (t Task) Module() bool { return len(t.Run) > 0 && path.Ext(t.Run[0]) == ".wasm" }

// Report returns the path that a junit:PATH reporter names, "" for the others.
func (t Task) Report() string {
	report, ok := strings.CutPrefix(t.Reporter, junitPrefix)
	if !ok {
		return ""
	}
	return report
}

// Tests names tests that belong to no criterion and no task.
type Tests struct {
	Required []string `json:"required"`
	Removes  []string `json:"removes"`
}

// Stability says how often and how differently the tests are run.
type Stability struct {
	Runs int      `json:"runs"` // at least 1
	Vary []string `json:"vary"`
}

// Mutation says which code gets mutants, and for how long.
type Mutation struct {
	Scope  string        `json:"scope"`
	Budget time.Duration `json:"budget"` // above 0
	// Baseline is the file of accepted survivors: a slash path below the spec's folder; "" = lane.mutants.toml, where there is one.
	Baseline string `json:"baseline,omitempty"`
	// Plugins make mutants of their own.
	Plugins []Plugin `json:"plugins,omitempty"`
}

// Plugin is an operator that a user brings: a WebAssembly file beside the spec.
type Plugin struct {
	Path   string `json:"path"`   // slash path below the spec's folder
	SHA256 string `json:"sha256"` // of the file, 64 hexadecimal digits in lower case
}

// Limits bound a check.
type Limits struct {
	Deadline  time.Duration `json:"deadline"` // of the whole spec; above 0
	Memory    int64         `json:"memory"`   // bytes
	Processes int           `json:"processes"`
	CPUs      int           `json:"cpus"`
}

// Assurance says what the verdict has to reach.
type Assurance struct {
	Require int      `json:"require"`           // a VAL from 0 to 3
	Protect []string `json:"protect,omitempty"` // globs of what the change may not touch; see Protects
}

// Protects reports whether a file of the tree, a slash path, is one that the
// change may not touch.
func (a Assurance) Protects(path string) bool {
	return slices.ContainsFunc(a.Protect, func(pattern string) bool { return Match(pattern, path) })
}

// RequiredNames returns the tests of the tree that a criterion, a task or
// [tests] names, sorted, each once. Where there are none, every test that passes
// on base and every test that the change adds is required.
func (s *Spec) RequiredNames() []string {
	names := slices.Clone(s.Tests.Required)
	for _, c := range s.Criteria {
		if c.Kind != KindTarget {
			names = append(names, c.Tests...)
		}
	}
	for _, t := range s.Tasks {
		if !t.OnTarget() {
			names = append(names, t.Tests...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// RemovedNames returns the tests that the spec lets the change remove, sorted,
// each once.
func (s *Spec) RemovedNames() []string {
	names := slices.Clone(s.Tests.Removes)
	for _, c := range s.Criteria {
		names = append(names, c.Removes...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Problem returns an error that points at a key of the spec's file, for what
// shows only after parsing: a fence that this build does not have, a branch
// that does not exist. A key that was left at its default is pointed at where
// it would stand.
func (s *Spec) Problem(key, msg, hint string) error {
	line, col := s.Where(key)
	return &Errors{List: []Error{{File: s.Name, Line: line, Col: col, Msg: msg, Hint: hint}}}
}

// Where returns the line and column, from 1, of the value of a key such as
// "task[0].run", or of the nearest table around it that the file holds.
func (s *Spec) Where(key string) (line, col int) {
	at := nearest(s.index, position.Path(key))
	return at.Line, at.Col
}

func nearest(x *position.Index, path position.Path) position.Pos {
	for x != nil && path != "" {
		if place, ok := x.Find(path); ok {
			return place.Value
		}
		path = path[:max(strings.LastIndexAny(string(path), ".["), 0)]
	}
	return position.Pos{Line: 1, Col: 1}
}
