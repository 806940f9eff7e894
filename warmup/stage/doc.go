// Package stage turns the bytes of a flake into a folder that Nix may read,
// names that folder by its content, and refuses by name what can be seen to be
// unlocked, self-configuring or reaching outside before Nix is started.
//
// It reads nothing but the bytes it is given and writes nothing but the folder
// it is told to make. It starts no process and knows no store.
package stage
