// Package python makes pytest and unittest report to Lane.
//
// The closure's interpreter is started on a script of Lane's own, which lies below /lane in the box and loads pytest or
// unittest, and Lane's plugin or runner, before anything of the tree is on sys.path: a pytest.py in the tree is then the tree's
// affair. Variables that would let the interpreter load something else (PYTHONPATH, PYTHONHOME, PYTHONSTARTUP) are empty while
// it starts; the task's own PYTHONPATH is put back for the tests. Cached bytecode of the tree is neither read nor written.
//
// # Names
//
// For pytest, an id is the node id: "tests/test_x.py::TestC::test_m". The runs of a parametrised test, "...::test_m[a]", are
// parts of the function, so that a spec may name the function, whatever its parameters. For unittest, an id is
// "pkg.module.Class.method"; its subtests, "pkg.module.Class.method (i=1)", are parts of it. A file that cannot be loaded has
// failed under its own name, and so has every test that its syntax shows. All tests of a command are one unit: one process runs
// them.
//
// # Results
//
// A test passed when its own call came back, its fixtures did, and no report says otherwise. A skip, an expected failure
// (xfail) and a test that was never called are skipped; an expected failure that passes is passed, or failed where it is
// strict. A failure is told at once, so that an exit cannot take it back. What failed once has failed, however often a plugin
// runs it again.
//
// # Configuration
//
// The tree's pytest.ini, pyproject.toml, tox.ini or setup.cfg and every conftest.py are in force, as honest suites need them.
// Of its addopts only what decides how, and from which files, tests are loaded is kept. What leaves tests out by name or mark
// (-k, -m, --deselect), ends a run early or only collects belongs into the command of the spec, and is named on stderr when it
// is left out. PYTEST_ADDOPTS has no effect. pytest's cache lies in /tmp. Workers of xdist are not started.
//
// A conftest.py is code of the tree and shares the process with the reporter. What it rewrites in pytest's reports has no
// effect, for what a test did is seen below them; code that goes further is what canaries and mutants are for.
package python
