// Package fence runs untrusted commands in a locked-down box and reports how
// they ended.
//
// # What a box is
//
// A box is a set of Linux namespaces (user, mount, pid, network, ipc, uts,
// cgroup) around one process of Lane's own, the box's pid 1. Commands run below
// that pid 1, one at a time. They see a read-only root with the store paths that
// the Config names, a writable overlay of one tree at [TreeDir], an empty HOME,
// /tmp and /dev/shm, a minimal /dev, a masked /proc, a loopback interface, and
// nothing else of the host. They run as uid 1000 with no capability, with
// no_new_privs and a seccomp filter, under limits that are named when hit.
//
// A box has no way out. With [Config.Listen] it has a way to Lane: pid 1 opens
// listeners in the box's own network and hands them over, and who answers there is for
// the caller of [Box.Listeners] to say. With [Config.Ways] Lane has a way in: pid 1
// hands it sockets of the box's network, to connect to what a command listens at.
//
// A box may be used for many runs: before each, everything that an earlier run
// could have written is replaced by something fresh. A box serves one tree and
// one spec only. What one run may learn of another through the kernel's
// counters is said at [Command].
//
// # How it works
//
//  1. [Open] starts /proc/self/exe again in new namespaces. [Init], called first
//     in main, recognises that and becomes pid 1. It is told what to do over one
//     SOCK_SEQPACKET socket and never returns.
//  2. pid 1 opens every host path by O_PATH while it still is the caller, takes
//     the box's own user id for good, then builds the root from those
//     descriptors and leaves the old one behind.
//  3. For each run, pid 1 mounts a fresh tmpfs under the overlays and /tmp, and
//     starts one new thread with a new ipc namespace, which drops all
//     capabilities, sets no_new_privs, loads the seccomp filter, forks the
//     command and ends. Every process of the box descends from such a thread.
//  4. When the command ends, or a limit is met, pid 1 kills everything in its
//     pid namespace, waits until the kernel says that it has no child left,
//     reads the files to collect, and answers.
//  5. When Lane dies, the socket closes, pid 1 exits, and the kernel kills the
//     rest of the pid namespace.
//
// # What it may not do
//
// The package knows no spec, no git and no Nix, and reads no environment
// variable. It never runs a command outside a box: where the kernel forbids one,
// Open says which step failed and what to change ([Unavailable]).
package fence
