package assurance

// Refusal says why Lane declined to judge.
type Refusal struct {
	// Code is one of RefusalCodes.
	Code string `json:"code"`
	Msg  string `json:"msg"`
	// Hint says what to do about it, where that is known.
	Hint string `json:"hint,omitempty"`
}

// BadEvidence is the code of the only refusal that Judge makes by itself.
const BadEvidence = "bad-evidence"

// Meaning is one entry of a closed list: a name and what it says, in one line.
type Meaning struct {
	Name  string
	Means string
}

// RefusalCodes returns the closed list of refusal codes. A code keeps its meaning for ever.
func RefusalCodes() []Meaning {
	return []Meaning{
		// the environment
		{"no-flake", "there is no flake.nix where the spec says"},
		{"unlocked-flake", "an input has no entry in flake.lock, one without a NAR hash, or one that Nix would write anew"},
		{"escaping-input", "an input of the flake lies on this machine, outside of what is staged"},
		{"flake-config", "the flake brings settings for Nix (nixConfig)"},
		{"import-from-derivation", "evaluating the flake asks for a build"},
		{"lock-edited", "flake.lock names a content that its input does not have"},
		{"closure-lock", "closure.lock cannot be read, or speaks of another closure than the flake beside it comes to"},
		{"broken-flake", "Nix cannot evaluate or build what the flake says"},
		{"unsafe-environment-file", "a file that makes the environment leaves its folder, or two cannot lie side by side"},
		{"bad-source", "an entry of laneSources cannot be used as it stands"},
		{"source-mismatch", "what was fetched for laneSources has another NAR hash than the flake says"},
		{"not-warm", "the closure was not warmed on this machine, and warming it was not asked for"},
		{"closure-mismatch", "what lies in the store is not what the closure's lock says"},
		{"fetch-failed", "a command of the fetch phase failed, so that there is nothing to judge"},
		// the repository and the change
		{"not-a-repository", "the source is no git repository"},
		{"unsupported-source", "the source is of a kind or format that Lane does not read"},
		{"unreadable-source", "the source cannot be read: no permission, or no connection"},
		{"missing-ref", "base or head does not exist"},
		{"ambiguous-ref", "base or head may mean two commits"},
		{"not-a-commit", "base or head names something that is no commit"},
		{"unrelated-histories", "base and head have no commit in common"},
		{"shallow-history", "what base and head have in common was not cloned"},
		{"missing-objects", "objects of the repository are missing"},
		{"corrupt-objects", "objects of the repository are not what their names say"},
		{"unmerged-worktree", "the work tree is in the middle of a merge"},
		{"no-worktree", "head is WORKTREE, and the repository has none"},
		{"unsafe-tree", "the tree has names that must not be written to a disk"},
		{"tree-too-large", "the tree has more files or bytes than the limits allow"},
		{"submodule", "the tree holds a submodule, whose content Lane does not have"},
		{"lfs-content", "the tree holds a Git LFS pointer where its author sees a file"},
		{"filter-content", "a file of the tree is nothing without its git filter"},
		{"git-needed", "the tree needs git itself, and there is none"},
		{"compose-conflict", "base's code and the change's tests do not fit into one tree"},
		{"unparsable-patch", "the patch is no unified diff, or says two things at once"},
		{"empty-patch", "the patch changes no file"},
		{"binary-patch", "the patch has a change without its text"},
		{"escaping-patch", "the patch has a path that leaves the tree, or goes through a symbolic link"},
		{"unbound-patch", "the patch does not belong to this base"},
		{"missing-input", "a file that the spec names does not exist"},
		// the contract
		{"contract-unreadable", "what was given is no contract, or its terms are not what its spec means to this Lane"},
		{"contract-signature", "the contract names a trusted key and is not signed by it: it was changed"},
		{"contract-key", "the contract is signed by no key that the reader trusts, or by one that was not good at its time"},
		{"contract-role", "the contract is signed by a key that may sign verdicts and no contracts"},
		{"contract-expired", "the contract does not hold any more, or not yet"},
		{"contract-base", "the contract is for another base tree than the change has"},
		{"contract-spec", "the contract is for another spec"},
		{"contract-trust", "whose contracts count is said by files of the repository that base does not hold"},
		{"hidden-archive", "the archive of hidden tests is another than the contract names, part of the tree that runs, or not fit to be unpacked"},
		// the run
		{"production-target", "nothing proves that the target is not production"},
		{"no-browser", "a task is of kind browser, and its closure has none"},
		{"no-fence", "the kernel does not let Lane fence the run; the hint says what to change"},
		{BadEvidence, "the evidence cannot be judged"},
	}
}

// KnownRefusal reports whether a code is one of RefusalCodes.
func KnownRefusal(code string) bool {
	for _, m := range RefusalCodes() {
		if m.Name == code {
			return true
		}
	}
	return false
}
