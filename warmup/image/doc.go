// Package image writes container images: one tar file that is an OCI layout and a docker archive at once, since docker loads only the
// latter and most other tools prefer the former. The same content gives the same bytes, on any machine and at any time.
//
// It knows store paths and files, and nothing of closures, specs or registries. It runs no program: no daemon and no root are needed.
//
// The formats: the OCI image specification 1.1 (image-layout.md, manifest.md, config.md, layer.md), and what `docker load` reads
// (moby, image/tarexport).
package image
