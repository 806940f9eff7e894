// Package wasi runs WebAssembly commands (WASI preview 1) in a box of the shape of package fence, on any system.
//
// # What a guest is given
//
// One module, its arguments, a fixed environment, one tree to read at [fence.TreeDir], an empty /tmp and HOME in memory, Lane's files
// below [fence.FilesDir], a clock that only the guest moves (each reading takes a microsecond, a sleep takes no real time), random numbers
// from a seed, two streams to write to, and memory up to a limit. There are no sockets, no processes, no threads, no signals and no
// descriptor of the host. The same module on the same tree does the same, byte for byte, wherever it runs.
//
// # How it works
//
//  1. [Box.Run] starts this very program again, with one pipe in and three out. [Init], called first in main, recognises that and
//     becomes the guest's process. It never returns.
//  2. That process opens the tree and the folder of compiled modules, gives up what it may (root's user id, new privileges, processor
//     time and data beyond the limits, where the system knows them), compiles the module or finds it compiled, and runs it.
//  3. Paths are resolved by this package alone, one name after another, in one tree of nodes: symlinks lead to nodes, `..` stops at the
//     root, and the nodes of the host's tree are read through an os.Root. Nothing of the host can be named.
//  4. The caller bounds output, wall time and processor time from outside, and ends the process by force.
//  5. When the caller dies, the process ends: its input closes, and on Linux the kernel kills it.
//
// # What it may not do
//
// The package knows no spec, no reporter and no Go toolchain: what builds a module is not its business. It never runs a module in the
// caller's own process.
package wasi
