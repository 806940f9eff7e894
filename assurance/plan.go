package assurance

import "time"

// Plan says what is going to be observed. It is frozen before the first thing in it is judged: nothing
// that the change under verification does later can take an id out of it.
//
// Every planned thing with an ID field gets exactly one observation under that id in
// Evidence.Observations, except tests, which are observed inside runs. Ids are unique over the whole plan.
type Plan struct {
	Spec Spec `json:"spec"`
	// Contract is set where Spec.Authority is contract, and nowhere else.
	Contract *Contract `json:"contract,omitempty"`
	Change   Change    `json:"change"`
	Subject  Subject   `json:"subject"`
	// Require is the level that the spec asks for.
	Require Level `json:"require"`
	// RequiredDefault says that no criterion or task names a test, so that every test that passes on base
	// and every test that the change adds is required.
	RequiredDefault bool             `json:"required_default"`
	Tasks           []Task           `json:"tasks"`
	Tests           []PlannedTest    `json:"tests"`
	Removals        []Removal        `json:"removals,omitempty"`
	Criteria        []Criterion      `json:"criteria,omitempty"`
	Closures        []PlannedClosure `json:"closures"`
	Trees           []PlannedTree    `json:"trees"`
	Boxes           []PlannedBox     `json:"boxes"`
	Probes          []PlannedProbe   `json:"probes"`
	Runs            []PlannedRun     `json:"runs"`
	Places          []Place          `json:"places,omitempty"`
	Mutants         []PlannedMutant  `json:"mutants,omitempty"`
	Nulls           []PlannedNull    `json:"nulls,omitempty"`
	Breaks          []PlannedBreak   `json:"breaks,omitempty"`
	Audits          []PlannedAudit   `json:"audits,omitempty"`
	// Sample is set where the mutants of the change are a sample and not all that there are.
	Sample *Sample `json:"sample,omitempty"`
	// Explained lists survivors that somebody accounts for.
	Explained []Explanation `json:"explained,omitempty"`
	// Target is the disposable target of this run; nil where the spec has none.
	Target *PlannedTarget `json:"target,omitempty"`
	// Deploy is set where the spec declares manifests.
	Deploy *PlannedDeploy `json:"deploy,omitempty"`
	// Downstream lists the suites of users that the spec names.
	Downstream []PlannedDownstream `json:"downstream,omitempty"`
	// Services are those that tests talk to, one for each task that has it.
	Services []PlannedService `json:"services,omitempty"`
	// Unmutated lists changed files of code in languages that Lane has no operators for: of them only hunks put back to base were tried.
	Unmutated []string `json:"unmutated,omitempty"`
	// Unhashed lists by what dependencies of head were fetched without a hash of their content.
	Unhashed []Unhashed `json:"unhashed,omitempty"`
	// Hidden is set where hidden tests were run.
	Hidden *HiddenPlan `json:"hidden,omitempty"`
}

// Unhashed is a way by which a fetch phase brought what no hash stands for.
type Unhashed struct {
	// File is the manifest or lock file; "" where no file of the tree names what was brought. Why goes on from there, or is a sentence.
	File string `json:"file,omitempty"`
	Why  string `json:"why"`
	// Names are packages of the file, bounded; Count is how many there are.
	Names []string `json:"names,omitempty"`
	Count int      `json:"count,omitempty"`
}

// Authority says by whose word something holds.
type Authority string

// Authorities, strongest first.
const (
	ByContract Authority = "contract" // a signed contract
	ByBase     Authority = "base"     // the base tree holds it unchanged
	ByCaller   Authority = "caller"   // whoever started Lane said so on the command line
	ByChange   Authority = "change"   // the change under verification brought it
)

// Outside reports whether the word comes from somewhere that the change cannot reach.
func (a Authority) Outside() bool { return a == ByContract || a == ByBase || a == ByCaller }

// Spec names the rules that were verified against.
type Spec struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	// Path is where the spec was read from, for people; Digest is "sha256:" and hex over its bytes.
	Path   string `json:"path,omitempty"`
	Digest string `json:"digest"`
	// Authority is who brought the spec: contract, base or change; caller for a spec from outside the
	// repository under verification.
	Authority Authority `json:"authority"`
}

// Contract names the signed contract that a spec comes from.
type Contract struct {
	Digest string `json:"digest"` // "sha256:" and hex over what was signed
	Nonce  string `json:"nonce"`  // as the contract has it
	// Key is the fingerprint of the key that signed it, by the word of whoever made this verdict.
	Key     string    `json:"key"`
	Expires time.Time `json:"expires"`
	// Hidden is "sha256:" and hex of an archive of hidden tests; empty where it names none.
	Hidden string `json:"hidden,omitempty"`
}

// Kinds of change, as a spec or the caller names them.
const (
	Feature  = "feature"
	Fix      = "fix"
	Refactor = "refactor"
	Removed  = "removal"
	Tree     = "tree" // there is no change: verify what is there
)

// Change says what the change is, and by whose word.
type Change struct {
	// Kind is one of Feature, Fix, Refactor, Removed, Tree.
	Kind string `json:"kind"`
	// SaidBy is who said so. The word of the change itself waives nothing.
	SaidBy Authority `json:"said_by"`
	// Files lists what differs between base and head.
	Files []ChangedFile `json:"files,omitempty"`
	// Protected lists paths that contract, base or caller protect and that the change edits all the same.
	Protected []string `json:"protected,omitempty"`
	// Environment lists edits of what makes the closure (flake.nix, flake.lock, declared extras). The
	// closure in use is base's, or head's where all of them are listed.
	Environment []EnvironmentEdit `json:"environment,omitempty"`
	// Ignored lists suppressions, baselines, budgets and plugin pins that came with the change and were
	// given no effect. They are printed.
	Ignored []string `json:"ignored,omitempty"`
}

// Kinds of changed files. Code and Config can hold a fault that a test should notice.
const (
	FileCode   = "code"
	FileTest   = "test"
	FileConfig = "config"
	FileDocs   = "docs"
	FileOther  = "other" // data, images, what Lane does not know
)

// ChangedFile is one path that differs between base and head.
type ChangedFile struct {
	Path string `json:"path"`
	// Kind is one of FileCode, FileTest, FileConfig, FileDocs, FileOther.
	Kind string `json:"kind"`
}

// EnvironmentEdit is an edit of what makes the closure.
type EnvironmentEdit struct {
	Path string `json:"path"`
	// ListedBy is base, contract or caller where one of them lists the new digest; empty otherwise.
	ListedBy Authority `json:"listed_by,omitempty"`
	// Brought says that base has no environment, so that the change's own was used.
	Brought bool `json:"brought,omitempty"`
}

// Subject is what a verdict is about. All digests are lower-case hex without a prefix.
type Subject struct {
	TreeSHA256 string `json:"tree_sha256"` // over the head tree's content, by Lane's own measure
	GitTree    string `json:"git_tree"`
	Commit     string `json:"commit,omitempty"` // empty for a work tree or a patch
	BaseTree   string `json:"base_tree,omitempty"`
	BaseCommit string `json:"base_commit,omitempty"`
	// Dirty says that head was a work tree with edits that no commit holds.
	Dirty bool `json:"dirty,omitempty"`
	// Patch is "sha256:" and hex of the patch that was applied to base, where one was.
	Patch string `json:"patch,omitempty"`
}

// Class is what a reporter is worth against the code that it reports on.
type Class string

// Reporter classes.
const (
	// InProcess reporters run inside the test process: tamper-evident, by canaries in the same session.
	InProcess Class = "in-process"
	// Forgeable reporters (TAP, JUnit, exit status) say what the code under test wants them to say. They
	// host no canary; only killed mutants show that they can say no.
	Forgeable Class = "forgeable"
)

// Task is one test command. Tasks are named by the other items of the plan by Name, which is unique.
type Task struct {
	Name    string   `json:"name"`
	Command []string `json:"command"`
	Build   []string `json:"build,omitempty"` // goes before Command in each run
	// From is "spec" where the spec holds the command, else what invented it ("detected").
	From     string `json:"from"`
	Closure  string `json:"closure"` // id of a planned closure
	Reporter string `json:"reporter"`
	Class    Class  `json:"class"`
	// BrokenOnBase lists units of this task that do not build on base either, so that a head run may end
	// with an exit status other than zero because of them.
	BrokenOnBase []string `json:"broken_on_base,omitempty"`
}

// PlannedTest is one test known from the base or the head tree. For a reporter that sees no tests (exit
// status), one test stands for the whole command.
type PlannedTest struct {
	ID   string `json:"id"`
	Task string `json:"task"`
	// Unit is the session that the test runs in: a Go package's test binary, a pytest session.
	Unit string `json:"unit"`
	// Required tests decide the outcome.
	Required bool `json:"required,omitempty"`
	// Why lists the reasons to know this test, for people: "criterion:AC-1", "task", "base-passes", "added".
	Why []string `json:"why,omitempty"`
	// BasePasses says that it passes on base: it may not be lost. Every test that passes in all recorded runs
	// of base has to have it; a part of a test whose name is never the same twice shows itself as such in a
	// second run of base. Added says that only head has it.
	BasePasses bool `json:"base_passes,omitempty"`
	Added      bool `json:"added,omitempty"`
	// BaseFails says that base has it and that it does not pass there, so that its failure on head is
	// nobody's news, and explains an exit status other than zero.
	BaseFails bool `json:"base_fails,omitempty"`
}

// Removal is a test that the change may take away.
type Removal struct {
	Test string `json:"test"`
	// ListedBy is who allows it. Only base's and a contract's word count.
	ListedBy Authority `json:"listed_by"`
}

// Criterion kinds.
const (
	CriterionTest   = "test"
	CriterionDeploy = "deploy"
	CriterionManual = "manual" // reported as unverifiable, never as met
)

// Criterion is one thing that the change has to do.
type Criterion struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"`
	// Tests holds test ids, with the spec's patterns resolved. A named test that exists nowhere is listed
	// as it is named.
	Tests []string `json:"tests,omitempty"`
}

// PlannedClosure is one closure that tasks run in.
type PlannedClosure struct {
	ID     string `json:"id"`
	Name   string `json:"name,omitempty"`   // for people: the flake attribute
	Digest string `json:"digest"`           // closure digest, "sha256:" and hex
	Pinned bool   `json:"pinned,omitempty"` // by a lock in which every input has a hash, or without inputs
}

// TreeRole says which code a tree holds.
type TreeRole string

// Tree roles.
const (
	Head TreeRole = "head" // the change
	Base TreeRole = "base" // what it is compared with
	// Hybrid is base's code with the change's tests.
	Hybrid TreeRole = "hybrid"
)

// PlannedTree is one tree that runs see.
type PlannedTree struct {
	ID   string   `json:"id"`
	Role TreeRole `json:"role"`
	// SHA256 is Lane's measure of the tree as git holds it.
	SHA256  string `json:"sha256"`
	GitTree string `json:"git_tree,omitempty"`
}

// PlannedBox is one fenced box that head runs happen in.
type PlannedBox struct {
	ID   string `json:"id"`
	Task string `json:"task"`
}

// PlannedProbe is one attempt to reach the network from the box of a task, with its control.
type PlannedProbe struct {
	ID   string `json:"id"`
	Task string `json:"task"`
}

// PlannedRun is one execution of a task over a whole tree. Runs of mutants are not listed here.
type PlannedRun struct {
	ID   string   `json:"id"`
	Task string   `json:"task"`
	Tree TreeRole `json:"tree"`
	// Variation names what differs from a plain run, by kind: {"order": "1847", "timezone": "Asia/Kolkata"}.
	// Empty for the plain run.
	Variation map[string]string `json:"variation,omitempty"`
	// Canaries are Lane's own tests that must fail in this run.
	Canaries []Canary `json:"canaries,omitempty"`
	// CanariesFailRun says that a failing canary makes the command's exit status other than zero. Such a run
	// says nothing about the exit status of the tests themselves, so each task needs a head run without.
	CanariesFailRun bool `json:"canaries_fail_run,omitempty"`
}

// Canary is a test of Lane's with a random id in the style of the suite's own, which must fail.
type Canary struct {
	Test string `json:"test"`
	Unit string `json:"unit"`
}

// Place kinds.
const (
	PlaceFunction = "function"
	PlaceHunk     = "hunk"
)

// Place is a changed function or hunk, which must have a kill where it has a viable mutant.
type Place struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Name string `json:"name,omitempty"` // for people
}

// Origins of mutants.
const (
	OriginOwn    = "own"    // one of Lane's operators
	OriginPlugin = "plugin" // an operator that a user brought
	OriginRevert = "revert" // a hunk put back to base
)

// PlannedMutant is the code with one small fault in it. The plan lists every mutant in scope (where there
// is a sample, every one that was drawn), also those that are known to be arid, unviable or equivalent.
type PlannedMutant struct {
	ID string `json:"id"`
	// Places lists the ids of the places that it lies in: a function, a hunk, or both.
	Places []string `json:"places,omitempty"`
	// InChange says that it lies on what the change touches, or, where the change is Tree, in what is to be
	// verified. The others were drawn for the quota of a criterion and count for that criterion only.
	InChange bool   `json:"in_change,omitempty"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Operator string `json:"operator"`
	// Origin is OriginOwn, OriginPlugin or OriginRevert.
	Origin string `json:"origin"`
	Tier   string `json:"tier"` // T0, T1, T2, T3
	// Description says the fault in words ("< became <="), Diff as a unified diff; both for people.
	Description string `json:"description,omitempty"`
	Diff        string `json:"diff,omitempty"`
	// Criteria lists the ids of the criteria whose code it lies in.
	Criteria []string `json:"criteria,omitempty"`
	// Arid is the rule by which this mutant is listed and not tried; AridBy is whose rule that is: "lane"
	// or an Authority. The change's own word leaves the mutant to be judged.
	Arid   string    `json:"arid,omitempty"`
	AridBy Authority `json:"arid_by,omitempty"`
	// Known is MutantUnviable or MutantEquivalent where that was proven before anything ran; its observation says the same.
	Known MutantVerdict `json:"known,omitempty"`
}

// ByLane is the authority of Lane's own built-in rules.
const ByLane Authority = "lane"

// Sample says how the mutants of the change were drawn.
type Sample struct {
	// Population counts the mutants of the change that were drawn from, arid ones not counted.
	Population int `json:"population"`
	// AfterHeadFixed says that the seed could not be known while head could still be changed.
	AfterHeadFixed bool   `json:"after_head_fixed"`
	Seed           string `json:"seed,omitempty"`
}

// PlannedNull is a mutant that changes nothing (a comment): every test must pass on it.
type PlannedNull struct {
	ID   string `json:"id"`
	File string `json:"file"`
	// Tier is that of the mutants that it stands for.
	Tier string `json:"tier"`
}

// PlannedBreak is a fault that nobody can miss (a file that does not parse), laid over a file to show that
// the tests really run that file and not an installed copy of it.
type PlannedBreak struct {
	ID   string `json:"id"`
	File string `json:"file"`
	Tier string `json:"tier"`
}

// PlannedAudit is a second trial of a mutant at tier T0. It must come to the same verdict.
type PlannedAudit struct {
	ID     string `json:"id"`
	Mutant string `json:"mutant"`
}

// Explanation accounts for a survivor. It counts only where it is signed from outside the change.
type Explanation struct {
	Mutant string    `json:"mutant"`
	By     Authority `json:"by"`
	Signed bool      `json:"signed"`
	Reason string    `json:"reason"`
}
