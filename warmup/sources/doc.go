// Package sources fetches what a flake lists under laneSources: contents that
// are named by their NAR hash and come by one of the machine's own clients, as
// that is configured (proxies, mirrors, credentials): modules by go, packages
// by npm, archives by apt.
//
// It leaves a folder whose hash was compared, and adds nothing to a store. It
// runs no install script, and knows no host or registry by name.
package sources
