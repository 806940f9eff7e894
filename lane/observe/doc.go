// Package observe says what a test run showed, test by test.
//
// A [Reporter] knows one test runner: how to make it report to Lane over an inherited descriptor, how to select, shuffle
// and stop its tests, and how to join them with canaries, tests of Lane's own that must fail. It turns a [Request] into a
// [Plan]; whoever runs the plan feeds each record that arrives on the descriptor to the plan's [Collector], and folds the
// end of the process and the records into a [Session] and its [Contradiction] list.
//
// The code under test shares the descriptor with the reporter and may write anything to it. A Collector therefore trusts
// nothing: a malformed, impossible, repeated or contradictory record becomes one of [Session.Problems] and never a panic,
// and every count and text is bounded. What a forger cannot fake by writing alone is that a canary fails, that the records of
// one process are numbered without a gap, and that the end of the process agrees with them.
//
// A reporter in the test process never looks at standard output. One of class [Forgeable] has nothing else than what the command printed or
// wrote: its plan reads that once the last process is gone (Plan.Read), and [Collector.Replay] holds it to the same bounds and rules.
//
// The package runs nothing, reads no file and decides nothing: whether a fact is a failure, tampering or noise is for
// package assurance.
package observe
