package contract_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/lane/contract"
	"github.com/vallane/lane/lane/spec"
)

var issued = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)

// everyKey is a spec in which every key is given, and none at its default.
func everyKey(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../spec/testdata/good/every_key.toml")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func draft(t testing.TB, text []byte) attest.Contract {
	t.Helper()
	s, err := spec.Parse("lane.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	return contract.Make(contract.Draft{Spec: s, Text: text, Path: "lane.toml", Engine: "lane 0.1.0", Issued: issued,
		Base: attest.BaseTree{SHA256: strings.Repeat("0d", 32), GitTree: strings.Repeat("9a", 20)},
		Files: []attest.ContractFile{
			{Path: "pytest.ini", Role: attest.RoleRunner, Mode: "100644", SHA256: strings.Repeat("14", 32), Blob: strings.Repeat("24", 20)},
			{Path: "lane.toml", Role: attest.RoleSpec, Mode: "100644", SHA256: strings.Repeat("15", 32), Blob: strings.Repeat("25", 20)},
		}})
}

type keys struct{ author, verifier, other attest.PrivateKey }

func newKeys(t testing.TB) keys {
	t.Helper()
	var k keys
	for _, into := range []*attest.PrivateKey{&k.author, &k.verifier, &k.other} {
		var err error
		if *into, err = attest.NewKey(); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

// trust is a trust.toml of author and verifier, with lines in the author's entry.
func (k keys) trust(t testing.TB, lines ...string) *attest.Trust {
	t.Helper()
	text := "[[key]]\npublic = \"verifier\"\nrole = \"verifier\"\nverifier = \"ci\"\n[[key]]\npublic = \"author\"\nrole = \"author\"\n" + strings.Join(lines, "\n")
	out, err := attest.ParseTrust([]byte(text), func(name string) ([]byte, error) {
		return map[string]attest.PrivateKey{"author": k.author, "verifier": k.verifier}[name].Public().PEM()
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sign(t testing.TB, c attest.Contract, key attest.PrivateKey) []byte {
	t.Helper()
	out, err := attest.SignContract(c, key)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What an author signed is what a check reads.
func TestRoundTrip(t *testing.T) {
	k := newKeys(t)
	c := draft(t, everyKey(t))
	if c.Expires.Sub(c.Issued) != contract.DefaultLasts || c.Files[0].Path != "lane.toml" {
		t.Errorf("it holds for %s, and its files begin with %s", c.Expires.Sub(c.Issued), c.Files[0].Path)
	}
	if again := draft(t, everyKey(t)); again.Nonce == c.Nonce {
		t.Error("two contracts have one nonce")
	}
	signed, err := contract.Open(sign(t, c, k.author), k.trust(t), "lane.toml", issued)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, *signed.Contract); diff != "" {
		t.Error(diff)
	}
	if signed.Named.Nonce != c.Nonce || signed.Named.Key != k.author.Public().ID() || signed.Spec.FileDigest != sha256.Sum256(everyKey(t)) {
		t.Errorf("%+v", signed.Named)
	}
	if found := contract.Diff(c, *signed.Contract); len(found) != 0 {
		t.Error(found)
	}
}

// Each way in which a contract is not taken has a code of its own.
func TestRefusals(t *testing.T) {
	k := newKeys(t)
	good := draft(t, everyKey(t))
	edited := func(edit func(*attest.Contract)) []byte {
		c := draft(t, everyKey(t))
		edit(&c)
		return sign(t, c, k.author)
	}
	stamp := func(d time.Duration) string { return issued.Add(d).Format(time.RFC3339) }
	for _, c := range []struct {
		name  string
		data  []byte
		at    time.Duration // after it was issued
		lines []string
		code  string
		says  string
	}{
		{"nothing", nil, 0, nil, contract.Unreadable, "no JSON"},
		{"no envelope", []byte("{}"), 0, nil, contract.Unreadable, "payload"},
		{"no contract", sign(t, good, k.author)[:100], 0, nil, contract.Unreadable, ""},
		{"changed", bytes.Replace(sign(t, good, k.author), []byte(`"payload":"eyJf`), []byte(`"payload":"eyJg`), 1), 0, nil, contract.Signature, "changed"},
		{"by nobody known", sign(t, good, k.other), 0, nil, contract.Key, "reader trusts"},
		{"by a compromised key", sign(t, good, k.author), 0, []string{`revoked = "compromised"`}, contract.Key, "compromised"},
		{"by a key before its time", sign(t, good, k.author), 0, []string{"from = " + stamp(time.Second)}, contract.Key, "good from"},
		{"by a key after its time", sign(t, good, k.author), 0, []string{"until = " + stamp(0)}, contract.Key, "good until"},
		{"by a retired key", sign(t, good, k.author), 0, []string{`revoked = "retired"`, "revoked_at = " + stamp(0)}, contract.Key, "retired"},
		{"by a verifier", sign(t, good, k.verifier), 0, nil, contract.WrongRole, "verdicts and no contracts"},
		{"expired", sign(t, good, k.author), contract.DefaultLasts, nil, contract.Expired, "expired"},
		{"still to come", sign(t, good, k.author), -contract.Skew - time.Second, nil, contract.Expired, "still to come"},
		{"other terms than its text", edited(func(c *attest.Contract) { c.Terms.Require = 0 }), 0, nil, contract.Unreadable, "require"},
		{"a task that its text does not have", edited(func(c *attest.Contract) { c.Terms.Tasks = c.Terms.Tasks[:1] }), 0, nil, contract.Unreadable, "tasks[e2e]"},
		{"another meaning", edited(func(c *attest.Contract) { c.Spec.Meaning = "sha256:00" }), 0, nil, contract.Unreadable, "named otherwise"},
		{"another id", edited(func(c *attest.Contract) { c.Spec.ID = "other" }), 0, nil, contract.Unreadable, "named otherwise"},
		{"a text that is no spec", edited(func(c *attest.Contract) {
			c.Spec.Text = "id = 1"
			sum := sha256.Sum256([]byte(c.Spec.Text))
			c.Spec.Digest = "sha256:" + hex.EncodeToString(sum[:])
		}), 0, nil, contract.Unreadable, "cannot be read"},
	} {
		_, err := contract.Open(c.data, k.trust(t, c.lines...), "lane.toml", issued.Add(c.at))
		var r *contract.Refused
		if !errors.As(err, &r) || r.Code != c.code || !strings.Contains(r.Msg, c.says) || r.ExitCode() != 3 {
			t.Errorf("%s: %v, want %s with %q", c.name, err, c.code, c.says)
		}
	}
}

// Every key of a spec shows in the terms: a contract that leaves one out would let it be changed unseen.
func TestEveryKeyIsATerm(t *testing.T) {
	parse := func(text string) attest.Terms {
		s, err := spec.Parse("lane.toml", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return contract.Terms(s)
	}
	plain := "id = \"x\"\n[[task]]\nname = \"unit\"\nrun = [\"go\", \"test\"]\n"
	all := reflect.TypeFor[spec.Spec]()
	known := []string{"Name", "ID", "Title", "Change", "Source", "Env", "Criteria", "Tasks", "Services", "Target", "Tests", "Hidden", "Stability", "Mutation", "Deploy", "Downstream", "Limits", "Assurance", "Defaults", "Digest", "FileDigest", "index"}
	for i := range all.NumField() {
		if !slices.Contains(known, all.Field(i).Name) {
			t.Errorf("nobody has thought of what a contract says of %s", all.Field(i).Name)
		}
	}
	user := "[[downstream]]\nname = \"toolbox\"\nsource = \"https://example.org/t.git\"\ncommit = \"" + strings.Repeat("00", 20) + "\"\nplace = \"lib\"\nrun = [\"make\"]\n"
	top := func(s string) string { return strings.Replace(plain, "\n", "\n"+s+"\n", 1) }
	for _, text := range []string{
		top("[deploy]\nmanifests = [\"a.yaml\"]"), top("[deploy]\nmanifests = [\"b.yaml\"]"), top("[deploy]\nrender = [[\"helm\"]]"), top("[deploy]\nrender = [[\"helm\"]]\nsources = [\"charts\"]"),
		top("[deploy]\nmanifests = [\"a.yaml\"]\nnamespace = \"shop\""), top("[deploy]\nmanifests = [\"a.yaml\"]\nnamespaces = [\"shop\"]"),
		top(`change = "fix"`), top("[source]\nrepo = \"..\""), top("[source]\nbase = \"next\""), top("[source]\nhead = \"x\""), top("[source]\npatch = \"x.diff\""), top("[source]\ngit = true"),
		top("[env]\nflake = \".#other\""), top("[env]\nextras = [\"x\"]"), top("[env]\naccept = [\"sha256:" + strings.Repeat("00", 32) + "\"]"),
		top("[env]\nfetch = [[\"npm\", \"ci\"]]\nallow = [\"registry.example.org:443\"]"), top("[env]\ntree = \"copy\""), top("[env]\nfence = \"wasi\""),
		plain + "[[criterion]]\nid = \"A\"\ntext = \"a\"\ntests = [\"T\"]", plain + "[[criterion]]\nid = \"A\"\ntext = \"a\"\nremoves = [\"T\"]",
		plain + "[[criterion]]\nid = \"A\"\ntext = \"b\"\ntests = [\"T\"]", plain + "[[criterion]]\nid = \"A\"\ntext = \"a\"\ntests = [\"T\"]\ncode = [\"x\"]",
		plain + "[[criterion]]\nid = \"A\"\ntext = \"a\"\nkind = \"manual\"",
		strings.Replace(plain, `"test"`, `"vet"`, 1), strings.Replace(plain, `"unit"`, `"other"`, 1),
		plain + "build = [\"make\"]", plain + "reporter = \"exit\"", plain + "timeout = \"1m\"", plain + "dir = \"x\"", plain + "env = {CI = \"1\"}", plain + "tests = [\"T\"]",
		plain + "flake = \".#own\"", plain + "fetch = [[\"npm\", \"ci\"]]\nallow = [\"registry.example.org:443\"]",
		plain + "[tests]\nrequired = [\"T\"]", plain + "[tests]\nremoves = [\"T\"]", plain + "[stability]\nruns = 9", plain + "[stability]\nvary = []",
		plain + "[mutation]\nscope = \"all\"", plain + "[mutation]\nbudget = \"1m\"", plain + "[mutation]\nbaseline = \"x\"", plain + "[[mutation.plugin]]\npath = \"x.wasm\"\nsha256 = \"" + strings.Repeat("00", 32) + "\"",
		plain + "[limits]\ndeadline = \"2h\"", plain + "[limits]\nmemory = \"1GiB\"", plain + "[limits]\nprocesses = 9", plain + "[limits]\ncpus = 9",
		plain + "[hidden]\n", plain + user,
		plain + "[assurance]\nrequire = 0", plain + "[assurance]\nprotect = [\"x\"]",
	} {
		if cmp.Equal(parse(plain), parse(text)) {
			t.Errorf("the terms do not show this:\n%s", text)
		}
	}
	for _, text := range []string{
		strings.Replace(user, "toolbox", "other", 1), strings.Replace(user, "t.git", "u.git", 1), strings.Replace(user, "0", "1", 1), strings.Replace(user, `"lib"`, `"vendor"`, 1),
		strings.Replace(user, "make", "true", 1), user + "folder = \"src\"", user + "reporter = \"tap\"", user + "dir = \"x\"", user + "env = {CI = \"1\"}", user + "tests = [\"T\"]",
		user + "timeout = \"1m\"", user + "task = \"unit\"\n[[task]]\nname = \"e2e\"\nrun = [\"make\"]", user + "task = \"e2e\"\n[[task]]\nname = \"e2e\"\nrun = [\"make\"]",
	} {
		if same := strings.Contains(text, `task = "unit"`); cmp.Equal(parse(plain+user).Downstream, parse(plain+text).Downstream) != same {
			t.Errorf("the terms of a user: the same should be %t\n%s", same, text)
		}
	}
	box := plain + "[[task]]\nname = \"e2e\"\nrun = [\"make\"]\n[hidden]\nkind = \"black-box\"\nrun = [\"drive\"]\nprogram = [\"a\"]\n"
	for _, text := range []string{
		strings.Replace(box, `"drive"`, `"other"`, 1), strings.Replace(box, `["a"]`, `["b"]`, 1), strings.Replace(box, "kind = \"black-box\"\nrun = [\"drive\"]\nprogram = [\"a\"]", "run = [\"drive\"]", 1),
		box + "reporter = \"tap\"", box + "tests = [\"T\"]", box + "timeout = \"1m\"", box + "task = \"e2e\"",
	} {
		if cmp.Equal(parse(box).Hidden, parse(text).Hidden) {
			t.Errorf("the terms do not show this:\n%s", text)
		}
	}
}

// No field of the terms is left empty by all specs that give what it is for.
func TestEveryTermIsFilled(t *testing.T) {
	filled := map[string]bool{}
	var look func(v reflect.Value)
	look = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				name := v.Type().Name() + "." + v.Type().Field(i).Name
				filled[name] = filled[name] || !v.Field(i).IsZero()
				look(v.Field(i))
			}
		case reflect.Slice:
			for i := range v.Len() {
				look(v.Index(i))
			}
		}
	}
	const more = "id = \"x\"\n[source]\npatch = \"x.diff\"\n[env]\naccept = [\"sha256:%[1]s\"]\n[[criterion]]\nid = \"A\"\ntext = \"a\"\nremoves = [\"T\"]\n" +
		"[[task]]\nname = \"unit\"\nrun = [\"./check\"]\nbuild = [\"make\"]\nreporter = \"tap\"\nfetch = [[\"npm\", \"ci\"]]\nallow = [\"registry.example.org:443\"]\n" +
		"[[mutation.plugin]]\npath = \"x.wasm\"\nsha256 = \"%[1]s\"\n"
	for _, text := range []string{string(everyKey(t)), fmt.Sprintf(more, strings.Repeat("00", 32))} {
		s, err := spec.Parse("lane.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		look(reflect.ValueOf(contract.Terms(s)))
	}
	for name, ok := range filled {
		if !ok {
			t.Errorf("nothing fills %s", name)
		}
	}
}

// What a file of the base tree may do to a check, by its name and by what the spec says of it.
func TestRoles(t *testing.T) {
	s, err := spec.Parse("lane.toml", []byte("id = \"x\"\n[env]\nflake = \"nix#env\"\nextras = [\"pins/*.json\"]\n[[task]]\nname = \"unit\"\nrun = [\"pytest\"]\n[assurance]\nprotect = [\"acceptance/**\", \"tox.ini\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	rules := contract.NewRules(s, "specs/x.toml", []attest.ContractFile{{Path: "odd.cfg", Role: attest.RoleRunner}, {Path: "Makefile", Role: attest.RoleProtected}})
	for name, want := range map[string]attest.FileRole{
		"specs/x.toml": attest.RoleSpec, "x.toml": "", "acceptance/a/b.py": attest.RoleProtected, "acceptance/pytest.ini": attest.RoleProtected, "tox.ini": attest.RoleProtected,
		"nix/flake.nix": attest.RoleEnvironment, "nix/flake.lock": attest.RoleEnvironment, "nix/closure.lock": attest.RoleEnvironment, "flake.nix": "", "nix/sub/flake.nix": "",
		"pins/debian.json": attest.RoleEnvironment, "pytest.ini": attest.RoleRunner, "web/.mocharc.cjs": attest.RoleRunner, "jest.config.ts": attest.RoleRunner, "jest.configure": "",
		"package.json": attest.RoleShared, "web/package.json": attest.RoleShared, "tests/conftest.py": attest.RoleShared, "src/app.py": "", "odd.cfg": attest.RoleRunner, "Makefile": attest.RoleProtected,
	} {
		if got := rules.Role(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestDiff(t *testing.T) {
	text := everyKey(t)
	was := draft(t, text)
	other := bytes.Replace(text, []byte("require = 3"), []byte("require = 2"), 1)
	other = bytes.ReplaceAll(other, []byte(`"e2e"`), []byte(`"end"`))
	is := draft(t, other)
	is.Files = is.Files[:1]
	is.Base.GitTree = strings.Repeat("00", 20)
	is.Hidden = &attest.Hidden{SHA256: strings.Repeat("44", 32), Size: 1}
	var got []string
	for _, d := range contract.Diff(was, is) {
		got = append(got, d.Key)
		for _, v := range []string{d.Was, d.Is} {
			if v != "" && !json.Valid([]byte(v)) {
				t.Errorf("%+v is no JSON", d)
			}
		}
	}
	want := []string{"base.gitTree", "files[pytest.ini]", "hidden", "terms.downstream[toolbox].task", "terms.hidden_tests.task", "terms.require", "terms.services[db].tasks", "terms.tasks[e2e]", "terms.tasks[end]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
