// Package position finds where the keys and values of a TOML text stand.
//
// The TOML library that reads the values keeps the positions of its keys to
// itself, and an error message without a place sends its reader hunting. Scan
// goes through the text once and notes line and column of every key, every
// table and every element of an array; the path of a key, not its name, is
// what a caller asks with, so that the third [[task]] is told from the first.
//
// It may not judge: whether a text is valid TOML is for the library to say,
// and the values are the library's too. On a text that the library accepts,
// Scan knows exactly the keys that the library reports (fuzzed against it); on
// any other text it returns what it could make out, never panics, and takes
// time and memory in proportion to the text. Because the library recurses and
// builds a string per key, Scan also draws the limits (see the Max constants)
// within which a stranger's text may be given to it.
//
// It imports nothing of Lane.
package position
