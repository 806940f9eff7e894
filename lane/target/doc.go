// Package target gives a change a life of its own for the length of one run (VAL-3): it is put up in a box of Lane's, seen
// alive, asked by a check from a second box whose only reachable address is the target's, taken down, and seen gone. What it
// returns are receipts, and whether they are worth a level is for package assurance to say.
//
// All commands are the change's and run in boxes. The only thing that a target is told by Lane is its name and a challenge,
// which it has to answer with; whoever asks it never says the challenge. Health checks are Lane's own: they resolve once, pin
// what they found, follow no redirect to anywhere else, and bound time and size, since what answers is as hostile as the rest.
//
// The package knows no spec, keeps no state and writes no file: the caller is told what was made before it can be left
// behind (Target.Note), and gives it back to [Settle] where a run died in between.
package target
