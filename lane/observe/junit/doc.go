// Package junit reads tests from a report in the XML dialects that go by the name of JUnit, which the command writes into
// its box.
//
// It is of the forgeable class: the code under test can write the file itself. The file is read once the last process of
// the run is gone, so that nothing rewrites it later, and one that lies in the tree beforehand is taken away before the
// run. What it says is taken for what it is, with the worst news of each test counting: a test that failed and passed on a
// rerun has failed. That the command can say no at all is shown by the mutants that it kills.
//
// A test is named by its class name, a dot and its name, as most tools do; where it has no class name, by the name of its
// suite.
//
// The file is hostile. It is bounded in size, depth and number of tests; entities of its own are not expanded, nothing that
// it names is opened, and bytes that are no text of XML are replaced. One that is no such report, or breaks off, cannot be
// counted.
package junit
