// Command vendorhash computes the vendorHash of Lane's Nix package without Nix:
// the hash of the folder that `go mod vendor` makes for exactly the files that
// nix/source.json names, which are the files that the package is built from.
//
//	go run ./nix/vendorhash             prints it
//	go run ./nix/vendorhash --check     fails where nix/hashes.json says another
//	go run ./nix/vendorhash --update    writes it to nix/hashes.json
//
// It downloads nothing but what `go mod vendor` itself does, and changes nothing
// but nix/hashes.json.
package main
