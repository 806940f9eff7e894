// Package patch reads unified diffs and applies them to file contents.
//
// It takes what `git diff`, `git format-patch` and `diff -u` write: new, deleted, renamed and
// copied files, changes of mode, symbolic links, quoted names, files without a last newline, mail
// headers around it all. It is stricter than `git apply`: what it accepts gives the same bytes
// there, and what could be read in two ways is refused with the line that caused it.
//
//   - A hunk lies where its header says. If the file has moved on, the hunk's old lines must occur
//     exactly once in the file; they are never matched with fuzz, and never at the nearest of several places.
//   - A hunk without any context says nothing about where it belongs. It is taken only where the
//     patch names the blob it was made from and the file is that blob.
//   - More lines after a hunk than its header counts are an error; git skips them in silence.
//   - A path must stay inside the tree (see package treename).
//
// The package is pure: it opens no file, and what is a file of the base is told by its caller.
package patch
