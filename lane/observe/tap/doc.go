// Package tap reads tests from what a command prints in the Test Anything Protocol, versions 12 to 14.
//
// It is of the forgeable class: whoever can print can write TAP, so that code under test may add lines to it or end the
// command after the last good one. What such a report says is taken for what it is, with the worst news of each test
// counting; that the command can say no at all is shown by the mutants that it kills.
//
// A test is named by its description, below the names of the tests that it is a subtest of, joined by " > ". A test without
// a description is named by its number. Producers that print the name of a test as a comment and then its assertions (tape
// does) get that name in front. A description that comes several times is one test that ran several times. Tests marked as
// skipped or as to do are skipped, whatever their result.
//
// A plan that does not agree with the tests, a missing end and a bail-out leave the session open; a report without any plan
// cannot be counted.
package tap
