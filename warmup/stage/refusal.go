package stage

import "fmt"

// Code names a kind of refusal. It is written into verdicts and never changes
// its meaning.
type Code string

// The refusals of an environment.
const (
	// NoFlake: there is no flake.nix among the files.
	NoFlake Code = "no-flake"
	// UnsafeFile: a file's name or link target leaves the staged folder, or two
	// files cannot lie side by side.
	UnsafeFile Code = "unsafe-environment-file"
	// BrokenFlake: Nix cannot evaluate or build what the flake says.
	BrokenFlake Code = "broken-flake"
	// UnlockedFlake: an input has no entry in flake.lock, or one without a NAR
	// hash, or one that Nix would write anew.
	UnlockedFlake Code = "unlocked-flake"
	// EscapingInput: an input lies on this machine, outside the staged folder.
	EscapingInput Code = "escaping-input"
	// FlakeConfig: the flake brings settings for Nix (nixConfig).
	FlakeConfig Code = "flake-config"
	// ImportFromDerivation: evaluation asks for a build.
	ImportFromDerivation Code = "import-from-derivation"
	// LockEdited: flake.lock names a content that its input does not have.
	LockEdited Code = "lock-edited"
	// ClosureLock: closure.lock cannot be read, or speaks of other files or another content than the flake beside it.
	ClosureLock Code = "closure-lock"
	// BadSource: an entry of laneSources cannot be used as it stands.
	BadSource Code = "bad-source"
	// SourceMismatch: what a client fetched for laneSources has another NAR
	// hash than the flake says.
	SourceMismatch Code = "source-mismatch"
)

// Codes are all of them.
func Codes() []Code {
	return []Code{
		NoFlake, UnsafeFile, BrokenFlake, UnlockedFlake, EscapingInput, FlakeConfig,
		ImportFromDerivation, LockEdited, ClosureLock, BadSource, SourceMismatch,
	}
}

// Refusal is why an environment is not accepted: the flake's doing, never a
// fault of this machine.
type Refusal struct {
	Code Code
	Msg  string // for a person, with the input's or the file's name
	Tip  string // what to do next, or ""
}

func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Msg }

// Hint says what to do next.
func (r *Refusal) Hint() string { return r.Tip }

func refuse(code Code, tip, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Msg: fmt.Sprintf(format, args...), Tip: tip}
}
