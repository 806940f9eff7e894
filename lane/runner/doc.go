// Package runner joins a fence and a reporter: it runs one command of a task in a box and says what
// it showed.
//
// A [Task] is what all boxes of a task have in common, a [Stage] one tree of it with a pool of boxes,
// an [Order] one run, and [Seen] what came of it. The package knows no spec and no mutant, and judges
// nothing: it lays files where it is told to and folds what the box and the reporter tell into the
// forms that packages assurance and mutate ask for.
package runner
