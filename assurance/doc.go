// Package assurance decides what a verification has earned.
//
// [Evidence] is a frozen [Plan] (what was going to be looked at, by id) and one [Observation] per id (what
// was seen). [Judge] turns it into a [Verdict]: an outcome, the state of every clause, and the
// Verification Assurance Level (VAL). Judging is pure: no clock, no file, no randomness, and the same
// evidence gives the same verdict anywhere. That is what lets a gate judge again and believe nobody.
//
// Two rules hold for every plan. An id without an observation is not-run, and not-run never holds. Taking
// an observation away, or making one worse in the sense of [Worse], never raises the level.
//
// The package may use the standard library only. It may not read a file, look at a clock, or know how
// anything is run: whoever fills in evidence states facts and decides nothing.
package assurance
