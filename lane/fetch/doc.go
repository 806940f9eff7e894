// Package fetch runs the first of a spec's two phases: it brings the dependencies that manifests and lock files name,
// before any code of the change is run.
//
// # The phase
//
// A fetch box holds the closure, the manifests and lock files of one tree and nothing else of it. It has no interface
// but lo; what it dials at [ProxyAddress] is served outside of it by package egress, which connects it to the hosts of
// the spec's list. The host's bundle of certificate authorities lies in it, read-only. Clients are told not to run
// install scripts, and not to build from source what they can have built.
//
// # The cut
//
// The box is closed, and with it the last way out. What crosses are the folders that [Caches] names and the
// node_modules beside a package.json: kept by content key, laid read-only below the trees of the test boxes. HOME, /tmp
// and what else the commands wrote do not cross. Install scripts that a project needs belong into the task's own
// command, where there is no network.
//
// # What it does not do
//
// It trusts the clients to compare what they fetched with the lock (npm ci, go.sum, --require-hashes): it fetches
// nothing by itself, and knows no registry. It judges nothing: a phase that fails is a [Failed].
package fetch
