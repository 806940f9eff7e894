package gate_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/assurance/gate"
)

// agreed is a contract that the evidence of Good is by, once inside names it.
func agreed() attest.Contract {
	e := at.Good()
	text := "id = \"cart-discounts\"\n"
	sum := sha256.Sum256([]byte(text))
	return attest.Contract{
		SchemaVersion: attest.ContractVersion, Engine: "0.1.0", Nonce: strings.Repeat("0a", 32),
		Issued: e.Record.Started.Add(-time.Hour), Expires: e.Record.Finished.Add(24 * time.Hour),
		Spec: attest.ContractSpec{ID: "cart-discounts", Path: "specs/cart.toml", Digest: "sha256:" + hex.EncodeToString(sum[:]), Text: text},
		Terms: attest.Terms{Change: assurance.Feature, Require: assurance.VAL1, Mutation: attest.MutationTerms{Scope: "diff", Threshold: 1},
			Criteria: []attest.CriterionTerms{{ID: "AC-1", Kind: assurance.CriterionTest}},
			Tasks:    []attest.TaskTerms{{Name: "unit", Run: []string{"go", "test", "./..."}}}},
		Base: attest.BaseTree{SHA256: e.Plan.Trees[1].SHA256, GitTree: e.Plan.Subject.BaseTree},
	}
}

func signContract(t testing.TB, key attest.PrivateKey, edit func(*attest.Contract)) []byte {
	t.Helper()
	k := agreed()
	if edit != nil {
		edit(&k)
	}
	out, err := attest.SignContract(k, key)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// under has evidence say that it was made under a contract.
func under(t testing.TB, contract []byte) func(*assurance.Evidence) {
	t.Helper()
	envelope, err := attest.ParseEnvelope(contract)
	if err != nil {
		t.Fatal(err)
	}
	k, err := envelope.Contract()
	if err != nil {
		t.Fatal(err)
	}
	named := k.Named(envelope, attest.Key{})
	return func(e *assurance.Evidence) {
		e.Plan.Spec.Authority, e.Plan.Change.SaidBy = assurance.ByContract, assurance.ByContract
		e.Plan.Spec.Digest, e.Plan.Contract = k.Spec.Digest, &named
	}
}

// trusts is a trust.toml of the verifier's key and the author's, with lines in the author's entry.
func trusts(t testing.TB, head string, verifier, author attest.PrivateKey, lines ...string) *attest.Trust {
	t.Helper()
	text := head + "[[key]]\npublic = \"ci.pub\"\nrole = \"verifier\"\nverifier = \"ci\"\n[[key]]\npublic = \"author.pub\"\nrole = \"author\"\n"
	out, err := attest.ParseTrust([]byte(text+strings.Join(lines, "\n")), func(name string) ([]byte, error) {
		switch name {
		case "ci.pub":
			return verifier.Public().PEM()
		case "author.pub":
			return author.Public().PEM()
		}
		return nil, errors.New("there is none")
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// For each rule about contracts, a verdict or a contract that breaks it alone.
func TestContract(t *testing.T) {
	ci, author, other := newKey(t), newKey(t), newKey(t)
	plain := trusts(t, "", ci, author)
	good := signContract(t, author, nil)
	moreTasks := signContract(t, author, func(k *attest.Contract) {
		k.Terms.Tasks = append(k.Terms.Tasks, attest.TaskTerms{Name: "lint", Run: []string{"lint"}})
	})
	moreCriteria := signContract(t, author, func(k *attest.Contract) {
		k.Terms.Criteria = append(k.Terms.Criteria, attest.CriterionTerms{ID: "AC-2", Kind: assurance.CriterionTest})
	})
	shop := signContract(t, author, func(k *attest.Contract) {
		k.Terms.Target = &attest.TargetTerms{Name: "shop-{label}", Task: "unit", Build: []string{"go", "build", "-o", "/tmp/shop", "./cmd/shop"}, Up: []string{"/tmp/shop"}, Port: 8080,
			Health: "/healthz", Check: []string{"sh", "acceptance.sh"}, Down: []string{"sh", "down.sh"}}
		k.Terms.Tasks = append(k.Terms.Tasks, attest.TaskTerms{Name: "shop", Kind: assurance.TaskAPI, Run: []string{"pytest", "acceptance"}})
		k.Terms.Criteria = append(k.Terms.Criteria, attest.CriterionTerms{ID: "AC-7", Kind: assurance.CriterionTarget})
	})
	hidden := signContract(t, author, func(k *attest.Contract) {
		k.Hidden = &attest.Hidden{SHA256: strings.TrimPrefix(at.HiddenArchive, "sha256:"), Size: 1}
		k.Terms.Hidden = &attest.HiddenTerms{Kind: "black-box", Task: "unit", Run: []string{"go", "test", "./acceptance"}, Program: []string{"shop"}}
	})
	// ran has hidden tests run by what that contract says, and edited after it does.
	ran := func(edit func(h *assurance.HiddenPlan)) func(*assurance.Evidence) {
		return func(e *assurance.Evidence) {
			under := *e.Plan.Contract
			at.WithHidden(e, assurance.HiddenBlackBox)
			e.Plan.Contract = &under
			if edit != nil {
				edit(e.Plan.Hidden)
			}
		}
	}
	// judged is a verdict under a contract, edited after it says so.
	judged := func(contract []byte, edit func(*assurance.Evidence)) []byte {
		return sign(t, encoded(t, at.Judged(func(e *assurance.Evidence) {
			under(t, contract)(e)
			if edit != nil {
				edit(e)
			}
		})), ci)
	}
	fine := judged(good, nil)
	made := at.Good().Record.Finished
	day := func(c []byte, now time.Duration) gate.Options {
		return gate.Options{MinVAL: 1, Trust: plain, Contract: c, Now: made.Add(now)}
	}
	stamp := func(d time.Duration) string { return agreed().Issued.Add(d).Format(time.RFC3339) }
	asks := func(o gate.Options, c []byte) gate.Options { o.Contract = c; return o }
	for _, c := range []struct {
		name string
		o    gate.Options
		data []byte
		exit assurance.Exit
		step gate.Step
		says string
	}{
		{"good", day(good, time.Hour), fine, 0, "", ""},
		{"good without a time", asks(gate.Options{Trust: plain}, good), fine, 0, "", ""},
		{"good with hidden tests", day(hidden, time.Hour), judged(hidden, ran(nil)), 0, "", ""},
		{"hidden tests not run", day(hidden, time.Hour), judged(hidden, nil), 4, gate.StepLevel, "VAL-1 is asked for"},
		{"hidden tests by another command", day(hidden, 0), judged(hidden, ran(func(h *assurance.HiddenPlan) { h.Command = []string{"true"} })), 3, gate.StepContract, "how hidden tests run"},
		{"hidden tests against another program", day(hidden, 0), judged(hidden, ran(func(h *assurance.HiddenPlan) { h.Program = []string{"stub"} })), 3, gate.StepContract, "how hidden tests run"},
		{"hidden tests in the process", day(hidden, 0), judged(hidden, ran(func(h *assurance.HiddenPlan) { h.Kind = assurance.HiddenInProcess })), 3, gate.StepContract, "how hidden tests run"},
		{"hidden tests of another archive", day(hidden, 0), judged(hidden, ran(func(h *assurance.HiddenPlan) { h.Archive = "sha256:00" })), 4, gate.StepLevel, "VAL-1 is asked for"},
		{"none is asked for", gate.Options{MinVAL: 1, Trust: plain}, fine, 0, "", ""},
		{"the author's key in its time", asks(gate.Options{Trust: trusts(t, "", ci, author, "from = "+stamp(-time.Minute), "until = "+stamp(time.Minute))}, good), fine, 0, "", ""},
		{"the author's key, retired after", asks(gate.Options{Trust: trusts(t, "", ci, author, `revoked = "retired"`, "revoked_at = "+stamp(time.Minute))}, good), fine, 0, "", ""},
		{"required and there", asks(gate.Options{Trust: trusts(t, "contract = \"required\"\n", ci, author)}, good), fine, 0, "", ""},

		{"required and not given", gate.Options{Trust: trusts(t, "contract = \"required\"\n", ci, author)}, fine, 3, gate.StepContract, "asks for a contract"},
		{"no contract but something else", day([]byte("{}"), 0), fine, 3, gate.StepContract, "cannot be trusted"},
		{"a verdict for a contract", day(fine, 0), fine, 3, gate.StepContract, "verdicts and no contracts"},
		{"nobody says whose contracts count", gate.Options{AllowUnsigned: true, Contract: good}, fine, 3, gate.StepContract, "nobody said whose"},
		{"an author that nobody knows", day(signContract(t, other, nil), 0), judged(signContract(t, other, nil), nil), 3, gate.StepContract, "by a key that the reader trusts"},
		{"a contract changed after it was signed", day(repacked(t, good, `"require":"VAL-1"`, `"require":"VAL-0"`, nil), 0), fine, 3, gate.StepContract, "changed after it was signed"},
		{"a contract by a verifier's key", day(signContract(t, ci, nil), 0), judged(signContract(t, ci, nil), nil), 3, gate.StepContract, "verdicts and no contracts"},
		{"a compromised author", asks(gate.Options{Trust: trusts(t, "", ci, author, `revoked = "compromised"`)}, good), fine, 3, gate.StepContract, "compromised"},
		{"an author before its time", asks(gate.Options{Trust: trusts(t, "", ci, author, "from = "+stamp(time.Minute))}, good), fine, 3, gate.StepContract, "good from"},
		{"an author after its time", asks(gate.Options{Trust: trusts(t, "", ci, author, "until = "+stamp(-time.Minute))}, good), fine, 3, gate.StepContract, "good until"},
		{"an author who was retired", asks(gate.Options{Trust: trusts(t, "", ci, author, `revoked = "retired"`, "revoked_at = "+stamp(0))}, good), fine, 3, gate.StepContract, "retired"},
		{"another predicate", day(repacked(t, good, attest.ContractType, attest.VerdictType, &author), 0), fine, 3, gate.StepContract, "predicate"},
		{"an unknown key of the contract", day(repacked(t, good, `"nonce"`, `"waiver":"me","nonce"`, &author), 0), fine, 3, gate.StepContract, "waiver"},
		{"made under no contract", day(good, 0), sign(t, encoded(t, at.Judged(nil)), ci), 3, gate.StepContract, "under no contract"},
		{"made under another contract", day(signContract(t, author, func(k *attest.Contract) { k.Nonce = strings.Repeat("0b", 32) }), 0), fine, 3, gate.StepContract, "the reader has"},
		{"another spec", day(good, 0), judged(good, func(e *assurance.Evidence) { e.Plan.Spec.Digest = "sha256:00" }), 3, gate.StepContract, "spec is"},
		{"another base", day(good, 0), judged(good, func(e *assurance.Evidence) { e.Plan.Subject.BaseTree = strings.Repeat("ab", 20) }), 3, gate.StepContract, "base tree is"},
		{"another base of the same name", day(good, 0), judged(good, func(e *assurance.Evidence) {
			e.Plan.Trees[1].SHA256 = strings.Repeat("00", 32)
			e.Observations["tree/base"] = assurance.Observation{Tree: &assurance.TreeObservation{Before: strings.Repeat("00", 32), After: strings.Repeat("00", 32)}}
		}), 3, gate.StepContract, "base tree (sha256)"},
		{"another kind of change", day(good, 0), judged(good, func(e *assurance.Evidence) { e.Plan.Change.Kind = assurance.Fix }), 3, gate.StepContract, "kind of change is"},
		{"a kind of change by the caller's word", day(good, 0), judged(good, func(e *assurance.Evidence) { e.Plan.Change.SaidBy = assurance.ByCaller }), 3, gate.StepContract, "who says"},
		{"another command", day(good, 0), judged(good, func(e *assurance.Evidence) { e.Plan.Tasks[0].Command = []string{"true"} }), 3, gate.StepContract, "tasks"},
		{"a task fewer (C40)", day(moreTasks, 0), judged(moreTasks, nil), 3, gate.StepContract, "tasks"},
		{"with a target", day(shop, 0), judged(shop, at.AddTargetTask), 0, "", ""},
		{"a task on the target fewer", day(shop, 0), judged(shop, func(e *assurance.Evidence) {
			at.AddTargetTask(e)
			e.Plan.Target.Tasks = nil
			for _, id := range e.Unplanned() {
				delete(e.Observations, id)
			}
		}), 3, gate.StepContract, "tasks"},
		{"a task on the target of another kind", day(shop, 0), judged(shop, func(e *assurance.Evidence) { at.AddTargetTask(e); e.Plan.Target.Tasks[0].Kind = assurance.TaskBrowser }), 3, gate.StepContract, "tasks"},
		{"a target with another check", day(shop, 0), judged(shop, func(e *assurance.Evidence) { at.AddTargetTask(e); e.Plan.Target.Check = []string{"true"} }), 3, gate.StepContract, "target is"},
		{"another target", day(good, 0), judged(good, at.AddTarget), 3, gate.StepContract, "target is"},
		{"a criterion fewer", day(moreCriteria, 0), judged(moreCriteria, nil), 3, gate.StepContract, "criteria"},
		{"a lower level asked for", day(good, 0), judged(good, func(e *assurance.Evidence) { e.Plan.Require = 0 }), 3, gate.StepContract, "required level"},
		{"hidden tests left out", day(good, 0), judged(good, func(e *assurance.Evidence) { e.Plan.Contract.Hidden = "sha256:00" }), 3, gate.StepContract, "hidden tests"},
		{"another end", day(good, 0), judged(good, func(e *assurance.Evidence) { e.Plan.Contract.Expires = made.Add(time.Hour * 48) }), 3, gate.StepContract, "end of the contract"},

		{"expired before the reader looks", day(good, 25*time.Hour), fine, 3, gate.StepFresh, "expired"},
		{"still to come", day(good, -2*time.Hour), fine, 3, gate.StepFresh, "still to come"},
		{"another nonce", day(good, 0), judged(good, func(e *assurance.Evidence) { e.Plan.Contract.Nonce = strings.Repeat("0b", 32) }), 3, gate.StepNonce, "another nonce"},
		{"an older verdict, used again", day(good, 0), judged(good, func(e *assurance.Evidence) { e.Record.Started = e.Record.Started.Add(-2 * time.Hour) }), 3, gate.StepNonce, "used again"},
		{"a verdict from after the contract", day(good, 0), judged(good, func(e *assurance.Evidence) { e.Record.Finished = agreed().Expires }), 3, gate.StepFresh, "future"},
		{"a verdict from after the contract, where no time is compared", asks(gate.Options{Trust: plain}, good), judged(good, func(e *assurance.Evidence) { e.Record.Finished = agreed().Expires }), 3, gate.StepNonce, "held until"},
		{"a verdict of no time", asks(gate.Options{Trust: plain}, good), judged(good, func(e *assurance.Evidence) { e.Record.Started = time.Time{} }), 3, gate.StepNonce, "does not say when"},
		{"less than the contract requires, and enough for the reader", asks(gate.Options{Trust: plain}, good), judged(good, func(e *assurance.Evidence) { e.Plan.Subject.Dirty = true }), 4, gate.StepLevel, "VAL-1 is asked for"},
		{"a red verdict under a contract", day(good, 0), judged(good, func(e *assurance.Evidence) { e.Plan.Change.Protected = []string{"acceptance/run.sh"} }), 3, gate.StepOutcome, "acceptance/run.sh"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := check(t, c.o, c.data)
			stopsAt(t, d, c.exit, c.step, c.says)
		})
	}
}

// A contract that names hidden tests holds a verdict without them below VAL-1.
func TestHiddenTestsBind(t *testing.T) {
	author := newKey(t)
	hidden := signContract(t, author, func(k *attest.Contract) { k.Hidden = &attest.Hidden{SHA256: strings.Repeat("cd", 32), Size: 1} })
	v := at.Judged(under(t, hidden))
	if c := v.Clause(assurance.HiddenPassed); v.Level != assurance.VAL0 || c.State != assurance.NotRun || c.Level != assurance.VAL1 {
		t.Errorf("%s, %+v", v.Level, c)
	}
	if v := at.Judged(under(t, signContract(t, author, nil))); v.Level != assurance.VAL1 {
		t.Errorf("%s: %v", v.Level, v.WhyNot)
	}
}

// Evidence that names a contract without its authority, or the other way round, is not to be judged.
func TestAuthorityAndContractGoTogether(t *testing.T) {
	good := under(t, signContract(t, newKey(t), nil))
	for name, edit := range map[string]func(*assurance.Evidence){
		"authority alone": func(e *assurance.Evidence) { e.Plan.Spec.Authority = assurance.ByContract },
		"contract alone":  func(e *assurance.Evidence) { good(e); e.Plan.Spec.Authority = assurance.ByBase },
		"no nonce":        func(e *assurance.Evidence) { good(e); e.Plan.Contract.Nonce = "" },
	} {
		if v := at.Judged(edit); v.Refusal == nil || v.Refusal.Code != assurance.BadEvidence {
			t.Errorf("%s: %s %v", name, v.Outcome, v.Refusal)
		}
	}
}

// What a contract adds to the gate's 30 ms.
func BenchmarkGateUnderContract(b *testing.B) {
	ci, author := newKey(b), newKey(b)
	contract := signContract(b, author, nil)
	data := sign(b, encoded(b, at.Judged(under(b, contract))), ci)
	o := gate.Options{Trust: trusts(b, "", ci, author), Contract: contract, MinVAL: 1}
	for b.Loop() {
		if d, err := gate.Check(o, data); err != nil || !d.Passes() {
			b.Fatal(d.Reasons, err)
		}
	}
}
