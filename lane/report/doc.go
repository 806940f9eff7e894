// Package report shows verdicts to people and machines: [Terminal] for one, [Summary] for several, [Gate] for
// a decision, [JSON] for programs.
//
// Everything in a verdict may come from code that wants to deceive its reader: names of tests, what they
// said, paths, source. No byte of it reaches a terminal that [Line] has not made harmless.
//
// The package decides nothing and knows no environment: whether there is colour, and how wide a line is, comes
// in with [Options].
package report
