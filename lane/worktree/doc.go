// Package worktree finds the change that is to be verified and lays out its files.
//
// It resolves base and head of a spec, applies a patch or takes a snapshot of a working tree, and
// checks a tree out into a folder that a box can use as its lowest layer. The user's repository is
// only read: nothing below its .git is written, locked, refreshed or touched, no hook, filter,
// file-system monitor or other program that it names is run, and its configuration has no effect
// but on what `git status` would call ignored or converted.
//
// # Where things lie
//
// All of it lies below Options.Dir and can be made again:
//
//	repos/<name>-<key>.git   Lane's own bare repository for one source. It borrows the user's objects
//	                         (objects/info/alternates) or holds fetched ones, and keeps what Lane
//	                         makes: snapshots, patched and composed trees.
//	trees/<key>/tree         the files of one tree, as written on disk
//	trees/<key>/manifest     what each of them was when it was written (see manifest.go)
//	trees/<key>.lock         held shared by whoever uses the tree, exclusively by whoever makes or removes it
//	worktrees/<spec>         a symbolic link to the tree that a spec last used, for people and reruns
//	tmp/                     indexes and object folders of git calls under way
//
// # One tree per content, not one linked worktree per spec
//
// The design speaks of one git worktree per spec. A linked worktree has a .git file that points to
// the repository it belongs to, and so to its history, which must not be in a box; and an admin
// folder that `git worktree prune` may take away while it is in use. Here a tree is a plain folder
// without .git, named by the hash of its content, its time and its owner. A rerun finds it by that
// name, specs and runs that need the same content share it, and there is nothing for git to prune.
// Whether it is still what its name says is measured, not believed: by size, times and inode of
// every file when it is used again (Repo.Tree), by content when it counts (Tree.Measure).
//
// Whether a tree is in use is said by its lock, which the kernel drops when its holder dies, however
// that happens. No process id is ever written down. The locks are flock(2): they do not reach over NFS.
//
// # What a tree holds
//
// The files of the commit, byte for byte, with the modes 0644 and 0755, symbolic links as they are,
// wherever they point, and one time for all of them. Where .gitattributes ask for another form on
// disk (eol=crlf, ident, working-tree-encoding), those files are written by git itself, so that the
// tree is what a checkout without any configuration gives. Filters are never run: a file that needs
// one to be what its author sees (Git LFS, git-crypt, a smudge command in the repository's
// configuration) is refused by name, as are submodules, unless the caller takes empty folders for
// them. Replacement refs and grafts are not followed.
package worktree
