package observe

import "time"

// A Reporter makes one test runner report to Lane.
type Reporter interface {
	// Name is what a spec calls it, e.g. "go".
	Name() string
	// Class says how far its reports can be trusted.
	Class() Class
	// Claims reports whether argv is plainly a command of its runner, so that it may be chosen unasked.
	Claims(argv []string) bool
	// Instrument plans one run of a command. An [*Unparsed] error means that the runner is there and unknown.
	Instrument(Request) (Plan, error)
	// Match reports whether a pattern that a person wrote names the test with this id.
	Match(pattern, id string) bool
}

// A Warmer can fill the build caches that its runs use, without executing any code of the tree.
type Warmer interface {
	Warm(Request) ([]Step, error)
}

// A Coverer can find which lines each test reaches.
type Coverer interface {
	Cover(Request) (CoverPlan, error)
}

// An Explainer reads from the output of a command why units were silent. What it says is for a person: the code under test may
// have written that output, so it is never evidence.
type Explainer interface {
	Explain(output []byte) []string
}

// A Builder can build a command's test programs apart from running them, for a fence in which no compiler runs. The environment of the
// request says for which system.
type Builder interface {
	Build(Request) (Build, error)
}

// A Build is how to build the test programs of one run of a command, and how to run each.
type Build struct {
	Plan            // of the run as a whole: what it expects, its canaries and names. Its command and environment are not used
	Steps    []Step // in one box, in order: each builds the program of the same place and leaves it as the one path of Collect
	Programs []Program
}

// A Program is the tests of one unit.
type Program struct {
	Unit string
	Argv []string // begins with a name of the program, which the fence knows by it
	Dir  string   // relative to the tree
}

// Request asks for the plan of one run. Paths named Box are as the box sees them, paths named Host as Lane does.
type Request struct {
	Name string   // of the task
	Argv []string // the command of the task
	Dir  string   // where it runs, relative to the tree with slashes; "" is the tree's root

	TreeHost string // the folder that is laid at TreeBox
	TreeBox  string // default "/tree"

	// Store says where a path of the closure, as the box sees it, lies on this machine; "" where the closure lacks it. nil: the same path.
	Store func(box string) string
	Path  []string // directories of PATH, as the box sees them

	Env  []string // K=V that the task sets already; a plan adds to it, and where both name a key the plan's value is meant
	Home string   // default "/home/lane"
	// Cache is the build cache in the box; default "/cache/go-build" for Go.
	Cache string

	Canaries   bool     // join every expected unit with a test that must fail
	CanarySeed [32]byte // random bytes that choose the canaries' names, places and ways to fail; the same bytes give the same files

	Seed     uint64   // shuffles the tests; 0 leaves the order of the source
	Select   []string // ids to run and no others; nil runs all. An id of a part selects the whole top-level test
	FailFast bool     // stop at the first failure; not together with Canaries
	Cover    []string // for Coverer: folders of the tree whose lines count; nil is all of the module
	NoVet    bool     // leave out the runner's own static checks
}

// A Plan is how to run the command so that it reports.
type Plan struct {
	Argv  []string          // what to run instead of the request's Argv
	Typed []string          // what a person would type for the same tests, where Argv is of use in a box only; nil: Argv
	Dir   string            // where it runs, relative to the tree, in place of the request's; "" is the request's
	Env   []string          // K=V beyond the fence's own; on equal keys these win over the task's
	Files map[string][]byte // to be laid read-only, by absolute path in the box below /lane

	Canaries []Canary
	Expected []string // ids of the units that hold tests and that the command asks for
	Known    bool     // Expected is complete
	// Source holds, per expected unit, the names of the top-level tests in its source, whatever the command's own filter leaves out.
	Source map[string][]string
	// Asked holds those names of Source that the command's own filter is known to let run.
	Asked  map[string][]string
	Builds bool // the command compiles what it runs: its words for a failed build are its own, and not those of the code
	// Selectable says that Request.Select and FailFast can be honoured. A request with Select that cannot be honoured is an error.
	Selectable bool
	// Vary plans another run of the same request without reading the tree again. The files to lay stay the same ones, canaries included, so
	// that builds are found in the cache.
	Vary  func(Variation) (Plan, error)
	Class Class
	Notes []string // what a person should know of what was changed or could not be known

	// Read finds the tests in what a run left behind, once its last process is gone, for reporters of class Forgeable; nil where records
	// come over the descriptor. An [*Unparsed] error means that what is there cannot be counted.
	Read    func(Remains) (Report, error)
	Collect []string // absolute paths in the box that Read needs; those that are no regular files are missing from Remains.Files
	Output  int      // bytes of standard output that Read needs at most; 0 for none
	Absent  []string // paths of the tree, relative and with slashes, that are taken away before the run

	join   func(unit, test string) string
	parent func(test string) string
}

// A Variation is what one run differs in from others of the same request.
type Variation struct {
	Seed     uint64
	Select   []string
	FailFast bool // with canaries laid, only together with Select, which then leaves them out
	NoVet    bool
}

// SetNaming tells the plan's collectors how ids are made: join gives the id of a test of a unit, parent the name of the test
// that a test is a part of ("" for none). The defaults are "unit.test" and no parts.
func (p *Plan) SetNaming(join func(unit, test string) string, parent func(test string) string) {
	p.join, p.parent = join, parent
}

// Collector returns a new collector for one run of the plan.
func (p *Plan) Collector() *Collector {
	return NewCollector(Options{
		Join: p.join, Parent: p.parent,
		Expect: p.Expected, ExpectKnown: p.Known, Source: p.Source, Asked: p.Asked, Canaries: p.Canaries,
	})
}

// A Step is one command of a plan of several that run in one box, in order.
type Step struct {
	Name    string // for logs: what it does
	Argv    []string
	Env     []string
	Dir     string            // relative to the tree
	Files   map[string][]byte // as in Plan
	Collect []string          // absolute paths in the box to read when the step has ended
	Units   []string          // ids of the units that it is about
	Tests   []string          // ids of the tests that it runs
}

// A CoverPlan is a list of steps that run in one box without a reset between them; what the measuring steps leave in the
// file that they name is read with Parse.
type CoverPlan struct {
	Build   []Step // must all succeed; a unit whose build fails has no coverage
	Measure []Step // one per test, or for several where ParseEach is set; each leaves one profile, the first path of Collect
	Notes   []string
	// Parse reads the profile of one test. Files are relative to the tree, with slashes.
	Parse func(profile []byte) (Reach, error)
	// ParseEach reads a profile that tells several tests apart, by id. A test that is not in it may reach anything. nil: Parse is set.
	ParseEach func(profile []byte) (map[string]Reach, error)
}

// A Switcher can build a command's test programs once, with files of the tree replaced, and run them without building. What the
// files do with the value that a run gives them is not its business.
type Switcher interface {
	// Switch plans the programs of the request's selected tests. Files are by their paths in the tree; they need not be there.
	Switch(r Request, files map[string][]byte) (SwitchPlan, error)
}

// A SwitchPlan is how to build test programs and how to run them.
type SwitchPlan struct {
	Dir   string // absolute folder of the box: what Build writes there has to lie there in every run
	Build []Step // in one box, in order; must all succeed
	// Keep copies the tree to the folder "tree" of Dir, for a task whose own command builds it: that goes first, once, in the same box and
	// with the files of Keep. Runs then have that tree. nil: nothing is built by such a command.
	Keep *Step
	// Files lie in the box of every run, by absolute path, beside those of its plan: what is the same each time is laid once.
	Files map[string][]byte
	// Run plans a run of each program that holds one of the tests. Tests may be stopped at the first failure. Without a value nothing is
	// selected.
	Run func(value string, tests []string, failFast bool) ([]Plan, error)
	// Program names the program that holds a test. Joint plans one process of that which holds the tests of an order; both are nil where
	// no process can run tests more than once.
	Program func(test string) string
	Joint   func(JointOrder) (JointPlan, error)
}

// A JointOrder asks one process to run tests again and again, under one value after another. All tests are of one program.
type JointOrder struct {
	Page string        // file of the box in which the program's code looks for the value, see mutate/golang
	Test time.Duration // what one test may take

	// Entries are tried in order, see package mutate. Without any, Tests are run twice over under Value, and what they leave in Records is
	// compared, test by test. A test that leaves something else the second time is reported as one whose results differ.
	Entries []JointEntry
	Value   string
	Tests   []string
	Records []string
}

// JointEntry is tests to be run under two values in turn, one after the other: each test once under each, until one does not pass under
// both. That one is run once more under each, and ends the entry.
type JointEntry struct {
	Values [2]string
	Tests  []string
}

// JointResult is what became of one entry.
type JointResult struct {
	Begun, Ended bool      // not ended: the process ended within it
	Test         int       // index of the last test that ran
	Statuses     [4]Status // of its runs; "" = it did not run so often, or its end was not seen
	Panicked     bool      // the run after the last one with a status ended in a panic of the test
}

// A JointPlan is the process and how to read what it reports.
type JointPlan struct {
	Plan
	// Results reads what the process left in Report, a file of the box, of so many entries, or tests. For tests run twice over the first two
	// statuses are those of the two times, and failed the second time means that what it left differs.
	Report  string
	Results func(report []byte, n int) []JointResult
	// Before are the files in which it leaves what Records held before the first test, by the names of those.
	Before map[string]string
}

// Reach maps a file of the tree, relative and with slashes, to the lines of it that were executed, sorted, without overlap.
type Reach map[string][]Lines

// Lines is a range of lines, both ends included, counted from 1.
type Lines struct{ First, Last int }

// Has reports whether the line of the file was executed.
func (r Reach) Has(file string, line int) bool {
	for _, l := range r[file] {
		if l.First <= line && line <= l.Last {
			return true
		}
	}
	return false
}

// Touches reports whether any line of the range of the file was executed.
func (r Reach) Touches(file string, span Lines) bool {
	for _, l := range r[file] {
		if l.First <= span.Last && span.First <= l.Last {
			return true
		}
	}
	return false
}

// A Seeder has a small tree whose warm build holds what most trees need of the toolchain (the compiled standard library), so
// that a new tree compiles only its own code. Paths are relative, with slashes.
type Seeder interface {
	Seed() map[string]string
}
