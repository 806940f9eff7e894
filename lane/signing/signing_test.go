package signing_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/assurance/gate"
	"github.com/vallane/lane/lane/signing"
)

func write(t *testing.T, file string, data []byte, perm fs.FileMode) string {
	t.Helper()
	if err := os.WriteFile(file, data, perm); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, perm); err != nil { // whatever the umask says
		t.Fatal(err)
	}
	return file
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// newKey makes a key in a new folder and returns its file.
func newKey(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ci.key")
	if _, err := signing.NewKey(file); err != nil {
		t.Fatal(err)
	}
	return file
}

func encoded(t *testing.T, v assurance.Verdict) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A new key is its owner's alone, and nothing is replaced by it.
func TestNewKey(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "ci.key")
	public, err := signing.NewKey(file)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the private key has mode %v, want 0600 (%v)", st.Mode(), err)
	}
	private, err := signing.ReadPrivateKey(file)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := attest.ParsePublicKey(read(t, file+".pub"))
	if err != nil || shown.ID() != public.ID() || private.Public().ID() != public.ID() {
		t.Errorf("%s, %s, %s, %v", public.ID(), shown.ID(), private.Public().ID(), err)
	}
	before := [][]byte{read(t, file), read(t, file+".pub")}
	if _, err := signing.NewKey(file); err == nil || !strings.Contains(err.Error(), "never replaced") {
		t.Errorf("a second key: %v", err)
	}
	if err := os.Remove(file + ".pub"); err != nil {
		t.Fatal(err)
	}
	if _, err := signing.NewKey(file); err == nil || !strings.Contains(err.Error(), "never replaced") {
		t.Errorf("a second key where the public one is gone: %v", err)
	}
	if !bytes.Equal(before[0], read(t, file)) {
		t.Error("the key was replaced")
	}
	if _, err := os.Stat(file + ".pub"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a public key without its private one was left: %v", err)
	}
}

// A key that others may read, and what is no key, signs nothing.
func TestKeysThatAreRefused(t *testing.T) {
	good := newKey(t)
	dir := t.TempDir()
	data := read(t, good)
	for _, c := range []struct {
		name string
		file string
		says string
	}{
		{"absent", filepath.Join(dir, "none.key"), "no such file"},
		{"a folder", dir, "no key file"},
		{"read by the group", write(t, filepath.Join(dir, "group"), data, 0o640), "mode 0640"},
		{"read by all", write(t, filepath.Join(dir, "all"), data, 0o644), "chmod 600"},
		{"written by all", write(t, filepath.Join(dir, "written"), data, 0o622), "chmod 600"},
		{"too large", write(t, filepath.Join(dir, "large"), make([]byte, 64<<10+1), 0o600), "no key file"},
		{"a public key", write(t, filepath.Join(dir, "public"), read(t, good+".pub"), 0o600), "PRIVATE KEY"},
		{"empty", write(t, filepath.Join(dir, "empty"), nil, 0o600), "no PEM block"},
		{"two keys", write(t, filepath.Join(dir, "two"), append(bytes.Clone(data), data...), 0o600), "one PEM block"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := signing.ReadPrivateKey(c.file); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %s", err, c.says)
			}
			verdict := write(t, filepath.Join(t.TempDir(), "verdict.json"), encoded(t, at.Judged(nil)), 0o644)
			if _, err := signing.Sign(signing.Options{Verdict: verdict, Key: c.file}); err == nil {
				t.Error("it signs")
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(verdict), "*.intoto.json*")); len(left) > 0 {
				t.Errorf("%v was written", left)
			}
		})
	}
	if _, err := signing.ReadPrivateKey(write(t, filepath.Join(dir, "mine"), data, 0o400)); err != nil {
		t.Errorf("a key that its owner alone may read: %v", err)
	}
}

// Signing is judging again: what claims more than its evidence is not signed, and a red verdict is.
func TestSign(t *testing.T) {
	key := newKey(t)
	green := encoded(t, at.Judged(nil))
	red := at.Judged(func(e *assurance.Evidence) { e.Plan.Change.Protected = []string{"acceptance/run.sh"} })
	claims := red
	claims.Outcome = assurance.OutcomePassed
	treeless := at.Judged(func(e *assurance.Evidence) { e.Plan.Subject.TreeSHA256 = "" })
	for _, c := range []struct {
		name string
		data []byte
		exit int // of the error; 0 is none of Refused
		says string
	}{
		{"green", green, 0, ""},
		{"red", encoded(t, red), 0, ""},
		{"refused before there was a plan", encoded(t, assurance.Judge(assurance.Evidence{Version: 1, Stop: assurance.Stop{Refusal: &assurance.Refusal{Code: "no-fence"}}})), 0, "about no tree"},
		{"about no tree", encoded(t, treeless), 0, "about no tree"},
		{"a level that was not earned", bytes.Replace(green, []byte(`"val":"VAL-1"`), []byte(`"val":"VAL-2"`), 1), 3, "VAL-2"},
		{"an outcome that was not seen", encoded(t, claims), 3, "tampered"},
		{"evidence that was changed", bytes.Replace(green, []byte(`"evidence_digest":"sha256:`), []byte(`"evidence_digest":"sha256:0`), 1), 3, "evidence_digest"},
		{"an unknown key", bytes.Replace(green, []byte(`{"schema_version"`), []byte(`{"waiver":"me","schema_version"`), 1), 3, "waiver"},
		{"no verdict", []byte("{}"), 3, "kind"},
		{"nothing", nil, 3, "JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			verdict := write(t, filepath.Join(dir, "verdict.json"), c.data, 0o644)
			out, err := signing.Sign(signing.Options{Verdict: verdict, Key: key, Log: filepath.Join(dir, "log.jsonl")})
			if c.says == "" {
				if err != nil || out != filepath.Join(dir, "verdict.intoto.json") {
					t.Fatalf("%s, %v", out, err)
				}
				signed(t, key, read(t, out), c.data)
				if !bytes.Equal(read(t, out), read(t, filepath.Join(dir, "log.jsonl"))) {
					t.Error("the log has another envelope")
				}
				return
			}
			var refused *signing.Refused
			if err == nil || !strings.Contains(err.Error(), c.says) || errors.As(err, &refused) != (c.exit != 0) || refused != nil && refused.ExitCode() != c.exit {
				t.Errorf("%v, want %s", err, c.says)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 || out != "" {
				t.Errorf("there are %v, and %q was returned", left, out)
			}
		})
	}
}

// signed wants an envelope by the key that holds the verdict as it is, and that the gate of its reader takes for one.
func signed(t *testing.T, key string, data, verdict []byte) {
	t.Helper()
	trust := write(t, filepath.Join(filepath.Dir(key), "trust.toml"), []byte("[[key]]\npublic = \"ci.key.pub\"\nrole = \"verifier\"\nverifier = \"ci\"\n"), 0o644)
	who, files, err := signing.ReadTrust(trust)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 || !bytes.Equal(files[key+".pub"], read(t, key+".pub")) {
		t.Errorf("read were %d files", len(files))
	}
	e, err := attest.ParseEnvelope(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := who.Verifier(e); err != nil {
		t.Error(err)
	}
	if _, inside, err := e.Verdict(); err != nil || !bytes.Equal(inside, verdict) {
		t.Errorf("it holds something else: %v", err)
	}
	d, err := gate.Check(gate.Options{Trust: who}, data)
	if err != nil || d.Steps[1].State != assurance.Held || d.Steps[3].State != assurance.Held {
		t.Errorf("%+v, %v", d.Steps, err)
	}
}

// What is signed already is not signed again, a log grows, and an envelope goes where it is asked for.
func TestSignAgain(t *testing.T) {
	key, dir := newKey(t), t.TempDir()
	verdict := write(t, filepath.Join(dir, "verdict.json"), encoded(t, at.Judged(nil)), 0o644)
	log := write(t, filepath.Join(dir, "log.jsonl"), []byte("an older line\n"), 0o644)
	out, err := signing.Sign(signing.Options{Verdict: verdict, Key: key, Out: filepath.Join(dir, "other.json"), Log: log})
	if err != nil || out != filepath.Join(dir, "other.json") {
		t.Fatal(out, err)
	}
	if lines := bytes.Split(bytes.TrimSpace(read(t, log)), []byte("\n")); len(lines) != 2 || string(lines[0]) != "an older line" {
		t.Errorf("the log has %d lines", len(lines))
	}
	if _, err := signing.Sign(signing.Options{Verdict: out, Key: key}); err == nil || !strings.Contains(err.Error(), "signed already") {
		t.Errorf("signed twice: %v", err)
	}
	if _, err := signing.Sign(signing.Options{Verdict: filepath.Join(dir, "none"), Key: key}); err == nil || !strings.Contains(err.Error(), "read verdict") {
		t.Errorf("a verdict that is not there: %v", err)
	}
}

// A trust.toml that cannot be read whole trusts nobody.
func TestReadTrust(t *testing.T) {
	key := newKey(t)
	dir := filepath.Dir(key)
	entry := func(public string) []byte {
		return []byte("[[key]]\npublic = \"" + public + "\"\nrole = \"author\"\n")
	}
	if _, _, err := signing.ReadTrust(write(t, filepath.Join(dir, "absolute.toml"), entry(key+".pub"), 0o644)); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		name, file, says string
	}{
		{"absent", filepath.Join(dir, "none.toml"), "whose signatures count"},
		{"names a key that is not there", write(t, filepath.Join(dir, "a.toml"), entry("none.pub"), 0o644), "none.pub"},
		{"names a folder", write(t, filepath.Join(dir, "b.toml"), entry("."), 0o644), "no key file"},
		{"names the private key", write(t, filepath.Join(dir, "c.toml"), entry("ci.key"), 0o644), "private key"},
		{"has one key in both roles", write(t, filepath.Join(dir, "d.toml"), append(entry("ci.key.pub"), "[[key]]\npublic = \"./ci.key.pub\"\nrole = \"verifier\"\nverifier = \"ci\"\n"...), 0o644), "both roles"},
	} {
		if who, _, err := signing.ReadTrust(c.file); err == nil || who != nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s", c.name, err, c.says)
		}
	}
}
