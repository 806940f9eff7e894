// Package lane puts the steps of a verification in order and does nothing else.
//
// [Check] follows the way of a spec: read it, find base and head, load the closure, check the trees
// out, run the controls, the varied runs and the mutants in boxes, and let package assurance judge
// what was seen. What a step does is in the package of that step; data goes one way, and progress
// leaves as [Event]. The package decides nothing about a verdict: it fills in evidence.
package lane
