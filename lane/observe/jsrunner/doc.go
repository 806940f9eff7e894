// Package jsrunner makes vitest, jest and mocha report to Lane.
//
// Each of them takes a reporter by its path: one of Lane's own (vitest.mjs, jest.cjs, mocha.cjs) stands beside whatever the command
// names, and writes down how each test ended once all are over. It runs where the runner itself does, which for jest and mocha may be
// the process of the tests, and what it writes is a file that the code under test can write too: the reports are of class Forgeable.
//
// A test file is a unit, named by its path in the tree. A test is named by the suites that it lies in and its own title, joined by " > ".
// Where a hook fails, the tests that it is for have failed. A file that fails as a whole, so that none of its tests ran, is a failed test
// named by the path alone: no clean run shows such a one, so that it kills no mutant.
//
// Tests are selected by the runner's own flags: files by their paths, tests within them by an expression for their full titles. A
// command with options of which it is not known whether the next word belongs to them is run as it is, and nothing of it is selected.
//
// What a test file reaches is told by the code itself (Record): the files of the tree are replaced by ones that call a function of each process
// when a function of theirs is entered, and that function (reached.cjs) writes it down, with the test file at hand where vitest or jest know it.
package jsrunner
