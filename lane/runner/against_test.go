package runner

import (
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe/tap"
)

// marker stands for what a program may never see.
const marker = "kept-from-the-program-7f3a"

// driver sends each input of cases.json to the program on a connection of its own, and says by TAP whether the answers are right.
const driver = `
const net = require('net'), cases = JSON.parse(require('fs').readFileSync('cases.json'));
const [host, port] = process.env.LANE_PROGRAM.split(':');
const ask = input => new Promise(done => {
	let got = '';
	const c = net.connect(+port, host, () => c.end(input + '\n'));
	c.on('data', d => { if (got.length < 1e6) got += d; });
	c.on('error', () => {});
	c.on('close', () => done(got.trim()));
});
(async () => {
	let bad = 0;
	console.log('1..' + cases.length);
	for (const [i, k] of cases.entries()) {
		const got = await ask(k.input);
		if (got !== k.want) bad++;
		console.error('answer: ' + got.slice(0, 200));
		console.log((got === k.want ? 'ok ' : 'not ok ') + (i + 1) + ' - case ' + (i + 1));
	}
	process.exit(bad ? 1 : 0);
})();
`

// search looks for the marker wherever a program can look, and says where it is. It leaves itself out: the marker is put together.
const search = `
const fs = require('fs'), path = require('path'), want = ['kept-from-the', 'program-7f3a'].join('-'), found = [], seen = new Set();
const look = (name, data) => { if (data.includes(want)) found.push(name); };
const read = name => { try { look(name, fs.readFileSync(name)); } catch {} };
const walk = dir => {
	let all = [];
	try { all = fs.readdirSync(dir, {withFileTypes: true}); } catch { return; }
	for (const e of all) {
		const name = path.join(dir, e.name);
		if (name.startsWith('/proc') || name.startsWith('/nix/store')) continue;
		if (e.isDirectory()) walk(name); else if (fs.lstatSync(name).isFile()) read(name); // a device may call itself a file in its folder
	}
};
walk('/');
look('environment', JSON.stringify(process.env));
for (const p of fs.readdirSync('/proc').filter(p => /^[0-9]+$/.test(p))) {
	for (const f of ['environ', 'cmdline', 'maps', 'mountinfo', 'mounts']) read('/proc/' + p + '/' + f);
	let fds = [];
	try { fds = fs.readdirSync('/proc/' + p + '/fd'); } catch {}
	for (const fd of fds) {
		const name = '/proc/' + p + '/fd/' + fd;
		let to = '';
		try { to = fs.readlinkSync(name); look(name, to); } catch {}
		if (to.startsWith('/') && !to.startsWith('/dev')) read(name);
	}
}
for (const d of ['/proc/net/unix', '/proc/net/tcp', '/proc/keys', '/proc/cmdline']) read(d);
const c = require('net').connect(7007, '127.0.0.1');
const end = s => { console.log((found.length ? 'found ' + found : 'nothing') + s); process.exit(0); };
c.on('connect', () => end(', and an open door'));
c.on('error', () => end(''));
`

func against(t *testing.T, files map[string]string) (driving *Stage, program func(argv ...string) Program) {
	d := shellTask(t, "node drive.js")
	d.Reporter, d.Timeout = tap.Reporter{}, 20*time.Second
	driving = d.On(tree(t, map[string]string{"drive.js": driver, "secret.txt": marker, "search.js": search,
		"cases.json": `[{"input": "21", "want": "42"}, {"input": "a word", "want": "a word!"}]`}), "")
	t.Cleanup(driving.Close)
	p := shellTask(t, "true")
	p.Reporter, p.Timeout = tap.Reporter{}, 10*time.Second
	p.Limits.Output = 1 << 20
	stage := p.On(tree(t, files), "")
	t.Cleanup(stage.Close)
	return driving, func(argv ...string) Program { return Program{Stage: stage, Argv: argv} }
}

// A black box judges a program by its answers alone: whatever the program does, it is not told what is expected, and cannot speak for the tests.
func TestBlackBox(t *testing.T) {
	driving, program := against(t, map[string]string{"double.sh": `read x; case $x in [0-9]*) echo $((x * 2));; *) echo "$x!";; esac`})
	sh := func(script string) Program { return program("sh", "-c", script) }
	for _, c := range []struct {
		name    string
		program Program
		tests   string
		exit    int
		cut     bool
	}{
		{"honest", sh(". ./double.sh"), "case 1=passed case 2=passed", 0, false},
		{"wrong", sh("read x; echo 42"), "case 1=passed case 2=failed", 1, false},
		{"exits at once", sh("exit 0"), "case 1=failed case 2=failed", 1, false},
		{"speaks like a passing suite", sh("printf '1..2\\nok 1 - case 1\\nok 2 - case 2\\n'"), "case 1=failed case 2=failed", 1, false},
		{"floods", sh("while :; do echo 4242424242424242424242424242424242424242424242424242424242424242; done"), "case 1=failed case 2=failed", 1, true},
		{"is not there", program("nowhere"), "case 1=failed case 2=failed", 1, false},
		{"nobody", Program{}, "case 1=failed case 2=failed", 1, false},
		{"keeps what the last connection left", sh("cat left 2>/dev/null; echo no >left; . ./double.sh"), "case 1=passed case 2=passed", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen, talked, err := driving.RunAgainst(t.Context(), Order{}, c.program)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(statuses(&seen), " ")
			got = strings.ReplaceAll(strings.ReplaceAll(got, " passed", "=passed"), " failed", "=failed")
			if seen.Box.End != fence.Exited || seen.Box.Exit != c.exit || talked.Cut != c.cut || talked.Connections != 2 || got != c.tests {
				t.Errorf("%s %d, %q, %+v\n%s", seen.Box.End, seen.Box.Exit, got, talked, seen.Output())
			}
		})
	}
}

// A program that never answers holds nobody up for longer than the tests may take.
func TestBlackBoxThatNeverAnswers(t *testing.T) {
	driving, program := against(t, nil)
	seen, talked, err := driving.RunAgainst(t.Context(), Order{Wall: 2 * time.Second}, program("sleep", "1000"))
	if err != nil || seen.Box.End != fence.TimedOut || talked.Connections != 1 {
		t.Errorf("%s, %+v, %v", seen.Box.End, talked, err)
	}
}

// A program that looks for what is expected of it finds nothing: not on its disk, in no process, variable or descriptor. The same search
// finds it in the box of the tests, so that it is not blind.
func TestBlackBoxIsNotSearched(t *testing.T) {
	driving, program := against(t, map[string]string{"search.js": search})
	seen, _, err := driving.RunAgainst(t.Context(), Order{}, program("node", "search.js"))
	if err != nil {
		t.Fatal(err)
	}
	if out := seen.Output(); strings.Count(out, "answer: nothing\n") != 2 {
		t.Errorf("the program found something:\n%s", out)
	}
	driving.task.Argv = []string{"node", "search.js"}
	seen, _, _ = driving.RunAgainst(t.Context(), Order{}, Program{})
	if out := seen.Output(); !strings.Contains(out, "found ") || !strings.Contains(out, "secret.txt") || !strings.Contains(out, "an open door") {
		t.Errorf("the search is blind:\n%s", out)
	}
}
