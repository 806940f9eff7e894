// Package bincache speaks the protocol of Nix's binary caches, over HTTP or in a folder: it finds out what a cache says of a
// store path, proves that a trusted key said so, and streams the path's archive. It also writes such caches, for Nix and Lane to read.
//
// It decides nothing about closures, unpacks nothing and never touches a store. What a cache says is untrusted until Verify.
//
// The format has no specification but Nix's own sources (src/libstore/nar-info.cc, binary-cache-store.cc, path-info.cc). Package
// warmup's tests read caches that Nix has written, and have Nix read those of this package.
package bincache
