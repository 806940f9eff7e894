package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/assurance/internal/strict"
)

// Options says what the reader of a verdict asks for.
type Options struct {
	// MinVAL is the lowest level that passes. Its zero value is VAL0; there is no way to let a verdict of
	// level none pass.
	MinVAL assurance.Level
	// Trust says whose signatures count; nil is nobody's.
	Trust *attest.Trust
	// AllowUnsigned lets a verdict without a signature pass, and one whose signature nobody looks at since there is no Trust.
	AllowUnsigned bool
	// Contract is the signed contract under which the verdict has to have been made, as the bytes of its envelope; nil asks for none, unless
	// Trust does.
	Contract []byte
	// Subject holds what the verdict has to be about. Each of its fields that is set has to be the same in
	// the verdict; the zero value asks for nothing.
	Subject assurance.Subject
	// Policy asks for more by branch and path; nil for none. Branch is the one that the change is for, "" where the reader does not say.
	Policy *Policy
	Branch string
	// Venues are those at which a verdict may have been made; none is any.
	Venues []string
	// Spec is the id of the one spec whose verdict is looked for in a log; "" is each. WholeLog asks that no verdict before the newest one
	// is missing in the log. Both are CheckLog's.
	Spec     string
	WholeLog bool
	// Now is the reader's time. Where it is zero, no time is compared.
	Now time.Time
	// MaxAge is how old a verdict may be; 0 is any age. It needs Now.
	MaxAge time.Duration
	// Skew is how far in the future a verdict may lie; 0 is five minutes.
	Skew time.Duration
}

// Step names one step of the gate.
type Step string

// The steps, in the order in which they are taken. A verdict that fails one before the outcome is not to be
// trusted, and the later steps are not taken.
const (
	StepForm      Step = "form"
	StepSignature Step = "signature"
	StepStatement Step = "statement"
	StepEvidence  Step = "evidence"
	StepSubject   Step = "subject"
	StepContract  Step = "contract"
	StepFresh     Step = "fresh"
	StepNonce     Step = "nonce"
	StepPolicy    Step = "policy"
	StepOutcome   Step = "outcome"
	StepLevel     Step = "level"
)

// Steps returns all steps, in order.
func Steps() []Step {
	return []Step{StepForm, StepSignature, StepStatement, StepEvidence, StepSubject, StepContract, StepFresh, StepNonce, StepPolicy, StepOutcome, StepLevel}
}

// Means says what the step asks.
func (s Step) Means() string {
	switch s {
	case StepForm:
		return "it can be read, strictly, and is of a known version"
	case StepSignature:
		return "it is signed by a key that the reader's trust.toml lets sign verdicts, or `--allow-unsigned` was given"
	case StepStatement:
		return "what was signed is a verdict about the tree that it names, by a key that was good at its time and venue"
	case StepEvidence:
		return "its evidence, judged again, earns what it states"
	case StepSubject:
		return "it is about the tree and commit that the reader has"
	case StepContract:
		return "it says that it was made under the reader's contract, which is signed by an author that the trust.toml knows, and in all that the contract says"
	case StepFresh:
		return "it is neither too old nor from the future, and its contract has not expired"
	case StepNonce:
		return "it has the contract's nonce, and was made while the contract held"
	case StepPolicy:
		return "it meets each rule of the reader's policy that applies to its branch and paths; these raise the level that is asked for"
	case StepOutcome:
		return "every required test passed"
	case StepLevel:
		return "its level is at least the one asked for"
	}
	return ""
}

// Result is what one step came to. State is held, failed, waived (by an option) or not-run.
type Result struct {
	Step   Step            `json:"step"`
	State  assurance.State `json:"state"`
	Reason string          `json:"reason"`
}

// Decision is what the gate came to.
type Decision struct {
	// Exit is ExitOK only where the verdict passes.
	Exit assurance.Exit `json:"exit_code"`
	// Level is the lowest one of what the verdict states, what its evidence earns, and what its key may sign.
	Level assurance.Level `json:"val"`
	// MinVAL is what the reader asks for, or the contract where that asks for more.
	MinVAL assurance.Level `json:"min_val"`
	// Reasons says in sentences why it does not pass; it is empty where it does.
	Reasons []string `json:"reasons"`
	Steps   []Result `json:"steps"`
	// Clauses are those of the evidence judged again.
	Clauses []assurance.Clause `json:"clauses"`
	// Verdict is the verdict as judged again; the zero value where it could not be read.
	Verdict assurance.Verdict `json:"-"`
	// unfit says that its key was not good for it, by time or venue: it is as if nobody had signed it.
	unfit bool
}

// Passes reports whether the gate is open.
func (d Decision) Passes() bool { return d.Exit == assurance.ExitOK }

// Check decides on the bytes of a verdict. An error says that the options make no sense (exit code 2); all
// that can be wrong with the verdict is in the Decision.
func Check(o Options, data []byte) (Decision, error) {
	switch {
	case o.MinVAL < assurance.VAL0 || o.MinVAL > assurance.VAL3:
		return Decision{Exit: assurance.ExitUsage}, fmt.Errorf("check verdict: want a least level from VAL-0 to VAL-3, got %d", int(o.MinVAL))
	case o.MaxAge < 0 || o.Skew < 0:
		return Decision{Exit: assurance.ExitUsage}, errors.New("check verdict: an age cannot be negative")
	case o.MaxAge > 0 && o.Now.IsZero():
		return Decision{Exit: assurance.ExitUsage}, errors.New("check verdict: a greatest age needs the time of now")
	}
	if o.Skew == 0 {
		o.Skew = 5 * time.Minute
	}
	c := checker{o: o, data: data}
	c.d = Decision{Level: assurance.LevelNone, MinVAL: o.MinVAL, Reasons: []string{}, Clauses: []assurance.Clause{}}
	for _, s := range Steps() {
		c.take(s)
	}
	return c.d, nil
}

type checker struct {
	o      Options
	data   []byte           // the verdict, once it is out of its envelope
	sealed *attest.Envelope // nil for a bare verdict
	key    *attest.Key      // by which it is signed; nil where nobody looked
	stated assurance.Verdict
	again  assurance.Verdict
	terms  *attest.Contract // of the reader's contract; nil where none is asked for
	d      Decision
}

// take carries out one step, unless one before it failed in a way that leaves nothing to look at.
func (c *checker) take(s Step) {
	r := Result{Step: s, State: assurance.NotRun, Reason: "not looked at, since the verdict is not to be trusted"}
	if c.d.Exit != assurance.ExitDistrust {
		var exit assurance.Exit
		r.State, r.Reason, exit = c.steps(s)
		if r.State == assurance.Failed {
			c.d.Reasons = append(c.d.Reasons, r.Reason)
			if c.d.Exit == assurance.ExitOK || exit == assurance.ExitDistrust {
				c.d.Exit = exit
			}
		}
	}
	c.d.Steps = append(c.d.Steps, r)
}

func (c *checker) steps(s Step) (assurance.State, string, assurance.Exit) {
	held := func(format string, args ...any) (assurance.State, string, assurance.Exit) {
		return assurance.Held, fmt.Sprintf(format, args...), assurance.ExitOK
	}
	distrust := func(format string, args ...any) (assurance.State, string, assurance.Exit) {
		return assurance.Failed, fmt.Sprintf(format, args...), assurance.ExitDistrust
	}
	switch s {
	case StepForm:
		if err := c.open(); err != nil {
			return distrust("the verdict cannot be read: %v", err)
		}
		if c.sealed != nil {
			return held("a signed envelope")
		}
		return held("%s", c.described())
	case StepSignature:
		return c.signature()
	case StepStatement:
		if c.sealed == nil {
			return assurance.Waived, "the verdict is not signed", assurance.ExitOK
		}
		if err := c.unseal(); err != nil {
			return distrust("the signed verdict is not to be trusted: %v", err)
		}
		return held("%s", c.described())
	case StepEvidence:
		if lie := c.judgeAgain(); lie != "" {
			return distrust("%s", lie)
		}
		return held("judged again by rules %d", assurance.RulesVersion)
	case StepSubject:
		if other := otherSubject(c.o.Subject, c.stated.Subject); other != "" {
			return distrust("the verdict is about something else: %s", other)
		}
		return held("tree %s", c.stated.Subject.GitTree)
	case StepContract:
		return c.contracted()
	case StepFresh:
		return c.fresh()
	case StepNonce:
		return c.nonce()
	case StepPolicy:
		return c.policy()
	case StepOutcome:
		v := c.lower()
		if v.Status != assurance.StatusDone || v.Outcome != assurance.OutcomePassed {
			return assurance.Failed, fmt.Sprintf("%s: %s", name(v), v.Reason), assurance.Exit(v.ExitCode())
		}
		return held("passed")
	default:
		asked := c.d.MinVAL
		if c.d.Level < asked {
			return assurance.Failed, fmt.Sprintf("the level is %s, and %s is asked for", c.d.Level, asked), assurance.ExitShort
		}
		return held("%s, and %s is asked for", c.d.Level, asked)
	}
}

// open reads the form of what was given: a signed envelope, or a bare verdict.
func (c *checker) open() (err error) {
	keys, err := strict.Keys(c.data)
	if err != nil {
		return err
	}
	if keys["payloadType"] == nil {
		if err := known(keys); err != nil {
			return err
		}
		if err := strict.Read(c.data, "the verdict", &c.stated); err != nil {
			return err
		}
		return c.hasEvidence()
	}
	c.sealed, err = attest.ParseEnvelope(c.data)
	return err
}

func (c *checker) described() string {
	return fmt.Sprintf("a verdict of schema %d, rules %d, by Lane %s", c.stated.SchemaVersion, c.stated.RulesVersion, c.stated.Engine)
}

// signature finds the key. A signature that does not count is worse than none.
func (c *checker) signature() (assurance.State, string, assurance.Exit) {
	switch {
	case c.sealed == nil && c.o.AllowUnsigned:
		return assurance.Waived, "the verdict is not signed; the reader allows that", assurance.ExitOK
	case c.sealed == nil:
		return assurance.Failed, "the verdict is not signed, and unsigned ones are not allowed", assurance.ExitDistrust
	case c.o.Trust == nil && c.o.AllowUnsigned:
		return assurance.Waived, "nobody said whose signatures count; the reader allows unsigned verdicts", assurance.ExitOK
	case c.o.Trust == nil:
		return assurance.Failed, "the verdict is signed, and nobody said whose signatures count", assurance.ExitDistrust
	}
	key, err := c.o.Trust.Verifier(c.sealed)
	if err != nil {
		return assurance.Failed, fmt.Sprintf("the verdict cannot be trusted: %v", err), assurance.ExitDistrust
	}
	c.key = &key
	return assurance.Held, fmt.Sprintf("signed by %s, up to %s", key.Verifier, key.MaxVAL), assurance.ExitOK
}

// unseal takes the verdict out of its envelope.
func (c *checker) unseal() (err error) {
	if c.stated, c.data, err = c.sealed.Verdict(); err != nil {
		return err
	}
	keys, err := strict.Keys(c.data)
	if err != nil {
		return err
	}
	if err := known(keys); err != nil {
		return err
	}
	if err := c.hasEvidence(); err != nil {
		return err
	}
	if c.key == nil {
		return nil
	}
	err = c.key.Allows(&c.stated)
	c.d.unfit = err != nil
	return err
}

func name(v assurance.Verdict) string {
	if v.Outcome == "" {
		return string(v.Status)
	}
	return string(v.Outcome)
}

// needed are the keys without which nothing is a verdict.
var needed = [...]string{"rules_version", "status", "outcome", "val", "clauses", "evidence", "evidence_digest"}

// known refuses keys that are not those of a verdict of this gate's schema.
func known(keys map[string]json.RawMessage) error {
	has := func(key, value string) bool { return string(keys[key]) == value }
	switch {
	case keys["verdicts"] != nil:
		return errors.New("it is a report of several verdicts; the gate takes the verdict.json of one")
	case !has("kind", strconv.Quote(assurance.VerdictKind)):
		return fmt.Errorf("it has no kind %q", assurance.VerdictKind)
	case !has("schema_version", strconv.Itoa(assurance.SchemaVersion)):
		return fmt.Errorf("it is of schema %s, and this gate knows %d", orNone(keys["schema_version"]), assurance.SchemaVersion)
	}
	for _, k := range needed {
		if keys[k] == nil {
			return fmt.Errorf("it has no %s", k)
		}
	}
	return nil
}

func (c *checker) hasEvidence() error {
	if c.stated.Evidence == nil {
		return errors.New("it has no evidence")
	}
	return nil
}

func orNone(raw json.RawMessage) string {
	if raw == nil {
		return "none"
	}
	return string(raw)
}

// judgeAgain judges the evidence and returns what is wrong with the stated verdict, "" where nothing is.
func (c *checker) judgeAgain() string {
	s := &c.stated
	c.again = assurance.Judge(*s.Evidence)
	a := &c.again
	c.d.Verdict, c.d.Clauses = c.again, a.Clauses
	if a.Refusal != nil && a.Refusal.Code == assurance.BadEvidence {
		return assurance.BadEvidence + ": " + a.Refusal.Msg
	}
	if s.Level > assurance.VAL3 {
		return fmt.Sprintf("the verdict states %s, which Lane never gives", s.Level)
	}
	if lie := copied(s, a); lie != "" {
		return lie
	}
	if n := len(s.Evidence.Unplanned()); n > 0 {
		return fmt.Sprintf("the evidence has %d observations of nothing that was planned", n)
	}
	c.d.Level = min(s.Level, a.Level)
	if c.key != nil {
		c.d.Level = min(c.d.Level, c.key.MaxVAL)
	}
	// Under other rules the same evidence may come to something else in good faith: the lower result stands.
	if s.RulesVersion != assurance.RulesVersion {
		return ""
	}
	switch {
	case s.Level > a.Level:
		return fmt.Sprintf("the verdict states %s, and its evidence earns %s", s.Level, a.Level)
	case severity(s) < severity(a):
		return fmt.Sprintf("the verdict states %s, and its evidence says %s: %s", name(*s), name(*a), a.Reason)
	}
	for _, stated := range s.Clauses {
		if judged := a.Clause(stated.ID); stated.Holds() && !judged.Holds() {
			return fmt.Sprintf("the verdict states that %s is %s, and its evidence says that it is %s: %s", stated.ID, stated.State, judged.State, judged.Reason)
		}
	}
	return ""
}

// lower returns the worse one of the stated verdict and the one judged again.
func (c *checker) lower() assurance.Verdict {
	if severity(&c.stated) > severity(&c.again) {
		return c.stated
	}
	return c.again
}

// severity orders verdicts by what they came to, the better the lower.
func severity(v *assurance.Verdict) int {
	all := assurance.Outcomes()
	if v.Status == assurance.StatusRefused {
		return len(all) + 1
	}
	for i, m := range all {
		if m.Outcome == v.Outcome {
			return len(all) - i
		}
	}
	return len(all) + 2
}

// fresh compares times.
func (c *checker) fresh() (assurance.State, string, assurance.Exit) {
	if c.o.Now.IsZero() {
		return assurance.Waived, "the reader asks for no age", assurance.ExitOK
	}
	if c.terms != nil {
		if err := c.terms.Valid(c.o.Now, c.o.Skew); err != nil {
			return assurance.Failed, fmt.Sprintf("the contract does not hold any more, or not yet: %v", err), assurance.ExitDistrust
		}
	}
	end := c.stated.Finished
	age := c.o.Now.Sub(end)
	switch {
	case end.IsZero() && c.o.MaxAge > 0:
		return assurance.Failed, "the verdict does not say when it was made", assurance.ExitDistrust
	case !end.IsZero() && age < -c.o.Skew:
		return assurance.Failed, fmt.Sprintf("the verdict is from the future, by %s", -age.Round(time.Second)), assurance.ExitDistrust
	case c.o.MaxAge > 0 && age > c.o.MaxAge:
		return assurance.Failed, fmt.Sprintf("the verdict is %s old, and %s is the most", age.Round(time.Second), c.o.MaxAge), assurance.ExitDistrust
	}
	return assurance.Held, fmt.Sprintf("made %s ago", max(0, age).Round(time.Second)), assurance.ExitOK
}
