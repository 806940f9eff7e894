// Package mutantcache keeps verdicts of mutants on disk, from one run to the next.
//
// A folder holds one cache, for one run at a time: whoever opens it has the lock of the spec whose folder it is. There are
//
//	verdicts.jsonl   a line per verdict, appended as it is found, so that a crash loses nothing but the line being written
//	whole/KEY        what a run with that key came to as a whole, replaced atomically
//
// Every line and file carries a digest of itself. What does not fit its digest (a torn line, a disk that lies) is left out and counted,
// never believed. The digests are no protection against somebody who can write the folder: it lies in Lane's state, which no box sees.
//
// The package may not know what makes a verdict still true: keys are given, and what is found is handed back as it was.
package mutantcache
