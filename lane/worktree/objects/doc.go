// Package objects reads git objects from several object folders at once, and writes new ones to the
// one that belongs to Lane.
//
// The folders of the user's repository are only ever read: they are opened through a file system
// that has no way to write. Every object is hashed while it is read and compared with its name, so
// what comes out is what the name promises, whoever owns the folder. Objects of any size stream.
//
// Another process may repack or prune a borrowed folder at any moment. A pack that was listed is
// then gone before it is opened, so whatever fails is read again from a fresh listing before it
// counts as missing.
//
// The package knows objects, not files: names in a tree are judged (package treename), never opened.
package objects
