package spec

import "strings"

// Setting is one key of a spec, or one of its tables. The reading, the JSON
// Schema and the reference page are all made from the list of them.
type Setting struct {
	// Key is the path of the key, [] standing for the elements of an array
	// of tables: "source.base", "task[].timeout".
	Key string
	// Type names what it takes; see Types. "table" and "tables" hold keys.
	Type string
	// Required keys have no default: a table that lacks one is refused.
	Required bool
	// Default is the TOML value of a key that is not given, "" where there is
	// none or where it depends on other keys, which Doc then says.
	Default string
	// Enum lists the choices of a key that takes one or several of few words.
	Enum []string
	// Min and Max bound an integer.
	Min, Max int64
	// Example is a TOML value, for messages.
	Example string
	// Env is the environment variable that gives the key a value. None of
	// today's keys has one: what a spec says is changed in the spec.
	Env string
	// Doc says what it means, in Markdown.
	Doc string

	meant []string // what people write instead
}

// Name returns the last part of the key.
func (s Setting) Name() string {
	_, name := s.split()
	return strings.TrimSuffix(name, "[]")
}

// Table returns the path of the table that the key is in, "" for the top.
func (s Setting) Table() string {
	table, _ := s.split()
	return table
}

func (s Setting) split() (table, name string) {
	if dot := strings.LastIndexByte(s.Key, '.'); dot >= 0 {
		return s.Key[:dot], s.Key[dot+1:]
	}
	return "", s.Key
}

// isTable is true of a setting that holds settings.
func (s Setting) isTable() bool { return s.Type == "table" || s.Type == "tables" }

// label shows a table as its header is written.
func label(table string) string {
	if name, list := strings.CutSuffix(table, "[]"); list {
		return "[[" + name + "]]"
	}
	return "[" + table + "]"
}

// Settings returns every key of a spec in the order of the reference page.
func Settings() []Setting {
	groups := [][]Setting{topSettings(), sourceSettings(), envSettings(), criterionSettings(), taskSettings(), serviceSettings(), hiddenSettings(), deploySettings(), downstreamSettings(), targetSettings(), restSettings()}
	var all []Setting
	for _, group := range groups {
		all = append(all, group...)
	}
	return all
}

func topSettings() []Setting {
	return []Setting{
		{Key: "id", Type: "id", Required: true, Example: `"cart-discounts"`, meant: []string{"name", "identifier"},
			Doc: "Names the spec in reports, in file names and on the command line. No two specs of one run may share it, whatever their case."},
		{Key: "title", Type: "line", Example: `"A discount code applies once per order"`, meant: []string{"description", "summary"},
			Doc: "What the change is for, in one sentence. By default the id."},
		{Key: "change", Type: "choice", Default: `"feature"`,
			Enum: Changes(), meant: []string{"type", "kind"},
			Doc: "What kind of change it is. `refactor` waives the demand that a test fails on base; `removal` is about code and tests that go; " +
				"`tree` verifies what is there, without any change. A waiver binds only where the spec's authority is `base` or `contract`, or the caller says it on the command line."},
	}
}

func sourceSettings() []Setting {
	return []Setting{
		{Key: "source", Type: "table", meant: []string{"repository", "git"}, Doc: "Which change of which repository is verified."},
		{Key: "source.repo", Type: "repository", Default: `"."`, Example: `"https://example.org/shop.git"`, meant: []string{"url", "path", "repository"},
			Doc: "`.` is the repository that holds the spec; else a path or a URL."},
		{Key: "source.base", Type: "revision", Default: `"main"`, meant: []string{"target", "into", "against"},
			Doc: "What the head is compared with, from the merge-base of the two: a branch, tag or commit. Where the key is left out and there is no branch `main`, the repository's default branch is meant."},
		{Key: "source.head", Type: "revision", Default: `"HEAD"`, meant: []string{"branch", "commit", "rev", "ref"},
			Doc: "The change: a branch, tag or commit, or `WORKTREE` for the files as they lie in the folder, committed or not (a dirty tree caps the level)."},
		{Key: "source.patch", Type: "file", Example: `"fix.diff"`, meant: []string{"diff"},
			Doc: "A patch beside the spec that is applied onto base; then there is no head. None by default."},
		{Key: "source.git", Type: "boolean", Default: "false",
			Doc: "Gives the tree in the box a fresh repository of one commit, for suites that call git. History is never in the box."},
	}
}

func envSettings() []Setting {
	return []Setting{
		{Key: "env", Type: "table", meant: []string{"environment", "nix"}, Doc: "What the tasks run in."},
		{Key: "env.flake", Type: "flake", Default: `".#lane-env"`, meant: []string{"nix", "shell", "closure"},
			Doc: "The closure, as `FOLDER#ATTRIBUTE`. The flake is part of the tree; every input of it is pinned by the flake.lock beside it."},
		{Key: "env.extras", Type: "globs", Default: "[]", Example: `["nix/*.nix"]`, meant: []string{"files", "include"},
			Doc: "Files beside flake.nix and flake.lock that the flake reads. Nix sees these and no others."},
		{Key: "env.accept", Type: "digests", Default: "[]", Example: `["sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"]`,
			meant: []string{"lock", "locks", "digest", "allowed-lock"},
			Doc:   "SHA-256 of files that make the closure (flake.nix, flake.lock, extras) as a change may bring them, as `sha256sum` prints it. Where every such file that the change edits is listed by a spec that the change did not bring, head's closure is used and the level is not capped."},
		{Key: "env.fetch", Type: "commands", Default: "[]", Example: `[["npm", "ci"]]`, meant: []string{"install", "setup", "prepare"},
			Doc: "Commands of the fetch phase, which see manifests and lock files only and reach the hosts of `allow`. They start at the root of the tree."},
		{Key: "env.allow", Type: "hosts", Default: "[]", Example: `["registry.example.org:443"]`, meant: []string{"hosts", "network", "allowed"},
			Doc: "The hosts that the fetch phase may reach. The test phase reaches none."},
		{Key: "env.tree", Type: "choice", Default: `"overlay"`, Enum: []string{TreeOverlay, TreeCopy},
			Doc: "How the tree gets into the box. `copy` is slower and serves suites that rename folders of their tree, which an overlay refuses (EXDEV)."},
		{Key: "env.fence", Type: "choice", Default: `"local"`, Enum: []string{FenceLocal, FenceWASI, FenceContainer}, meant: []string{"sandbox", "box"},
			Doc: "What holds the commands: Linux namespaces on this machine, a WASI runtime, or podman or docker. Under `wasi` a task is `go test`, whose test programs are built for it in a box of namespaces, or `PATH.wasm` and arguments, a WASI command of the tree that runs on any system and needs no flake; it is the default where every task is such a command. Lane refuses a fence that it does not have; it never runs without one."},
	}
}

func criterionSettings() []Setting {
	return []Setting{
		{Key: "criterion[]", Type: "tables", meant: []string{"criteria", "acceptance", "requirement"},
			Doc: "One thing that the change has to bring about."},
		{Key: "criterion[].id", Type: "id", Required: true, Example: `"AC-1"`, meant: []string{"name"},
			Doc: "Unique among the criteria of the spec, whatever their case."},
		{Key: "criterion[].kind", Type: "choice", Default: `"test"`, Enum: []string{KindTest, KindDeploy, KindManual, KindBlackBox, KindTarget}, meant: []string{"type"},
			Doc: "What shows that it is met. `target` is met by tests of tasks of kind `api` or `browser` ([target.md](target.md#tasks-that-test-the-target)). `manual` is reported as unverifiable, never as met. `black-box` is met where hidden tests of that kind passed ([contract.md](contract.md#hidden-tests)), against code that looks at its caller; elsewhere it is unverifiable."},
		{Key: "criterion[].text", Type: "text", Required: true, Example: `"A discount code applies at most once per order"`, meant: []string{"description", "title", "given"},
			Doc: "What is to be true, for people."},
		{Key: "criterion[].code", Type: "globs", Default: "[]", Example: `["src/cart/**"]`, meant: []string{"files", "paths", "covers", "src"},
			Doc: "The code it is about. It gets a share of the mutants also outside the diff, and the criterion's tests have to kill one."},
		{Key: "criterion[].tests", Type: "tests", Default: "[]", Example: `["tests/test_discount.py::test_once"]`,
			Doc: "The tests that show it, named as their runner names them. They are required. A criterion of kind `test` names at least one, or a removed one; one of kind `target` names at least one."},
		{Key: "criterion[].removes", Type: "tests", Default: "[]", Example: `["tests/test_legacy.py::test_old"]`, meant: []string{"removed", "deletes"},
			Doc: "Tests that the change may remove. Every other test that passes on base has to pass on head."},
	}
}

func taskSettings() []Setting {
	return []Setting{
		{Key: "task[]", Type: "tables", Required: true, meant: []string{"command", "step", "job", "run", "check"},
			Doc: "One test command, run in one closure."},
		{Key: "task[].name", Type: "id", Required: true, Example: `"unit"`, meant: []string{"id", "title"},
			Doc: "Unique among the tasks of the spec, whatever their case."},
		{Key: "task[].kind", Type: "choice", Default: `"test"`, Enum: []string{TaskTest, TaskAPI, TaskBrowser}, meant: []string{"type", "on"},
			Doc: "What it tests. `test` is the tree. `api` and `browser` test the running target of `[target]`, from a box that reaches nothing else, and find `LANE_TARGET_URL`; `browser` finds the closure's browser by `LANE_BROWSER` as well. See [target.md](target.md#tasks-that-test-the-target)."},
		{Key: "task[].run", Type: "command", Required: true, Example: `["go", "test", "./..."]`, meant: []string{"command", "cmd", "script", "exec", "args"},
			Doc: "The command and its arguments. No shell reads it; where one is wanted, write `[\"sh\", \"-c\", \"...\"]`."},
		{Key: "task[].build", Type: "command", Example: `["make"]`, meant: []string{"compile", "prepare", "before"},
			Doc: "A command that is run first, in the same box, folder and time. Where it fails, nothing was tested: a mutant that it does not build is `unviable`, " +
				"and a tree that it does not build has failed. For a language that is compiled, kills count only with it, or where the reporter builds itself (`go`). None by default."},
		{Key: "task[].reporter", Type: "reporter", Default: `"auto"`, meant: []string{"format", "runner", "framework", "report"},
			Enum: []string{"auto", "go", "pytest", "unittest", "node", "vitest", "jest", "mocha", "tap", "exit", "junit:PATH"},
			Doc:  "How the tests report to Lane. `auto` looks at the command. What `vitest`, `jest`, `mocha`, `tap`, `junit:PATH` and `exit` say, the code under test can forge; the verdict says so."},
		{Key: "task[].timeout", Type: "duration", Example: `"5m"`, meant: []string{"limit", "deadline", "time"},
			Doc: "Of one execution; then every process of the box is ended. By default 5m, or the deadline where that is shorter."},
		{Key: "task[].dir", Type: "folder", Default: `"."`, Example: `"services/cart"`, meant: []string{"cwd", "workdir", "directory", "folder", "path"},
			Doc: "The folder of the tree that the command starts in."},
		{Key: "task[].env", Type: "variables", Default: "{}", Example: `{CI = "1"}`, meant: []string{"environment", "vars", "variables"},
			Doc: "Environment variables beside those that Lane sets. Variables that steer a tool or load code are refused by name."},
		{Key: "task[].tests", Type: "tests", Default: "[]", Example: `["example.org/shop/cart.TestOnce"]`, meant: []string{"required", "names"},
			Doc: "Tests that have to pass, beside those of the criteria. Where neither names one of a task of kind `api` or `browser`, every test that it shows has to."},
		{Key: "task[].flake", Type: "flake", Example: `".#lane-env"`, Doc: "The task's own closure. By default that of `[env]`."},
		{Key: "task[].fetch", Type: "commands", Example: `[["npm", "ci"]]`, Doc: "The task's own fetch phase, which starts where the task does. By default that of `[env]`."},
		{Key: "task[].allow", Type: "hosts", Example: `["registry.example.org:443"]`, Doc: "The task's own hosts. By default those of `[env]`."},
	}
}

func restSettings() []Setting {
	return []Setting{
		{Key: "tests", Type: "table", meant: []string{"test"}, Doc: "Tests that belong to no one criterion or task."},
		{Key: "tests.required", Type: "tests", Default: "[]", Example: `["example.org/shop/cart.TestOnce"]`, meant: []string{"require", "names"},
			Doc: "Tests of the tree that have to pass. Where neither this key nor a criterion nor a task names one, every test that passes on base and every test that the change adds is required."},
		{Key: "tests.removes", Type: "tests", Default: "[]", Example: `["example.org/shop/cart.TestOld"]`, meant: []string{"removed", "deletes"},
			Doc: "Tests that the change may remove."},

		{Key: "stability", Type: "table", meant: []string{"flaky", "repeat", "retries"}, Doc: "How often and how differently the tests are run."},
		{Key: "stability.runs", Type: "integer", Default: "3", Min: 1, Max: 1000, meant: []string{"count", "times", "repeat", "retries"},
			Doc: "Executions of each task on the change. VAL-1 needs at least 3. None is a retry: the worst one counts."},
		{Key: "stability.vary", Type: "choices", Default: `["order", "timezone", "hash-seed"]`, Enum: []string{VaryOrder, VaryTimezone, VaryHashSeed},
			meant: []string{"variations", "shuffle"}, Doc: "What differs from one execution to the next."},

		{Key: "mutation", Type: "table", meant: []string{"mutate", "mutants", "mutations"}, Doc: "Which code gets mutants, and for how long."},
		{Key: "mutation.scope", Type: "choice", Default: `"diff"`, Enum: []string{ScopeDiff, ScopeCriteria, ScopeAll}, meant: []string{"mode", "files"},
			Doc: "`diff` is the lines that changed since the merge-base, and a share for the code of each criterion; `criteria` is the code of the criteria; `all` is every file that is no test."},
		{Key: "mutation.budget", Type: "duration", Example: `"15m"`, meant: []string{"timeout", "time", "limit"},
			Doc: "Time for all mutants. What is not judged by then is a sample, or not enough. By default 15m, or the deadline where that is shorter."},
		{Key: "mutation.baseline", Type: "file", Example: `"accepted.toml"`, meant: []string{"accept", "accepted", "survivors"},
			Doc: "The file of accepted survivors, relative to the spec's folder; by default `lane.mutants.toml`, where there is one. A check takes it from base alone, and its entries account for a survivor where the spec is a signed contract; see [mutation.md](mutation.md#accepting-survivors)."},

		{Key: "mutation.plugin[]", Type: "tables", meant: []string{"plugins", "operator", "operators"},
			Doc: "An operator that you bring, as WebAssembly; see [plugins.md](plugins.md). Its mutants are tried beside Lane's own, and their kills alone never make `mutants-killed` hold."},
		{Key: "mutation.plugin[].path", Type: "file", Required: true, Example: `"lane/units.wasm"`, meant: []string{"file", "wasm", "name"}, Doc: "The file, relative to the spec's folder."},
		{Key: "mutation.plugin[].sha256", Type: "digest", Required: true, Example: `"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"`,
			meant: []string{"digest", "hash", "sha"}, Doc: "SHA-256 of the file. One that differs is not run."},

		{Key: "limits", Type: "table", meant: []string{"limit", "resources"}, Doc: "Bounds of the check as a whole and of each box."},
		{Key: "limits.deadline", Type: "duration", Default: `"1h"`, meant: []string{"timeout", "time"},
			Doc: "Of the whole spec, every stage of it. A watchdog gives a stalled stage a terminal verdict."},
		{Key: "limits.memory", Type: "size", Default: `"2GiB"`, meant: []string{"mem", "ram"}, Doc: "Of all processes of a box together."},
		{Key: "limits.processes", Type: "integer", Default: "512", Min: 1, Max: 1 << 22, meant: []string{"pids", "procs", "threads"},
			Doc: "Processes and threads of a box at one time."},
		{Key: "limits.cpus", Type: "integer", Default: "2", Min: 1, Max: 4096, meant: []string{"cpu", "cores"}, Doc: "Processors that a box may keep busy."},

		{Key: "assurance", Type: "table", meant: []string{"val", "gate", "require"}, Doc: "What the verdict has to reach."},
		{Key: "assurance.require", Type: "integer", Default: "1", Min: 0, Max: 3, meant: []string{"level", "val", "min-val", "minimum"},
			Doc: "The assurance level from 0 to 3. A check that passes at a lower one exits 4. VAL-4 is production, which Lane never claims."},
		{Key: "assurance.protect", Type: "globs", Default: "[]", Example: `["acceptance/**"]`, meant: []string{"protected", "readonly", "frozen", "locked"},
			Doc: "Paths that the change may not touch: a file of theirs that it edits, adds or takes away makes the outcome `tampered`. It binds where the spec's authority is `contract`, `base` or `caller`; see [contract.md](contract.md)."},
	}
}
