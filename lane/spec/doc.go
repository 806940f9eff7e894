// Package spec reads the TOML file that says what Lane verifies: which change,
// against which criteria, by which tasks, to which assurance level.
//
// Parse turns the bytes of one file into a Spec in which every default is
// filled in, or into an *Errors that holds every problem of the file with its
// line and column. One table of settings (Settings) drives the reading, the
// JSON Schema (Schema) and the reference page (Reference), so that they cannot
// say different things. Explain prints what a spec comes to once the commits
// and the closures behind it are known.
//
// A spec may come from the change under test and is not trusted: ids become
// file names and cannot leave their folder, paths and globs stay inside the
// tree, variables that steer a tool from outside are refused, text has no
// control characters, and the time that Parse takes is bounded by the length
// of the file, which is bounded too.
//
// It may not open a repository, run a command or read the environment, and it
// imports nothing of Lane but its own sub package. Whether this build of Lane
// can do what a spec asks for is the orchestrator's to say; Spec.Problem gives
// it an error that points into the file.
package spec
