// Package process runs one program of this machine (Nix, go, npm, apt) for the
// warm-up and brings back what it printed.
//
// Nothing of a change is ever run by it: its programs are the machine's own and
// run unfenced. A program has no terminal, no input, a session of its own and
// exactly the environment it is given; it is asked to end (SIGTERM) and then
// made to, with all of its process group.
package process
