package spec

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestRules has one row per rule: the lines at the top of a spec that break it
// (the id stands in line 1, a good task follows), and the whole message.
func TestRules(t *testing.T) {
	criterion := func(lines string) string { return "[[criterion]]\nid = \"A\"\ntext = \"t\"\n" + lines }
	onTarget := func(kind, more string) string {
		return "\n[[task]]\nname = \"shop\"\nkind = \"" + kind + "\"\nrun = [\"a\"]\n" + more
	}
	service := func(name string, port int, lines string) string {
		return fmt.Sprintf("[[service]]\nname = %q\nup = [\"a\"]\nport = %d\n%s\n", name, port, lines)
	}
	target := func(lines string) string {
		return "[target]\n" + lines + "\nup = [\"a\"]\nport = 1\ncheck = [\"b\"]\n"
	}
	commit := strings.Repeat("5f", 20)
	user := func(lines string) string { return "[[downstream]]\nrun = [\"a\"]\nsource = \"b\"\n" + lines + "\n" }
	tests := []struct{ rule, top, want string }{
		{"title", `title = "  "`, `2:9: "title" cannot be "  ": it says nothing`},
		{"title on one line", `title = "a\nb"`, `2:9: "title" cannot be "a\nb": it has the character '\n'`},
		{"text that hides text", `title = "a\u202eb"`, `2:9: "title" cannot be "a\u202eb": it has the character '\u202e'`},
		{"change", `change = "refactoring"`, `2:10: "change" cannot be "refactoring": choose feature, fix, refactor, removal or tree; did you mean "refactor"?`},
		{"change, nothing near", `change = "x"`, `2:10: "change" cannot be "x": choose feature, fix, refactor, removal or tree`},

		{"repo", "[source]\nrepo = \"\"", `3:8: "repo" cannot be empty; "." is the repository that holds the spec`},
		{"repo as an option", "[source]\nrepo = \"--upload-pack=x\"", `3:8: "repo" cannot be "--upload-pack=x": it looks like an option; write "./--upload-pack=x" for a folder of that name`},
		{"repo that runs a command", "[source]\nrepo = \"ext::sh -c x\"", `3:8: "repo" cannot be "ext::sh -c x": a transport that runs a command; use https, ssh, git or file`},
		{"repo of another scheme", "[source]\nrepo = \"ftp://h/r\"", `3:8: "repo" cannot be "ftp://h/r": unknown scheme "ftp"; use https, ssh, git or file`},
		{"repo with a password", "[source]\nrepo = \"https://u:secret@h/r\"", `3:8: "repo" cannot hold a password: it would be written into reports; let git's credential helper give it`},
		{"range", "[source]\nbase = \"main..x\"", `3:8: "base" cannot be "main..x": a range; name one commit; Lane finds the merge-base itself`},
		{"revision as an option", "[source]\nhead = \"-x\"", `3:8: "head" cannot be "-x": it looks like an option; name a branch, tag or commit`},
		{"revision with a path", "[source]\nhead = \"HEAD:a\"", `3:8: "head" cannot be "HEAD:a": no name of a commit has any of space : ? * [ \; name a branch, tag or commit`},
		{"no revision", "[source]\nhead = \"\"", `3:8: "head" cannot be empty; name a branch, tag or commit`},
		{"patch and head", "[source]\nhead = \"x\"\npatch = \"a.diff\"", `4:9: "patch" and "head" exclude each other: a patch is applied onto base; take one of them out`},
		{"patch of no change", "change = \"tree\"\n[source]\npatch = \"a.diff\"", `4:9: change = "tree" verifies what is there, and a patch is a change; take the patch out, or say what kind of change it is`},
		{"patch outside", "[source]\npatch = \"/tmp/a.diff\"", `3:9: "patch" cannot be "/tmp/a.diff": a patch is never absolute; write it relative to the folder of the spec`},
		{"patch that climbs", "[source]\npatch = \"../a.diff\"", `3:9: "patch" cannot be "../a.diff": a patch never has a .. in it; write it relative to the folder of the spec`},
		{"patch is a folder", "[source]\npatch = \"a/\"", `3:9: "patch" cannot be "a/": it names a folder, not a file`},

		{"flake without attribute", "[env]\nflake = \"nix/\"", `3:9: "flake" cannot be "nix/": it names no attribute; write "nix#lane-env"`},
		{"flake from elsewhere", "[env]\nflake = \"github:NixOS/nixpkgs#go\"", `3:9: "flake" cannot be "github:NixOS/nixpkgs#go": the flake has to be part of the tree; put a flake.nix into the repository and name it, as in ".#lane-env"`},
		{"flake outside", "[env]\nflake = \"../x#y\"", `3:9: "flake" cannot be "../x#y": the folder of a flake never has a .. in it; write it relative to the root of the tree`},
		{"flake with a strange attribute", "[env]\nflake = \".#a b\"", `3:9: "flake" cannot be ".#a b": "a b" is no attribute of a flake; write FOLDER#ATTRIBUTE, as in ".#lane-env"`},
		{"empty command", "[env]\nfetch = [[]]", `3:10: "fetch" cannot be empty: there is nothing to run; write fetch = [["npm", "ci"]]`},
		{"commands in one list", "[env]\nfetch = [\"npm\", \"ci\"]", `3:10: "fetch" wants a list of commands, each a list of strings, not a string; write fetch = [["npm", "ci"]]`},
		{"extras outside", "[env]\nextras = [\"../x\"]", `3:11: "extras" cannot be "../x": a pattern never has a .. in it; write it relative to the root of the tree`},
		{"accepted digest", "[env]\naccept = [\"sha256:2C26\"]", `3:11: "accept" cannot be "sha256:2C26": it is no SHA-256 digest; write sha256: and what sha256sum prints of the file`},
		{"tree", "[env]\ntree = \"cpy\"", `3:8: "tree" cannot be "cpy": choose overlay or copy; did you mean "copy"?`},
		{"fence", "[env]\nfence = \"docker\"", `3:9: "fence" cannot be "docker": choose local, wasi or container`},

		{"criterion without tests", criterion(""), `2:1: a criterion of kind "test" names no test: nothing can show that it is met; add tests = ["..."], or write kind = "manual" if only a person can tell`},
		{"criterion with an empty list", criterion("tests = []"), `2:1: a criterion of kind "test" names no test: nothing can show that it is met; add tests = ["..."], or write kind = "manual" if only a person can tell`},
		{"manual with tests", criterion("kind = \"manual\"\ntests = [\"a\"]"), `6:9: a criterion of kind "manual" is never met by tests; write kind = "test", or take the tests out`},
		{"removed and required", criterion("tests = [\"a\", \"b\"]\nremoves = [\"b\"]"), `6:12: the test "b" is required and may be removed at once; take it out of one of the two`},
		{"removed and required elsewhere", "[tests]\nrequired = [\"a\"]\nremoves = [\"b\", \"a\"]", `4:17: the test "a" is required and may be removed at once; take it out of one of the two`},
		{"a test twice", criterion("tests = [\"a\", \"a\"]"), `5:15: "tests" has "a" twice`},
		{"a test without a name", criterion("tests = [\" \"]"), `5:10: "tests" cannot be " ": an empty name; name a test as its runner does`},
		{"a test with space around it", criterion("tests = [\"a \"]"), `5:10: "tests" cannot be "a ": space at its begin or end`},
		{"a test that acts on a terminal", criterion("tests = [\"a\\u001b[2J\"]"), `5:10: "tests" cannot be "a\x1b[2J": it has the character '\x1b'`},
		{"an id twice", criterion("kind = \"manual\"\n") + criterion("kind = \"manual\"\n"), `7:6: the criterion "A" is already defined in line 3`},

		{"service without a port", "[[service]]\nname = \"db\"\nup = [\"a\"]\n", `2:1: missing key "port" in [[service]]; write port = 6379`},
		{"service at a port that only root may have", service("db", 80, ""), `5:8: "port" cannot be 80: at least 1024`},
		{"services of one name", service("db", 2000, "") + service("DB", 2001, ""), `8:8: the service "DB" is already defined in line 3 as "db": ids differ by more than case`},
		{"services of one variable", service("my-db", 2000, "") + service("my.db", 2001, ""), `8:8: the services "my-db" and "my.db" would be told to tests by one variable; give one of them another name`},
		{"services of one port", service("a", 2000, "") + service("b", 2000, ""), `10:8: the services "a" and "b" have one port in one task; give one of them another port`},
		{"service of no task", service("db", 2000, `tasks = ["other"]`), `6:10: there is no task "other"; name tasks of this spec`},
		{"service of a task on the target", service("db", 2000, `tasks = ["shop"]`) + onTarget("api", target("production = false")), `6:10: the task "shop" tests the target, and talks to nothing else; name tasks that test the tree`},
		{"service that nobody uses", service("db", 2000, `tasks = []`), `6:9: "tasks" names none: nothing would talk to the service; name a task, or leave the key out for all`},
		{"five services", service("a", 2000, "") + service("b", 2001, "") + service("c", 2002, "") + service("d", 2003, "") + service("e", 2004, ""), `29:8: the task "unit" has 5 services, and 4 is the most; name the tasks of each service`},
		{"target of production", target("production = true"), `3:14: "production" is true: Lane never touches production; name a target that may be destroyed, and write production = false`},
		{"target that says nothing of production", target(""), `2:1: missing key "production" in [target]; write production = false`},
		{"target without a label", target("production = false\nname = \"shop\""), `4:8: "name" cannot be "shop": it does not hold {label} once, so that one run's target could be taken for another's; write it as in "shop-{label}"`},
		{"target whose name is a path", target("production = false\nname = \"../{label}\""), `4:8: "name" cannot be "../label": it has ".."; an id ` + idWords},
		{"target of no task", target("production = false\ntask = \"other\""), `4:8: there is no task "other"; name one of the tasks of this spec`},
		{"health on another host", target("production = false\nhealth = \"//other/\""), `4:10: "health" cannot be "//other/": it does not begin with one slash; write a path such as "/healthz"`},
		{"health that splits a request", target("production = false\nhealth = \"/ HTTP/1.1\""), `4:10: "health" cannot be "/ HTTP/1.1": the character ' ' is in no path of a URL; write such characters as %XX`},

		{"target that nobody checks", "[target]\nproduction = false\nup = [\"a\"]\nport = 1", `2:1: [target] has no check, and no task tests the target; write check = ["..."], or add a [[task]] of kind "api"`},
		{"task on no target", onTarget("api", ""), `5:8: a task of kind "api" tests a running target, and the spec has none; say in [target] how it is put up`},
		{"hidden tests of a task on the target", "[hidden]\ntask = \"shop\"\n" + onTarget("browser", target("production = false")), `3:8: there is no task "shop" that tests the tree; name one of the spec's tasks`},
		{"criterion of no target", criterion("kind = \"target\"\ntests = [\"a\"]"), `5:8: a criterion of kind "target" is met by tasks that test the target, and there is none; add a [[task]] of kind "api"`},
		{"target criterion without tests", criterion("kind = \"target\"") + onTarget("api", target("production = false")), `2:1: a criterion of kind "target" names no test: nothing can show that it is met; add tests = ["..."]: tests of a task of kind "api" or "browser"`},
		{"target criterion with mutants", criterion("kind = \"target\"\ntests = [\"a\"]\ncode = [\"b\"]") + onTarget("api", target("production = false")), `7:8: a criterion of kind "target" has no "code": its tests are run on no mutant, and not on base; take it out, or write kind = "test"`},
		{"no task but on the target", "run = [\"a\"]\nkind = \"api\"\n" + target("production = false"), `5:8: no task tests the tree: tests of a running target show no change by themselves; add a [[task]] of kind "test"`},

		{"no run", "", `2:1: missing key "run" in [[task]]; write run = ["go", "test", "./..."]`},
		{"empty run", "run = []", `4:7: "run" cannot be empty: there is nothing to run; write run = ["go", "test", "./..."]`},
		{"run without a command", "run = [\"\", \"x\"]", `4:8: "run" cannot begin with "": the first is the command; write run = ["go", "test", "./..."]`},
		{"run with a NUL", "run = [\"a\\u0000\"]", `4:8: "run" cannot be "a\x00": it has a NUL character`},
		{"run as a string", "run = \"go test\"", `4:7: "run" wants a list of strings, not a string; write run = ["go", "test"]`},
		{"run for a shell", "run = \"a && b\"", `4:7: "run" wants a list of strings, not a string; write run = ["go", "test", "./..."]`},
		{"run of other things", "run = [\"a\", 1]", `4:13: "run" wants strings, not an integer; write run = ["go", "test", "./..."]`},
		{"reporter", "run = [\"a\"]\nreporter = \"pytset\"", `5:12: "reporter" cannot be "pytset": choose auto, go, pytest, unittest, node, vitest, jest, mocha, tap, exit or junit:PATH; did you mean "pytest"?`},
		{"reporter without its path", "run = [\"a\"]\nreporter = \"junit\"", `5:12: "reporter" cannot be "junit": the path is missing; write "junit:PATH" with the report's own path, as in "junit:build/report.xml"`},
		{"reporter outside", "run = [\"a\"]\nreporter = \"junit:/tmp/x\"", `5:12: "reporter" cannot be "junit:/tmp/x": a report is never absolute; write it relative to the folder that the task starts in`},
		{"timeout in words", "run = [\"a\"]\ntimeout = \"5 min\"", `5:11: "timeout" cannot be "5 min": no duration; write "5m"`},
		{"timeout beyond the deadline", "run = [\"a\"]\ntimeout = \"2h\"", `5:11: "timeout" is longer than the deadline of 1h; raise limits.deadline`},
		{"absolute dir", "run = [\"a\"]\ndir = \"/x\"", `5:7: "dir" cannot be "/x": a folder is never absolute; write it relative to the root of the tree`},
		{"dir of another system", "run = [\"a\"]\ndir = 'C:\\x'", `5:7: "dir" cannot be "C:\\x": it has a backslash; separate folders by /`},
		{"dir at home", "run = [\"a\"]\ndir = \"~/x\"", `5:7: "dir" cannot be "~/x": there is no home folder; write it relative to the root of the tree`},
		{"variable with a bad name", "run = [\"a\"]\nenv = {\"A-B\" = \"1\"}", `5:8: "env" cannot set the variable "A-B"; a name has letters, digits and _, and no digit first`},
		{"variable that is a number", "run = [\"a\"]\nenv = {A = 1}", `5:12: the variable "A" wants a string, not an integer; write env = {CI = "1"}`},

		{"no runs", "[stability]\nruns = 0", `3:8: "runs" cannot be 0: at least 1`},
		{"negative runs", "[stability]\nruns = -3", `3:8: "runs" cannot be -3: at least 1`},
		{"too many runs", "[stability]\nruns = 1001", `3:8: "runs" cannot be 1001: at most 1000`},
		{"runs with a fraction", "[stability]\nruns = 2.5", `3:8: "runs" wants an integer, not a fraction; write runs = 3`},
		{"vary", "[stability]\nvary = [\"time-zone\"]", `3:9: "vary" cannot be "time-zone": choose order, timezone or hash-seed; did you mean "timezone"?`},
		{"vary twice", "[stability]\nvary = [\"order\", \"order\"]", `3:18: "vary" has "order" twice`},
		{"scope", "[mutation]\nscope = \"everything\"", `3:9: "scope" cannot be "everything": choose diff, criteria or all`},
		{"scope without code", "[mutation]\nscope = \"criteria\"", `3:9: "scope" is "criteria", and no criterion names its code; add code to a [[criterion]], or write scope = "diff"`},
		{"no budget", "[mutation]\nbudget = \"0s\"", `3:10: "budget" cannot be "0s": the time has to be above 0`},
		{"negative budget", "[mutation]\nbudget = \"-5m\"", `3:10: "budget" cannot be "-5m": a time is not negative`},
		{"budget beyond the deadline", "[mutation]\nbudget = \"3h\"", `3:10: "budget" is longer than the deadline of 1h; raise limits.deadline`},
		{"endless deadline", "[limits]\ndeadline = \"10000h\"", `3:12: "deadline" cannot be "10000h": more than 720 hours`},
		{"memory without a unit", "[limits]\nmemory = \"100\"", `3:10: "memory" cannot be "100": no size; write a number and a unit (B, KiB, MiB, GiB, TiB), as in "512MiB" or "2GiB"`},
		{"no memory", "[limits]\nmemory = \"0B\"", `3:10: "memory" cannot be "0B": no process starts in less than 1MiB`},
		{"negative memory", "[limits]\nmemory = \"-1GiB\"", `3:10: "memory" cannot be "-1GiB": a size is not negative`},
		{"no processes", "[limits]\nprocesses = 0", `3:13: "processes" cannot be 0: at least 1`},
		{"no processor", "[limits]\ncpus = 0", `3:8: "cpus" cannot be 0: at least 1`},
		{"black-box criterion with tests", criterion("kind = \"black-box\"\ntests = [\"a\"]"), `6:9: a criterion of kind "black-box" is met by hidden tests; name them in the archive, or write kind = "test"`},
		{"hidden tests of no task", "[hidden]\ntask = \"other\"", `3:8: there is no task "other" that tests the tree; name one of the spec's tasks`},
		{"hidden tests beyond the deadline", "[hidden]\ntimeout = \"2h\"", `3:11: "timeout" is longer than the deadline of 1h; raise limits.deadline`},
		{"black box that nobody drives", "[hidden]\nkind = \"black-box\"\nprogram = [\"a\"]", `2:1: a black box has no command that tests; write run = ["..."]: a command of the closure that reads the archive`},
		{"black box without a program", "[hidden]\nkind = \"black-box\"\nrun = [\"a\"]", `2:1: a black box has no program to talk to; write program = ["..."]: a command that runs in the tree`},
		{"program in the process", "[hidden]\nprogram = [\"a\"]", `3:11: only a black box talks to a program; write kind = "black-box", or take the program out`},
		{"user without a commit", user("name = \"a\"\nplace = \"b\""), `2:1: missing key "commit" in [[downstream]]; write commit = "5f0c2c1e8a3cbb0c8cf1a1c2c8a4d1c3b5a69788"`},
		{"user at a branch", user("name = \"a\"\nplace = \"b\"\ncommit = \"main\""), `7:10: "commit" cannot be "main": it is no id of a commit, which has 40 hexadecimal digits in lower case; write what git rev-parse prints of it`},
		{"user that is the library", user("name = \"a\"\nplace = \"./.\"\ncommit = \"" + commit + "\""), `6:9: "place" is the whole of the user's tree, so that there would be no user; name a folder of it, as in "vendor/example.org/shop"`},
		{"user outside of its tree", user("name = \"a\"\nplace = \"../b\"\ncommit = \"" + commit + "\""), `6:9: "place" cannot be "../b": a folder never has a .. in it; write it relative to the root of the tree`},
		{"user that starts below the library", user("name = \"a\"\nplace = \"lib\"\ndir = \"./lib/x\"\ncommit = \"" + commit + "\""), `7:7: "dir" lies in "place": the suite would be that of the tree under test; name a folder of the user's own`},
		{"user in no task's box", user("name = \"a\"\nplace = \"b\"\ncommit = \"" + commit + "\"\ntask = \"other\""), `8:8: there is no task "other" that tests the tree; name a [[task]] of this spec`},
		{"user in the box of a task on the target", user("name = \"a\"\nplace = \"b\"\ncommit = \""+commit+"\"\ntask = \"shop\"") + onTarget("api", target("production = false")), `8:8: there is no task "shop" that tests the tree; name a [[task]] of this spec`},
		{"user beyond the deadline", user("name = \"a\"\nplace = \"b\"\ncommit = \"" + commit + "\"\ntimeout = \"2h\""), `8:11: "timeout" is longer than the deadline of 1h; raise limits.deadline`},
		{"user twice", user("name = \"a\"\nplace = \"b\"\ncommit = \""+commit+"\"") + user("name = \"A\"\nplace = \"b\"\ncommit = \""+commit+"\""),
			`11:8: the downstream user "A" is already defined in line 5 as "a": ids differ by more than case`},
		{"production", "[assurance]\nrequire = 4", `3:11: "require" cannot be 4: at most 3`},
		{"negative level", "[assurance]\nrequire = -1", `3:11: "require" cannot be -1: at least 0`},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			text := withTask(tt.top)
			if strings.HasPrefix(tt.top, "run = ") || tt.top == "" { // a row about the task itself
				text = "id = \"x\"\n[[task]]\nname = \"unit\"\n" + tt.top
			}
			_, err := Parse("lane.toml", []byte(text))
			if want := "lane.toml:" + tt.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

// Each variable that steers a run from outside is refused with its reason.
func TestClosedVariables(t *testing.T) {
	for name, reason := range map[string]string{
		"PATH": "Lane sets it", "HOME": "Lane sets it", "TMPDIR": "Lane sets it", "GOCACHE": "Lane sets it", "SOURCE_DATE_EPOCH": "Lane sets it",
		"TZ": "stability runs vary it", "LANE_EVENTS": "Lane's own", "LD_PRELOAD": "loads code", "LD_LIBRARY_PATH": "loads code",
		"GOFLAGS": "go command", "GOWORK": "go command", "PYTEST_ADDOPTS": "pytest", "PYTHONSTARTUP": "Python", "NODE_OPTIONS": "Node",
		"NODE_TEST_CONTEXT": "Node", "MAKEFLAGS": "make", "GIT_DIR": "git", "BASH_ENV": "script",
	} {
		bad := checkVariable(name)
		if bad == nil || !strings.Contains(bad.msg, reason) {
			t.Errorf("%s: %v, want a reason with %q", name, bad, reason)
		}
	}
	for _, name := range []string{"CI", "PYTHONPATH", "LANG", "GOMAXPROCS", "GODEBUG", "LD", "PATHS", "_x", "LANES", "GIT_AUTHOR_NAME", "GIT_COMMITTER_DATE"} {
		if bad := checkVariable(name); bad != nil {
			t.Errorf("%s is refused: %s", name, bad.msg)
		}
	}
}

func TestIDs(t *testing.T) {
	good := []string{"a", "A", "0", "a.b_c-d", "cart-discounts", "CONSOLE", "com", "com10", "x.con", strings.Repeat("a", 100)}
	bad := []string{
		"", "../../x", "a/b", `a\b`, "-x", ".x", "_x", "a..b", "a.", "x y", "a\x00b", "a\nb", "é", "aé", "con", "CON", "Nul.txt", "aux", "prn",
		"com1", "LPT9", "lpt0.x", strings.Repeat("a", 101), "a:b", "a*", "\u202eabc",
	}
	for _, id := range good {
		if c := checkID(id); c != nil {
			t.Errorf("%q is refused: %s", id, c.msg)
		}
	}
	for _, id := range bad {
		c := checkID(id)
		if c == nil {
			t.Errorf("%q is accepted", id)
			continue
		}
		if c.hint != idRule {
			t.Errorf("%q is refused without the rule: %s", id, c.hint)
		}
	}
}

func TestHosts(t *testing.T) {
	good := []string{"registry.example.org:443", "localhost:80", "a-b.c0:1", "192.0.2.1:65535", "[2001:db8::1]:443", "_x.example:1", "xn--bcher-kva.example:443", ".below.example.org:443", "@go", "@npm", "@pip"}
	bad := map[string]string{
		"example.org":              `write "example.org:443"`,
		"https://example.org/x":    `write "example.org:443"`,
		"http://example.org":       `write "example.org:80"`,
		"https://example.org:8443": `write "example.org:8443"`,
		"Example.org:443":          `write "example.org:443"`,
		"*.example.org:443":        `write ".example.org:443"`,
		"@cargo":                   `write "@go"`, "@": `write "@go"`, "@npm:443": `write "@go"`,
		"..example.org:443": "HOST:PORT", ".10.0.0.1:443": "HOST:PORT", ".:443": "HOST:PORT", ".[::1]:443": "HOST:PORT",
		"example.org:0": "HOST:PORT", "example.org:65536": "HOST:PORT", "example.org:0443": "HOST:PORT", "example.org:x": "HOST:PORT", "example.org:": "HOST:PORT",
		"2130706433:80":        "HOST:PORT", // 127.0.0.1 as one number
		"0x7f000001:80":        "HOST:PORT",
		"127.1:80":             "HOST:PORT",
		"0177.0.0.1:80":        "HOST:PORT",
		"[::ffff:1.2.3.4%1]:1": "HOST:PORT",
		"[fe80::1%eth0]:1":     "HOST:PORT",
		"[2001:DB8::1]:1":      "HOST:PORT",
		"2001:db8::1:443":      "HOST:PORT",
		"user@example.org:443": "HOST:PORT",
		"example.org.:443":     "HOST:PORT",
		"exa mple.org:443":     "HOST:PORT",
		"é.example:443":        "HOST:PORT",
		":443":                 "HOST:PORT",
		"a..b:1":               "HOST:PORT",
	}
	for _, h := range good {
		if c := checkHost(h); c != nil {
			t.Errorf("%q is refused: %s", h, c.msg)
		}
	}
	for h, hint := range bad {
		c := checkHost(h)
		if c == nil {
			t.Errorf("%q is accepted", h)
			continue
		}
		if !strings.Contains(c.hint, hint) {
			t.Errorf("%q: hint %q, want %q", h, c.hint, hint)
		}
	}
}

func TestQuantities(t *testing.T) {
	for text, want := range map[string]string{
		"5m": "5m", "90s": "1m30s", "1h30m": "1h30m", "1.5h": "1h30m", "250ms": "250ms", "720h": "720h", "10µs": "10µs", "2h0m0s": "2h",
	} {
		d, c := readDuration(text)
		if c != nil || formatDuration(d) != want {
			t.Errorf("duration %q: %s, %v, want %s", text, formatDuration(d), c, want)
		}
	}
	for text, hint := range map[string]string{
		"": "as in", "5": "as in", "5 minutes": `write "5m"`, "1 Hour": `write "1h"`, "2d": "24h", "5m ": "as in", "1e3s": "as in", "5M": `write "5m"`,
		"-1s": "", "0s": "", "99999999999999h": "", "0.0000000001s": "",
	} {
		_, c := readDuration(text)
		if c == nil || !strings.Contains(c.hint, hint) {
			t.Errorf("duration %q: %+v, want hint %q", text, c, hint)
		}
	}
	for text, want := range map[string]int64{
		"2GiB": 2 << 30, "1.5GiB": 3 << 29, "1048576B": 1 << 20, "1024KiB": 1 << 20, "1TiB": 1 << 40, "1024TiB": 1 << 50,
	} {
		n, c := readSize(text)
		if c != nil || n != want {
			t.Errorf("size %q: %d, %v, want %d", text, n, c, want)
		}
		back, c := readSize(formatSize(n))
		if c != nil || back != n {
			t.Errorf("size %q is shown as %q, which is %d", text, formatSize(n), back)
		}
	}
	for text, hint := range map[string]string{
		"": "as in", "2GB": `write "2GiB"`, "2G": `write "2GiB"`, "512 mb": `write "512MiB"`, "2gib": `write "2GiB"`, "1e3MiB": "as in", "2048": "as in",
		"-2GiB": "", "1025TiB": "", "9" + strings.Repeat("0", 400) + "TiB": "",
	} {
		_, c := readSize(text)
		if c == nil || !strings.Contains(c.hint, hint) {
			t.Errorf("size %q: %+v, want hint %q", text, c, hint)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"0B": 0, "1KiB": 1024, "20GiB": 20 << 30} {
		if n, err := ParseSize(text); n != want || err != nil {
			t.Errorf("%q: %d, %v, want %d", text, n, err, want)
		}
	}
	for text, want := range map[string]string{"20GB": `size cannot be "20GB": no size; write "20GiB"`, "-1B": `size cannot be "-1B": a size is not negative`} {
		if _, err := ParseSize(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestSuggestions(t *testing.T) {
	tests := []struct{ line, hint string }{
		{"[[task]]\ncmd = [\"x\"]", `did you mean "run"?`},
		{"[[task]]\nruns = [\"x\"]", `did you mean "run"?`},
		{"[[task]]\nruns = 3", "it belongs in [stability]"},
		{"[[task]]\ntime_out = \"3m\"", `did you mean "timeout"?`},
		{"[[task]]\nTimeout = \"3m\"", `did you mean "timeout"?`},
		{"[[task]]\ndeadline = \"3m\"", `did you mean "timeout"?`},
		{"[[task]]\nmemroy = \"1GiB\"", `did you mean "memory" in [limits]?`},
		{"[[task]]\nzzz = \"x\"", "the keys are name, kind, run"},
		{"[limits]\nmem = \"1GiB\"", `did you mean "memory"?`},
		{"[limits]\nmemroy = \"1GiB\"", `did you mean "memory"?`},
		{"[source]\nbranch = \"x\"", `did you mean "head"?`},
		{"[assurance]\nlevel = 2", `did you mean "require"?`},
		{"[[criteria]]\nid = \"x\"", "did you mean [[criterion]]?"},
		{"[[tasks]]\nname = \"x\"", "did you mean [[task]]?"},
		{"[mutations]\nscope = \"all\"", "did you mean [mutation]?"},
		{"[env]\nfetches = [[\"x\"]]", `did you mean "fetch"?`},
		{"[source]\nfence = \"local\"", "it belongs in [env]"},
		{"[source]\nchange = \"fix\"", "it belongs at the top of the file, before the first table"},
		{"[source]\n\"" + strings.Repeat("x", 500) + "\" = 1", "the keys are repo, base, head, patch, git"},
	}
	for _, tt := range tests {
		_, err := Parse("lane.toml", []byte("id = \"x\"\n"+tt.line))
		var list *Errors
		if !errors.As(err, &list) {
			t.Fatalf("%s: %v", tt.line, err)
		}
		hint := ""
		for _, e := range list.List {
			if strings.HasPrefix(e.Msg, "unknown ") {
				hint += e.Hint
			}
		}
		if !strings.HasPrefix(hint, tt.hint) {
			t.Errorf("%s: hint %q, want %q", tt.line, hint, tt.hint)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int // -1: beyond the tolerance
	}{
		{"tests", "tests", 0}, {"tets", "tests", 1}, {"tset", "test", 1}, {"Tests", "tests", 0}, {"hash_seed", "hash-seed", 0},
		{"timezone", "tiemzoen", 2}, {"a", "b", 1}, {"ab", "cd", -1}, {"", "a", 1}, {"schlüssel", "schlussel", 1}, {"kitten", "sitting", -1},
		{strings.Repeat("a", 41), strings.Repeat("a", 41), -1},
	}
	for _, tt := range tests {
		for _, pair := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			d, ok := distance(pair[0], pair[1])
			if ok != (tt.want >= 0) || ok && d != tt.want {
				t.Errorf("distance(%q) = %d, %v, want %d", pair, d, ok, tt.want)
			}
		}
	}
}

// No setting may be without the parts that messages, page and schema need.
func TestSettingsAreComplete(t *testing.T) {
	types := kinds()
	defaults := defaultValues(Settings())
	seen := map[string]bool{}
	for _, s := range Settings() {
		k, known := types[s.Type]
		switch {
		case !known:
			t.Errorf("%s has the unknown type %q", s.Key, s.Type)
		case seen[s.Key]:
			t.Errorf("%s is there twice", s.Key)
		case s.Doc == "" || !strings.HasSuffix(s.Doc, "."):
			t.Errorf("%s: the doc is no sentence: %q", s.Key, s.Doc)
		case s.Table() != "" && !seen[s.Table()]:
			t.Errorf("%s comes before its table", s.Key)
		case s.Default != "" && defaults[s.Key] == nil:
			t.Errorf("the default of %s, %s, breaks its own rules", s.Key, s.Default)
		case !s.isTable() && s.Example == "" && s.Default == "":
			t.Errorf("%s has neither example nor default", s.Key)
		case s.Required && s.Default != "":
			t.Errorf("%s is required and has a default", s.Key)
		case k.shape == shapeInteger && s.Max == 0:
			t.Errorf("%s has no greatest value", s.Key)
		}
		if s.Example != "" {
			one := s
			one.Default = s.Example
			if defaultValues([]Setting{one})[s.Key] == nil {
				t.Errorf("the example of %s, %s, breaks its own rules", s.Key, s.Example)
			}
		}
		seen[s.Key] = true
	}
}

func ExampleErrors() {
	_, err := Parse("lane.toml", []byte("id = \"x\"\n\n[[task]]\nname = \"unit\"\nrnu = [\"true\"]\ntimeout = 300\n"))
	fmt.Println(err)
	// Output:
	// lane.toml:5:1: unknown key "rnu" in [[task]]; did you mean "run"?
	// lane.toml:6:11: "timeout" wants a duration, not an integer; write timeout = "5m"
}
