package lane

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/contract"
	"github.com/vallane/lane/lane/signing"
)

const agreedSpec = `id = "story"

[source]
head = "change"

[env]
flake = "env#lane"

[[task]]
name = "unit"
run = ["pytest"]

[assurance]
protect = ["acceptance/**"]
`

// agreed is a repository with a spec on main, and two keys beside it that a trust.toml knows.
type agreed struct {
	t    *testing.T
	dir  string // of the keys; the repository is dir/repo
	o    Options
	spec string
}

func newAgreed(t *testing.T, text string) agreed {
	t.Helper()
	dir := t.TempDir()
	a := agreed{t: t, dir: dir, spec: filepath.Join(dir, "repo", "lane.toml"), o: Options{State: filepath.Join(dir, "state"), Cache: filepath.Join(dir, "cache"), Trust: filepath.Join(dir, "trust.toml")}}
	for _, name := range []string{"author.key", "ci.key"} {
		_, err := signing.NewKey(filepath.Join(dir, name))
		must(t, err)
	}
	a.file("../trust.toml", "[[key]]\npublic = \"author.key.pub\"\nrole = \"author\"\n\n[[key]]\npublic = \"ci.key.pub\"\nrole = \"verifier\"\nverifier = \"ci\"\n")
	for name, data := range map[string]string{"lane.toml": text, "env/flake.nix": "{}", "app.py": "x = 1\n", "acceptance/test_all.py": "", "pytest.ini": "[pytest]\n", "package.json": "{}\n"} {
		a.file(name, data)
	}
	a.git("init", "-q", "-b", "main")
	a.commit("base")
	return a
}

func (a agreed) file(name, data string) {
	a.t.Helper()
	file := filepath.Join(a.dir, "repo", name)
	must(a.t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(a.t, os.WriteFile(file, []byte(data), 0o644))
}

func (a agreed) git(args ...string) {
	a.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Dir = filepath.Join(a.dir, "repo")
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		a.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (a agreed) commit(message string) {
	a.t.Helper()
	a.git("add", "-A")
	a.git("commit", "-q", "--allow-empty", "-m", message)
}

// change commits files to the branch change, on top of main; "" takes one away.
func (a agreed) change(files map[string]string) {
	a.t.Helper()
	a.git("checkout", "-q", "-B", "change", "main")
	for name, data := range files {
		if data == "" {
			must(a.t, os.Remove(filepath.Join(a.dir, "repo", name)))
		} else {
			a.file(name, data)
		}
	}
	a.commit("change")
}

func (a agreed) sign(c ContractOptions) string {
	a.t.Helper()
	c.Key, c.Out = filepath.Join(a.dir, "author.key"), filepath.Join(a.dir, "contract.json")
	out, _, err := SignContract(a.t.Context(), a.o, a.spec, c)
	must(a.t, err)
	return out
}

// planned is what a check would plan, or why it would not.
func (a agreed) planned(o Options) (*job, error) {
	a.t.Helper()
	s, under, err := o.load(a.spec)
	must(a.t, err)
	o.under = under
	j, err := o.planOnly(a.t.Context(), s)
	if err == nil {
		a.t.Cleanup(j.close)
	}
	return j, err
}

// What the change does to its own rules has no effect under a contract, or is named.
func TestChangesUnderAContract(t *testing.T) {
	for _, c := range []struct {
		name      string
		files     map[string]string
		protected []string
		ignored   []string
		says      string // in a note
	}{
		{"honest", map[string]string{"app.py": "x = 2\n"}, nil, nil, ""},
		{"edits a protected file", map[string]string{"acceptance/test_all.py": "pass\n"}, []string{"acceptance/test_all.py"}, nil, ""},
		{"adds a protected file", map[string]string{"acceptance/conftest.py": "pass\n"}, []string{"acceptance/conftest.py"}, nil, "conftest.py, which runs"},
		{"takes a protected file away", map[string]string{"acceptance/test_all.py": ""}, []string{"acceptance/test_all.py"}, nil, ""},
		{"edits what configures the runner (C19)", map[string]string{"pytest.ini": "[pytest]\naddopts = -k none\n"}, []string{"pytest.ini"}, nil, ""},
		{"brings what configures the runner", map[string]string{"sub/tox.ini": "[pytest]\n"}, []string{"sub/tox.ini"}, nil, ""},
		{"edits what configures the runner, too", map[string]string{"package.json": "{\"scripts\": {}}\n"}, nil, nil, "package.json"},
		{"drops its protection and its task (C40)", map[string]string{"lane.toml": strings.Replace(strings.Split(agreedSpec, "[assurance]")[0], `"unit"`, `"none"`, 1), "acceptance/test_all.py": "pass\n"},
			[]string{"acceptance/test_all.py"}, []string{"lane.toml as the change has it: the contract's spec was used"}, "not the spec that was signed"},
		{"takes the spec away", map[string]string{"lane.toml": ""}, nil, []string{"lane.toml as the change has it: the contract's spec was used"}, "not the spec that was signed"},
		{"breaks the spec", map[string]string{"lane.toml": "id ="}, nil, []string{"lane.toml as the change has it: the contract's spec was used"}, "not the spec that was signed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAgreed(t, agreedSpec)
			o := a.o
			o.Contract = a.sign(ContractOptions{})
			a.change(c.files) // and stays checked out, as it would in a pipeline
			j, err := a.planned(o)
			must(t, err)
			p := &j.evidence.Plan
			if diff := cmp.Diff([][]string{c.protected, c.ignored}, [][]string{p.Change.Protected, p.Change.Ignored}); diff != "" {
				t.Error(diff)
			}
			if p.Spec.Authority != assurance.ByContract || p.Change.SaidBy != assurance.ByContract || p.Contract == nil || len(j.spec.Tasks) != 1 || j.spec.Tasks[0].Name != "unit" {
				t.Errorf("authority %s, said by %s, contract %v, tasks %v", p.Spec.Authority, p.Change.SaidBy, p.Contract, j.spec.Tasks)
			}
			if notes := strings.Join(j.evidence.Record.Notes, "\n"); !strings.Contains(notes, c.says) || c.says == "" && notes != "" {
				t.Errorf("notes: %q, want %q", notes, c.says)
			}
		})
	}
}

// A spec without a contract protects its paths by base's word and the caller's, not by the change's own, and the runner's files stay free.
func TestProtectedWithoutAContract(t *testing.T) {
	touched := map[string]string{"acceptance/test_all.py": "pass\n", "pytest.ini": "[pytest]\nx = 1\n"}
	a := newAgreed(t, agreedSpec)
	a.change(touched)
	j, err := a.planned(a.o)
	must(t, err)
	if got := j.evidence.Plan; got.Spec.Authority != assurance.ByBase || !cmp.Equal(got.Change.Protected, []string{"acceptance/test_all.py"}) {
		t.Errorf("%s: %v", got.Spec.Authority, got.Change.Protected)
	}
	touched["lane.toml"] = agreedSpec + "\n"
	a.change(touched)
	j, err = a.planned(a.o)
	must(t, err)
	if got := j.evidence.Plan; got.Spec.Authority != assurance.ByChange || len(got.Change.Protected) != 0 || got.Contract != nil {
		t.Errorf("%s: %v", got.Spec.Authority, got.Change.Protected)
	}
}

func TestContractsThatDoNotFit(t *testing.T) {
	a := newAgreed(t, agreedSpec)
	good := a.sign(ContractOptions{})
	a.change(map[string]string{"app.py": "x = 2\n"})
	under := a.o
	under.Contract = good
	code := func(o Options) string {
		t.Helper()
		_, err := a.planned(o)
		if r := refusalOf(err); r != nil {
			return r.Code
		}
		return ""
	}
	if got := code(under); got != "" {
		t.Errorf("a contract that fits is refused: %s", got)
	}

	inside := under
	inside.Trust = filepath.Join(a.dir, "repo", "trust.toml")
	for _, name := range []string{"trust.toml", "author.key.pub", "ci.key.pub"} {
		data, err := os.ReadFile(filepath.Join(a.dir, name))
		must(t, err)
		a.file(name, string(data))
	}
	if got := code(inside); got != contract.Trust {
		t.Errorf("a trust.toml of the work tree: %q", got)
	}
	a.change(map[string]string{"app.py": "x = 3\n"})
	if got := code(inside); got != contract.Trust {
		t.Errorf("a trust.toml of the change: %q", got)
	}
	a.git("checkout", "-q", "-B", "main", "change")
	a.change(map[string]string{"app.py": "x = 4\n"})
	if got := code(under); got != contract.Base {
		t.Errorf("another base: %q", got)
	}
	inside.Contract = a.sign(ContractOptions{})
	if got := code(inside); got != "" {
		t.Errorf("a trust.toml of base is refused: %q", got)
	}
	ours, err := os.ReadFile(inside.Trust)
	must(t, err)
	a.change(map[string]string{"trust.toml": string(ours) + "max_val = 3\n"})
	if got := code(inside); got != contract.Trust {
		t.Errorf("a trust.toml of base that the change edits: %q", got)
	}
	a.change(map[string]string{"app.py": "x = 5\n"})

	for name, edit := range map[string]func(*Options){
		"nobody's trust":          func(o *Options) { o.Trust = "" },
		"no contract":             func(o *Options) { o.Contract = filepath.Join(a.dir, "none") },
		"a folder":                func(o *Options) { o.Contract = a.dir },
		"another kind of change":  func(o *Options) { o.Change = "refactor" },
		"a trust.toml of nothing": func(o *Options) { o.Trust = good },
	} {
		o := inside
		edit(&o)
		var knows interface{ ExitCode() int }
		if _, _, err := o.load(a.spec); err == nil || errors.As(err, &knows) && knows.ExitCode() != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
	same := inside
	same.Change = "feature"
	if _, _, err := same.load(a.spec); err != nil {
		t.Errorf("the contract's own kind of change: %v", err)
	}
	several := inside
	if _, err := CheckAll(t.Context(), several, []string{a.spec, a.spec}); err == nil || !strings.Contains(err.Error(), "one spec") {
		t.Errorf("one contract for two specs: %v", err)
	}
}

// A contract beside its spec is used where it is known whose contracts count.
func TestContractBesideTheSpec(t *testing.T) {
	a := newAgreed(t, agreedSpec)
	data, err := os.ReadFile(a.sign(ContractOptions{Lasts: time.Hour}))
	must(t, err)
	a.change(map[string]string{"app.py": "x = 2\n"})
	a.file("lane.contract.intoto.json", string(data))
	j, err := a.planned(a.o)
	must(t, err)
	if got := j.evidence.Plan.Spec.Authority; got != assurance.ByContract {
		t.Errorf("authority %s", got)
	}
	var said []string
	careless := a.o
	careless.Trust, careless.Events = "", func(e Event) { said = append(said, e.Text) }
	j, err = a.planned(careless)
	must(t, err)
	if got := j.evidence.Plan.Spec.Authority; got != assurance.ByBase || !strings.Contains(strings.Join(said, "\n"), "nobody said whose contracts count") {
		t.Errorf("authority %s, said %q", got, said)
	}
}

// Where a contract is about a tree and no change, the environment is the contract's all the same, and its base is measured.
func TestTreeUnderAContract(t *testing.T) {
	a := newAgreed(t, "change = \"tree\"\n"+agreedSpec)
	o := a.o
	o.Contract = a.sign(ContractOptions{})
	a.change(map[string]string{"env/flake.nix": "{ x = 1; }", "acceptance/test_all.py": "pass\n"})
	j, err := a.planned(o)
	must(t, err)
	src, edits, err := j.environment(j.spec.Tasks[0])
	must(t, err)
	if string(src.Files["flake.nix"].Data) != "{}" || len(edits) != 1 || edits[0].Path != "env/flake.nix" {
		t.Errorf("%q, %+v", src.Files["flake.nix"].Data, edits)
	}
	if !cmp.Equal(j.evidence.Plan.Change.Protected, []string{"acceptance/test_all.py"}) {
		t.Errorf("protected: %v", j.evidence.Plan.Change.Protected)
	}
	must(t, j.checkOut(t.Context()))
	j.under.signed.Contract.Base.SHA256 = strings.Repeat("00", 32)
	if r := refusalOf(j.agreesOnBase(t.Context())); r == nil || r.Code != contract.Base {
		t.Errorf("a base of another content: %v", r)
	}
	plain, err := a.planned(a.o)
	must(t, err)
	if src, _, err = plain.environment(plain.spec.Tasks[0]); err != nil || string(src.Files["flake.nix"].Data) == "{}" {
		t.Errorf("without a contract: %q, %v", src.Files["flake.nix"].Data, err)
	}
}
