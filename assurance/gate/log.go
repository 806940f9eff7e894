package gate

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/assurance/internal/strict"
)

// LogDecision is what the gate came to about a log: one decision for each spec that has a verdict about the subject.
type LogDecision struct {
	Exit assurance.Exit `json:"exit_code"`
	// Lines is how many verdicts the log has, About how many of them are about the subject.
	Lines int `json:"lines"`
	About int `json:"about"`
	// Passed over are verdicts about the subject that do not count, with the reason; at most 20, and a count of the rest.
	PassedOver []string `json:"passed_over"`
	// Reasons says why it does not pass, as far as that is not in a decision: a spec without a verdict, a log with a gap.
	Reasons []string `json:"reasons"`
	// Verdicts has the decision on the newest verdict of each spec, by spec.
	Verdicts []Decision `json:"verdicts"`
}

// Passes reports whether the gate is open.
func (d LogDecision) Passes() bool { return d.Exit == assurance.ExitOK }

// CheckLog decides on a log of verdicts, one a line, in any order: `verdicts.intoto.jsonl`, or several of them joined. For each spec the
// newest verdict about the subject that counts is the one that is decided on, so that a newer red beats an older green. Lines about other
// subjects are neither read further nor believed. An error says that the options make no sense for this log (exit code 2).
func CheckLog(o Options, log []byte) (LogDecision, error) {
	d := LogDecision{PassedOver: []string{}, Reasons: []string{}, Verdicts: []Decision{}}
	entries, err := d.entries(&o, log)
	if err != nil {
		d.Exit = assurance.ExitUsage
		return d, err
	}
	d.About = len(entries)
	var files []assurance.ChangedFile
	var specs []string
	for _, group := range bySpec(entries) {
		newest, err := d.newest(o, group)
		if err != nil {
			return d, err
		}
		if newest == nil {
			continue
		}
		d.Verdicts = append(d.Verdicts, newest.decision)
		specs = append(specs, newest.Spec.ID)
		touched := changedFiles(&newest.decision.Verdict)
		files = append(files, touched...)
		if gap := newest.gap(group); gap != "" && (o.WholeLog || o.Policy.wholeLog(o.Branch, touched)) {
			d.shut(assurance.ExitDistrust, "%s: %s", newest.Spec.ID, gap)
		}
	}
	for _, want := range o.Policy.specs(o.Branch, files) {
		if !slices.Contains(specs, want) {
			d.shut(assurance.ExitDistrust, "the policy asks for a verdict of the spec %s, and the log has none that counts", want)
		}
	}
	if len(d.Verdicts) == 0 && len(d.Reasons) == 0 {
		d.shut(assurance.ExitDistrust, "the log has no verdict about the subject that counts, of %d", d.Lines)
	}
	for _, v := range d.Verdicts {
		d.Exit = worse(d.Exit, v.Exit)
	}
	return d, nil
}

func (d *LogDecision) shut(exit assurance.Exit, format string, args ...any) {
	d.Exit = worse(d.Exit, exit)
	d.Reasons = append(d.Reasons, fmt.Sprintf(format, args...))
}

// worse is the exit code of two together.
func worse(a, b assurance.Exit) assurance.Exit { return assurance.CombineExits(a, b) }

func (d *LogDecision) passOver(line int, why string) {
	const most = 20
	if len(d.PassedOver) < most {
		d.PassedOver = append(d.PassedOver, fmt.Sprintf("line %d: %s", line, why))
	} else if len(d.PassedOver) == most {
		d.PassedOver = append(d.PassedOver, "and others")
	}
}

// entry is one line about the subject, as it describes itself.
type entry struct {
	line int
	data []byte
	head
	digest   string
	decision Decision
}

// head is what orders verdicts and tells specs apart.
type head struct {
	Spec struct {
		ID string `json:"id"`
	} `json:"spec"`
	Subject  assurance.Subject `json:"subject"`
	Finished time.Time         `json:"finished"`
	Attempt  int               `json:"attempt"`
	Previous string            `json:"previous"`
}

// entries finds the lines about the subject.
func (d *LogDecision) entries(o *Options, log []byte) (out []*entry, err error) {
	var trees []string
	// A peek knows no base and no patch: whoever asks for these has each line read.
	seen := assurance.Subject{TreeSHA256: o.Subject.TreeSHA256, GitTree: o.Subject.GitTree, Commit: o.Subject.Commit}
	number := 0
	for line := range bytes.Lines(log) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		d.Lines++
		if s, ok := peek(line); ok && otherSubject(seen, s) != "" {
			continue
		}
		e, err := read(number, line)
		if err != nil && o.counts(line) {
			// Of a newer Lane, or broken: it may be the red one that is newer than all others.
			d.shut(assurance.ExitDistrust, "line %d is a verdict that counts and cannot be read: %v", number, err)
			continue
		}
		if err != nil {
			d.passOver(number, err.Error())
			continue
		}
		if otherSubject(o.Subject, e.Subject) != "" {
			continue
		}
		if o.Spec != "" && e.head.Spec.ID != o.Spec {
			continue
		}
		if !slices.Contains(trees, e.Subject.TreeSHA256) {
			trees = append(trees, e.Subject.TreeSHA256)
		}
		out = append(out, e)
	}
	if len(trees) > 1 && o.Subject == (assurance.Subject{}) {
		return nil, fmt.Errorf("read the log: it is about %d trees; say which one has to pass, by its commit, tree or sha256", len(trees))
	}
	return out, nil
}

// counts reports whether a line says that it is a verdict, and is signed as the reader wants it.
func (o *Options) counts(line []byte) bool {
	if !attest.IsEnvelope(line) {
		keys, err := strict.Keys(line)
		return err == nil && o.AllowUnsigned && string(keys["kind"]) == strconv.Quote(assurance.VerdictKind)
	}
	sealed, err := attest.ParseEnvelope(line)
	if err != nil || !sealed.ClaimsVerdict() {
		return false
	}
	if o.Trust == nil {
		return o.AllowUnsigned
	}
	_, err = o.Trust.Verifier(sealed)
	return err == nil
}

// peeked bounds how much of a payload is decoded to find its subject.
const peeked = 1 << 10

var payloadKey, subjectStart = []byte(`"payload":"`), []byte(`{"_type":"` + attest.StatementType + `","subject":[{"name":"tree","digest":`)

// peek finds the subject of an envelope in the form in which Lane writes it, without reading the rest of what may be a megabyte.
// What is found decides only that a line is about something else.
func peek(line []byte) (s assurance.Subject, ok bool) {
	at := bytes.Index(line, payloadKey)
	if at < 0 || at > 200 {
		return s, false
	}
	at += len(payloadKey)
	text := line[at:min(at+peeked, len(line))]
	text = text[:len(text)/4*4]
	start := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(start, text)
	if err != nil {
		return s, false
	}
	rest, found := bytes.CutPrefix(start[:n], subjectStart)
	if !found {
		return s, false
	}
	var digest struct {
		SHA256 string `json:"sha256"`
		Tree   string `json:"gitTree"`
		Commit string `json:"gitCommit"`
	}
	if err := json.NewDecoder(bytes.NewReader(rest)).Decode(&digest); err != nil {
		return s, false
	}
	return assurance.Subject{TreeSHA256: digest.SHA256, GitTree: digest.Tree, Commit: digest.Commit}, digest.SHA256 != ""
}

// read takes a line apart as far as it takes to order it.
func read(number int, line []byte) (*entry, error) {
	e := &entry{line: number, data: line}
	verdict := line
	if attest.IsEnvelope(line) {
		sealed, err := attest.ParseEnvelope(line)
		if err != nil {
			return nil, err
		}
		if _, verdict, err = sealed.Verdict(); err != nil {
			return nil, err
		}
	}
	if err := json.Unmarshal(verdict, &e.head); err != nil {
		return nil, fmt.Errorf("it is no verdict: %w", err)
	}
	if e.head.Spec.ID == "" || e.Subject.TreeSHA256 == "" {
		return nil, errors.New("it is no verdict about a tree")
	}
	var err error
	e.digest, err = attest.Digest(verdict)
	return e, err
}

// bySpec groups entries, each group the newest first: by the time at which they ended, then by attempt, then by place.
func bySpec(entries []*entry) (groups [][]*entry) {
	slices.SortStableFunc(entries, func(a, b *entry) int {
		return cmp.Or(strings.Compare(a.Spec.ID, b.Spec.ID), b.Finished.Compare(a.Finished), cmp.Compare(b.Attempt, a.Attempt), cmp.Compare(b.line, a.line))
	})
	for _, e := range entries {
		if n := len(groups); n > 0 && groups[n-1][0].Spec.ID == e.Spec.ID {
			groups[n-1] = append(groups[n-1], e)
		} else {
			groups = append(groups, []*entry{e})
		}
	}
	return groups
}

// newest decides on the newest verdict of a group that counts: one that is signed by nobody who is trusted, or by a key that was not good
// for it, cannot hide what others say. One that counts and is not to be trusted does decide.
func (d *LogDecision) newest(o Options, group []*entry) (*entry, error) {
	for _, e := range group {
		decision, err := Check(o, e.data)
		if err != nil {
			return nil, err
		}
		if decision.unfit || decision.distrusted() == StepSignature {
			d.passOver(e.line, decision.Reasons[0])
			continue
		}
		e.decision = decision
		return e, nil
	}
	return nil, nil
}

// distrusted is the step that failed first, "" where none did.
func (d Decision) distrusted() Step {
	for _, r := range d.Steps {
		if r.State == assurance.Failed {
			return r.Step
		}
	}
	return ""
}

// gap says what the log lacks of what came before an entry, by its own word; "" where that is nothing.
func (e *entry) gap(group []*entry) string {
	for previous := e.Previous; previous != ""; {
		at := slices.IndexFunc(group, func(x *entry) bool { return x.digest == previous })
		if at < 0 {
			return fmt.Sprintf("a verdict before it (%s) is not in the log: one may be withheld", previous)
		}
		previous = group[at].Previous
	}
	return ""
}

// changedFiles are those that the change of a verdict touches.
func changedFiles(v *assurance.Verdict) []assurance.ChangedFile {
	if v.Evidence == nil {
		return nil
	}
	return v.Evidence.Plan.Change.Files
}
