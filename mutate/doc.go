// Package mutate asks whether a test suite would notice if the code were wrong.
//
// It holds what is common to all languages: the [Mutant] (one small fault, as an edit of bytes), the [Plan] (which
// mutants are tried, frozen before the first of them runs), the [Engine] (which runs trials through a [Runner] and
// gives each mutant a [Verdict]), the test by mutant [Matrix], and the [Report].
//
// The package may not know where or how a trial runs: it knows no fence, no task and no repository, opens no file and
// starts no process. Sources come in as bytes, a trial leaves as an overlay of bytes, and what the runner saw comes
// back as a [TrialResult].
//
// The rules that give the number its meaning:
//
//   - Only a named test can kill: one that passes on the clean tree, that passes on the null mutant of the same file
//     and tier, and that is not quarantined.
//   - A build that fails makes a mutant unviable, and an expired budget makes it hung. Neither is ever a kill.
//   - A mutant that no test reaches is uncovered, which counts as survived.
//   - A mutant that was planned and not tried is not-run, with the reason. It never disappears.
package mutate
