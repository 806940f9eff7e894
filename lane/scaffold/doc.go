// Package scaffold finds out what kind of project a folder holds, and drafts the
// spec and the flake with which Lane can check it: what `lane init` writes.
//
// It reads the folder and runs nothing, and it never replaces a file.
package scaffold
