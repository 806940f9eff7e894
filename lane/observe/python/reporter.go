package python

import "github.com/vallane/lane/lane/observe"

// Pytest makes pytest report. The zero value is ready.
type Pytest struct{}

// Unittest makes unittest report. The zero value is ready.
type Unittest struct{}

// Name is "pytest".
func (Pytest) Name() string { return pytest }

// Name is "unittest".
func (Unittest) Name() string { return unittest }

// Class is InProcess.
func (Pytest) Class() observe.Class { return observe.InProcess }

// Class is InProcess.
func (Unittest) Class() observe.Class { return observe.InProcess }

// Claims reports whether argv is pytest, py.test or python -m pytest.
func (Pytest) Claims(argv []string) bool { return claims(argv, pytest) }

// Claims reports whether argv is python -m unittest.
func (Unittest) Claims(argv []string) bool { return claims(argv, unittest) }

func claims(argv []string, kind string) bool {
	c, ok := parseCommand(argv)
	return ok && c.kind == kind
}

// Match reports whether a pattern names a test: its whole id, its end from a slash on, or the names after the file alone. The
// name of a function does not name its parametrised runs, which are parts of it.
func (Pytest) Match(pattern, id string) bool { return matchNode(pattern, id) }

// Match reports whether a pattern names a test: its whole id, or its end from a dot on.
func (Unittest) Match(pattern, id string) bool { return matchCase(pattern, id) }

// Instrument plans one run.
func (Pytest) Instrument(r observe.Request) (observe.Plan, error) { return instrument(pytest, r) }

// Instrument plans one run.
func (Unittest) Instrument(r observe.Request) (observe.Plan, error) { return instrument(unittest, r) }

// Cover returns one step that runs the request's tests in one process and records which lines of the tree each of them reaches.
func (Pytest) Cover(r observe.Request) (observe.CoverPlan, error) { return cover(pytest, r) }

// Cover returns one step that runs the request's tests in one process and records which lines of the tree each of them reaches.
func (Unittest) Cover(r observe.Request) (observe.CoverPlan, error) { return cover(unittest, r) }

// Warm returns one step that compiles what runs will load, of the closure and of the tree, into the build cache. Nothing of the
// tree is executed.
func (Pytest) Warm(r observe.Request) ([]observe.Step, error) { return warm(pytest, r) }

// Warm returns one step that compiles what runs will load, of the closure and of the tree, into the build cache. Nothing of the
// tree is executed.
func (Unittest) Warm(r observe.Request) ([]observe.Step, error) { return warm(unittest, r) }

var (
	_ observe.Warmer   = Pytest{}
	_ observe.Warmer   = Unittest{}
	_ observe.Reporter = Pytest{}
	_ observe.Reporter = Unittest{}
	_ observe.Coverer  = Pytest{}
	_ observe.Coverer  = Unittest{}
)
