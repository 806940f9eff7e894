package gate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/assurance/gate"
)

// logged makes lines of a log.
type logged struct {
	t    testing.TB
	key  attest.PrivateKey
	when time.Time
}

// line is a signed verdict, an hour after the one before.
func (l *logged) line(edit func(*assurance.Evidence)) (line string, digest string) {
	l.t.Helper()
	e := at.Good()
	l.when = l.when.Add(time.Hour)
	e.Record.Finished, e.Record.Attempt, e.Record.Previous = l.when, 1, ""
	if edit != nil {
		edit(&e)
	}
	data, err := json.Marshal(assurance.Judge(e))
	if err != nil {
		l.t.Fatal(err)
	}
	signed, err := attest.Sign(data, l.key)
	if err != nil {
		l.t.Fatal(err)
	}
	digest, err = attest.Digest(data)
	if err != nil {
		l.t.Fatal(err)
	}
	return string(signed) + "\n", digest
}

func (l *logged) of(edit func(*assurance.Evidence)) string {
	line, _ := l.line(edit)
	return line
}

func red(e *assurance.Evidence) {
	for _, run := range []string{at.HeadPlain, at.HeadOrder, at.HeadZone} {
		at.Set(e.Observations[run], at.Once, assurance.TestFailed, "no")
		e.Observations[run].Run.Exit = 1
	}
}

func elsewhere(e *assurance.Evidence) {
	e.Plan.Subject.Commit = strings.Repeat("e", 40)
	e.Plan.Subject.TreeSHA256 = strings.Repeat("e", 64)
	for i := range e.Plan.Trees {
		if e.Plan.Trees[i].Role == assurance.Head {
			e.Plan.Trees[i].SHA256 = strings.Repeat("e", 64)
		}
	}
}

func otherSpec(e *assurance.Evidence) { e.Plan.Spec.ID = "other" }

func TestLogs(t *testing.T) {
	key := newKey(t)
	l := &logged{t, key, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	foreign := &logged{t, newKey(t), l.when.Add(100 * time.Hour)}
	green, greenDigest := l.line(nil)
	failed := l.of(red)
	later := l.of(nil)
	other := l.of(elsewhere)
	chained := l.of(func(e *assurance.Evidence) { e.Record.Attempt, e.Record.Previous = 2, greenDigest })
	unchained := l.of(func(e *assurance.Evidence) {
		e.Record.Attempt, e.Record.Previous = 2, "sha256:"+strings.Repeat("0", 64)
	})
	second, secondRed := l.of(otherSpec), ""
	secondRed = l.of(func(e *assurance.Evidence) { otherSpec(e); red(e) })
	trusted := trust(t, key, `role = "verifier"`, `verifier = "ci"`)
	subject := at.Judged(nil).Subject
	policy := func(text string) *gate.Policy {
		p, err := gate.ParsePolicy([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, c := range []struct {
		name string
		log  string
		o    gate.Options
		exit assurance.Exit
		says string // one of the reasons, or of what was passed over
	}{
		{"one green", green, gate.Options{}, 0, ""},
		{"a newer red beats an older green", green + failed, gate.Options{}, 1, ""},
		{"a newer green beats an older red", green + failed + later, gate.Options{}, 0, ""},
		{"the order of the lines decides nothing", later + failed + green, gate.Options{}, 0, ""},
		{"others are not its business", green + other, gate.Options{}, 0, ""},
		{"nothing about the subject", other, gate.Options{}, 3, "no verdict about the subject"},
		{"nothing at all", "", gate.Options{}, 3, "no verdict about the subject"},
		{"of a stranger, and newest", failed + foreign.of(nil), gate.Options{}, 1, "a key that the reader trusts"},
		{"of a stranger alone", foreign.of(nil), gate.Options{}, 3, "a key that the reader trusts"},
		{"broken lines", "{\n" + green + `{"payloadType":"x"}` + "\n", gate.Options{}, 0, "line 1"},
		{"two specs", green + second, gate.Options{}, 0, ""},
		{"two specs, one of them red", green + secondRed, gate.Options{}, 1, ""},
		{"two specs, one of them red and not asked for", green + secondRed, gate.Options{Spec: at.Judged(nil).Spec.ID}, 0, ""},
		{"a spec that has to be there", green, gate.Options{Policy: policy("[[rule]]\nspecs = [\"other\"]")}, 3, "the spec other"},
		{"a spec that has to be there, and is", green + second, gate.Options{Policy: policy("[[rule]]\nspecs = [\"other\"]")}, 0, ""},
		{"whole", green + chained, gate.Options{WholeLog: true}, 0, ""},
		{"a verdict is withheld", green + unchained, gate.Options{WholeLog: true}, 3, "withheld"},
		{"a verdict is withheld, and nobody asks", green + unchained, gate.Options{}, 0, ""},
		{"a verdict is withheld, and the policy asks", green + unchained, gate.Options{Policy: policy("[[rule]]\nwhole_log = true")}, 3, "withheld"},
		{"too low", green, gate.Options{MinVAL: assurance.VAL2}, 4, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Trust = trusted
			c.o.Subject = assurance.Subject{GitTree: subject.GitTree, TreeSHA256: subject.TreeSHA256}
			d, err := gate.CheckLog(c.o, []byte(c.log))
			if err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(append(d.Reasons, d.PassedOver...), "\n"); d.Exit != c.exit || !strings.Contains(all, c.says) || d.Passes() != (c.exit == 0) {
				t.Errorf("exit %d: %s; want %d: %s", d.Exit, all, c.exit, c.says)
			}
		})
	}
	for want, base := range map[int]string{1: at.Judged(nil).Subject.BaseTree, 0: strings.Repeat("b", 40)} {
		d, err := gate.CheckLog(gate.Options{Trust: trusted, Subject: assurance.Subject{GitTree: subject.GitTree, BaseTree: base}}, []byte(green))
		if err != nil || d.About != want {
			t.Errorf("on the base %.4s: %d verdicts (%v), want %d", base, d.About, err, want)
		}
	}
	if _, err := gate.CheckLog(gate.Options{Trust: trusted}, []byte(green+other)); err == nil || !strings.Contains(err.Error(), "2 trees") {
		t.Errorf("a log of two trees, and no subject: %v", err)
	}
	if d, err := gate.CheckLog(gate.Options{Trust: trusted}, []byte(green+later)); err != nil || !d.Passes() {
		t.Errorf("a log of one tree, and no subject: %v, %+v", err, d.Reasons)
	}
}

// What counts and cannot be read may be a red one of a newer Lane: it shuts the gate, and no older green opens it. What does not count, or is no
// verdict, does neither.
func TestLinesThatCannotBeRead(t *testing.T) {
	key := newKey(t)
	l := &logged{t, key, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	green, newer := l.of(nil), l.of(nil)
	other := string(repacked(t, []byte(newer), `"schema_version":1`, `"schema_version":2`, &key)) + "\n"
	unknown := string(repacked(t, []byte(newer), `"schema_version":1`, `"schema_version":1,"mood":"red"`, &key)) + "\n"
	stranger := newKey(t)
	foreign := string(repacked(t, []byte(newer), `"schema_version":1`, `"schema_version":1,"mood":"red"`, &stranger)) + "\n"
	bare := func(old, new string) string {
		return strings.Replace(string(encoded(t, at.Judged(nil))), old, new, 1) + "\n"
	}
	verdict, err := json.Marshal(at.Judged(nil))
	if err != nil {
		t.Fatal(err)
	}
	summary, err := attest.Derive(verdict, attest.Derivation{Form: attest.VSA, Verifier: "https://ci", Resource: "git+https://cart"}, key)
	if err != nil {
		t.Fatal(err)
	}
	const trusted = `role = "verifier"` + "\n" + `verifier = "ci"`
	stamp := func(d time.Duration) string { return l.when.Add(d).Format(time.RFC3339) }
	for _, c := range []struct {
		name, log string
		o         gate.Options
		exit      assurance.Exit
	}{
		{"another schema", green + other, gate.Options{Trust: trust(t, key, trusted)}, 3},
		{"another schema, of the only one", other, gate.Options{Trust: trust(t, key, trusted)}, 3},
		{"an unknown key", green + unknown, gate.Options{Trust: trust(t, key, trusted)}, 3},
		{"an unknown key, where signatures need not count", green + unknown, gate.Options{AllowUnsigned: true}, 3},
		{"an unknown key, by a stranger", green + foreign, gate.Options{Trust: trust(t, key, trusted)}, 0},
		{"another statement by the key", green + string(summary) + "\n", gate.Options{Trust: trust(t, key, trusted)}, 0},
		{"by a key that had been retired", green + newer, gate.Options{Trust: trust(t, key, trusted, `revoked = "retired"`, "revoked_at = "+stamp(-time.Minute))}, 0},
		{"unsigned, of another schema", green + bare(`"schema_version":1`, `"schema_version":2`), gate.Options{AllowUnsigned: true}, 3},
		{"unsigned, with an unknown key far below", green + bare(`"status":"done"`, `"status":3`), gate.Options{AllowUnsigned: true}, 3},
		{"unsigned and broken, where signatures count", green + bare(`"spec":{`, `"spec":3,"x":{`), gate.Options{Trust: trust(t, key, trusted)}, 0},
		{"something else", green + "{\"kind\":\"note\"}\n", gate.Options{AllowUnsigned: true}, 0},
	} {
		if d, err := gate.CheckLog(c.o, []byte(c.log)); err != nil || d.Exit != c.exit {
			t.Errorf("%s: exit %d (%v), want %d: %q, passed over %q", c.name, d.Exit, err, c.exit, d.Reasons, d.PassedOver)
		}
	}
}

// What a peek finds of a line is what reading it whole finds, in Lane's own form and in any other.
func TestOtherFormsOfALineAreRead(t *testing.T) {
	key := newKey(t)
	l := &logged{t, key, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	line := l.of(elsewhere)
	spaced := repacked(t, []byte(line), `{"_type"`, ` {"_type"`, &key)
	for name, form := range map[string]string{"own": line, "other": string(spaced) + "\n"} {
		for want, s := range map[int]assurance.Subject{1: {Commit: strings.Repeat("e", 40)}, 0: {Commit: strings.Repeat("f", 40)}} {
			d, err := gate.CheckLog(gate.Options{Trust: trust(t, key, `role = "verifier"`, `verifier = "ci"`), Subject: s}, []byte(form))
			if err != nil || d.About != want || len(d.Verdicts) != want {
				t.Errorf("%s, about %s: %d verdicts (%v), want %d: %v", name, s.Commit[:1], d.About, err, want, d.PassedOver)
			}
		}
	}
}

// The bar is 300 ms for a log of 10,000 verdicts.
func BenchmarkLog(b *testing.B) {
	key, err := attest.NewKey()
	if err != nil {
		b.Fatal(err)
	}
	l := &logged{b, key, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	pem, err := key.Public().PEM()
	if err != nil {
		b.Fatal(err)
	}
	trusted, err := attest.ParseTrust([]byte("[[key]]\npublic = \"k\"\nrole = \"verifier\"\nverifier = \"ci\"\n"), func(string) ([]byte, error) { return pem, nil })
	if err != nil {
		b.Fatal(err)
	}
	var log bytes.Buffer
	about := strings.Repeat("a", 40)
	on := func(e *assurance.Evidence) { e.Plan.Subject.Commit = about }
	log.WriteString(l.of(on))
	var e struct {
		Type       string           `json:"payloadType"`
		Payload    []byte           `json:"payload"`
		Signatures []map[string]any `json:"signatures"`
	}
	if err := json.Unmarshal([]byte(l.of(on)), &e); err != nil {
		b.Fatal(err)
	}
	written := e.Payload
	for i := range 9_998 { // their signatures are wrong, and nobody looks at them
		e.Payload = bytes.ReplaceAll(written, []byte(about), fmt.Appendf(nil, "%040x", i))
		line, err := json.Marshal(e)
		if err != nil {
			b.Fatal(err)
		}
		log.Write(append(line, '\n'))
	}
	log.WriteString(l.of(on))
	data := log.Bytes()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		d, err := gate.CheckLog(gate.Options{Trust: trusted, MinVAL: 1, Subject: assurance.Subject{Commit: about}}, data)
		if err != nil || !d.Passes() || d.About != 2 {
			b.Fatal(err, d.Exit, d.About)
		}
	}
}
