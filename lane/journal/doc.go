// Package journal remembers what Lane did about each spec, so that a crash loses nothing.
//
// Every spec has a folder of its own with
//
//	lock          held while a run of the spec is alive; the lock is the liveness, never a pid
//	status.json   the newest state, replaced atomically
//	ledger.jsonl  every event of every run, one line each, flushed as it is written
//	runs/N/       what attempt N left: verdict.json and logs
//
// A status that is not terminal while its lock is free is stranded: its run died. Begin and Reap
// give such a run a terminal status (failed, phase reaped) and touch no other.
//
// The package knows no spec, no fence and no verdict: it stores what it is told. Locks are advisory
// (flock): they hold between processes of one machine, not on network file systems.
package journal
