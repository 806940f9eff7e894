package jsrunner

import (
	_ "embed"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// A dialect is what differs between the runners.
type dialect struct {
	name     string
	programs []string // files that start it, below node_modules
	run      string   // its subcommand that runs tests once; "" where it has none
	others   []string // subcommands that do something else
	valued   []string // options that take the next word as their value
	switches []string // options that do not
	chooses  []string // options that say which tests run: tests of such a command are not selected
	script   string   // where its reporter lies
	source   []byte

	report   func(c command) []string          // options that add the reporter
	files    func(paths []string) []string     // words that select files
	titles   string                            // the option for an expression of full titles
	failFast string                            // the option that stops at the first failure
	shuffle  func(seed uint64) []string        // options for another order; nil where it has none that all releases know
	settings func(tree fs.FS, d string) string // why the tree's own settings forbid to select; nil where they never do
	apart    bool                              // files are not told apart within one run
	sequence []string                          // options by which the files that are asked first come first
	beside   map[string][]byte                 // what lies beside the reporter
	isolate  string                            // the option that gives each test file modules of its own, while it is recorded what it reaches; "" where it always has
}

const folder = "/lane/js/"

//go:embed vitest.mjs
var vitestScript []byte

//go:embed jest.cjs
var jestScript []byte

//go:embed sequence.cjs
var sequenceScript []byte

//go:embed mocha.cjs
var mochaScript []byte

func vitest() *dialect {
	return &dialect{
		name: "vitest", programs: []string{"vitest/vitest.mjs", "vitest/dist/cli.js"}, run: "run",
		others: strings.Fields("watch dev related bench list init typecheck complete"),
		valued: strings.Fields(`-r --root -c --config --dir --outputFile --maxWorkers --minWorkers --environment --pool --retry --diff --exclude
			--mode --testTimeout --hookTimeout --teardownTimeout --maxConcurrency --workspace --configLoader --reporter --slowTestThreshold`),
		switches: strings.Fields(`--run --coverage --globals --dom --passWithNoTests --silent --isolate --allowOnly --cache --hideSkippedTests -u --update
			--fileParallelism --file-parallelism --expandSnapshotDiff --printConsoleTrace --logHeapUsage --clearScreen`),
		chooses: strings.Fields("-t --testNamePattern --shard --changed --project --bail -w --watch --ui --browser --typecheck.only --standalone --mergeReports"),
		script:  folder + "vitest.mjs", source: vitestScript,
		report: func(c command) []string {
			if c.has("--reporter") {
				return []string{"--reporter=" + folder + "vitest.mjs"}
			}
			return []string{"--reporter=default", "--reporter=" + folder + "vitest.mjs"}
		},
		files:  func(paths []string) []string { return paths },
		titles: "--testNamePattern", failFast: "--bail=1",
		shuffle: func(seed uint64) []string {
			return []string{"--sequence.shuffle", "--sequence.seed=" + strconv.FormatUint(seed&(1<<31-1), 10)}
		},
		isolate: "--isolate",
	}
}

func jest() *dialect {
	return &dialect{
		name: "jest", programs: []string{"jest/bin/jest.js", "jest-cli/bin/jest.js", ".bin/jest"},
		valued: strings.Fields("-c --config --testTimeout --maxWorkers -w --rootDir --env --testEnvironment --coverageDirectory --cacheDirectory --seed --outputFile --logHeapUsage"),
		switches: strings.Fields(`--ci --coverage --runInBand -i --verbose --silent --passWithNoTests --colors --detectOpenHandles --forceExit --watchman
			--injectGlobals --cache --expand -e --errorOnDeprecated --randomize -u --updateSnapshot --listTests`),
		chooses: strings.Fields(`-t --testNamePattern --testPathPattern --testPathPatterns --testPathIgnorePatterns --findRelatedTests --onlyChanged -o --onlyFailures -f
			--changedSince --lastCommit --shard --bail -b --watch --watchAll --testSequencer --runTestsByPath --filter`),
		script: folder + "jest.cjs", source: jestScript,
		report: func(c command) []string {
			if c.has("--reporters") {
				return []string{"--reporters=" + folder + "jest.cjs"}
			}
			return []string{"--reporters=default", "--reporters=" + folder + "jest.cjs"}
		},
		files:  func(paths []string) []string { return append([]string{"--runTestsByPath"}, paths...) },
		titles: "--testNamePattern", failFast: "--bail=1",
		sequence: []string{"--testSequencer=" + folder + "sequence.cjs"}, beside: map[string][]byte{folder + "sequence.cjs": sequenceScript},
	}
}

// chosen is a key of settings that adds files to those of the command line.
var chosen = regexp.MustCompile(`(?m)["']?\b(spec|file)["']?\s*:`)

func mocha() *dialect {
	return &dialect{
		name: "mocha", programs: []string{"mocha/bin/mocha.js", "mocha/bin/mocha", "mocha/bin/_mocha", ".bin/mocha", ".bin/_mocha"},
		valued: strings.Fields(`--config --package --reporter -R --ui -u --timeout --timeouts -t --slow -s --require -r --import --loader --retries --extension
			--reporter-option --reporter-options -O --jobs -j`),
		switches: strings.Fields(`--exit --recursive --colors --color -c --parallel -p --forbid-only --forbid-pending --check-leaks --full-trace --sort -S
			--async-only -A --allow-uncaught --inline-diffs --diff --fail-zero --enable-source-maps`),
		chooses: strings.Fields("--grep -g --fgrep -f --invert -i --spec --file --ignore --exclude --bail -b --watch -w --dry-run --delay"),
		script:  folder + "mocha.cjs", source: mochaScript,
		report: func(command) []string { return []string{"--reporter", folder + "mocha.cjs"} },
		files:  func(paths []string) []string { return paths },
		titles: "--grep", failFast: "--bail",
		settings: func(tree fs.FS, dir string) string {
			for _, name := range []string{".mocharc.js", ".mocharc.cjs", ".mocharc.mjs", ".mocharc.yaml", ".mocharc.yml", ".mocharc.jsonc", ".mocharc.json"} {
				if text, err := fs.ReadFile(tree, path.Join(dir, name)); err == nil && chosen.Match(text) {
					return name + " names files that every run has"
				}
			}
			if text, err := fs.ReadFile(tree, path.Join(dir, "package.json")); err == nil && strings.Contains(string(text), `"mocha": {`) && chosen.Match(text) {
				return "package.json may name files that every run has"
			}
			return ""
		},
		apart: true,
	}
}
