package lane

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/journal"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/mutate"
)

// BaselineName is the file of accepted survivors beside a spec.
const BaselineName = "lane.mutants.toml"

// Acceptance says who accepts the survivors of a run, and until when. Reason and Author are needed.
type Acceptance struct {
	Reason, Author string
	Expires        time.Time // the last day; zero = 180 days from now
}

// acceptedFor is how long an entry counts where nobody says otherwise.
const acceptedFor = 180

// baselineFile is the absolute path of the baseline.
func (m MutateOptions) baselineFile(s *spec.Spec, file string) (string, error) {
	if m.Baseline != "" {
		return filepath.Abs(m.Baseline)
	}
	return baselineOf(s, file), nil
}

// baselineOf is the absolute path of the baseline that goes with a spec, which lies in file.
func baselineOf(s *spec.Spec, file string) string {
	return filepath.Join(filepath.Dir(file), filepath.FromSlash(cmp.Or(s.Mutation.Baseline, BaselineName)))
}

// isBaseline reports whether a path of the tree is the file of accepted survivors, which no test reads.
func (j *job) isBaseline(name string) bool {
	rel, inside := j.repo.Rel(j.baseline)
	return inside && rel == name
}

func readBaseline(name string) (*mutate.Baseline, []byte, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &mutate.Baseline{}, nil, nil
	}
	var b *mutate.Baseline
	if err == nil {
		b, err = mutate.ParseBaseline(data)
	}
	if err != nil {
		return nil, nil, &coded{fmt.Errorf("read baseline %s: %w", name, err), assurance.ExitUsage}
	}
	return b, data, nil
}

// accept sets the accepted survivors apart, and with an Acceptance accepts the others.
func (m MutateOptions) accept(file string, out *Mutation, now time.Time) error {
	b, text, err := readBaseline(file)
	if err != nil {
		return err
	}
	if m.Accept != nil {
		b, err = m.Accept.update(file, text, b, out, now)
		if err != nil {
			return err
		}
	}
	verdict := map[string]mutate.Verdict{}
	for i := range out.Results {
		r := &out.Results[i]
		verdict[r.Mutant.ID] = r.Verdict
		if a, ok := b.Find(r.Mutant.ID); ok && r.Verdict.Unnoticed() && a.Valid(now) {
			r.Accepted = &a
		}
	}
	out.Facts = append(out.Facts, entryFacts(sought(b.Accept, m.Operators), verdict, out.all, now)...)
	return nil
}

// sought leaves out the entries of faults that a run with these operators, nil for the usual ones, does not look for: it says nothing of them.
func sought(entries []mutate.Accepted, operators []string) []mutate.Accepted {
	return slices.DeleteFunc(slices.Clone(entries), func(a mutate.Accepted) bool {
		place := placeAndOperator.FindStringSubmatch(a.Mutant)
		if place == nil {
			return len(operators) > 0
		}
		if len(operators) > 0 {
			return !slices.Contains(operators, place[2])
		}
		return slices.ContainsFunc(Operators(), func(o OperatorDoc) bool {
			return o.Named && o.Name == place[2] && slices.Contains(extensions[o.Language], path.Ext(place[1]))
		})
	})
}

// placeAndOperator reads what Mutant.String writes: the file, and the operator behind the line.
var placeAndOperator = regexp.MustCompile(`^(.*):\d+ (\S+)`)

// extensions are those of the languages that have operators which are used by name alone.
var extensions = map[string][]string{"Go": {".go"}, "Python": {".py"}}

// entryFacts says which entries have expired, and which nothing needs any more. all holds the ids of every mutant of the code; nil where
// only a part of it was looked at.
func entryFacts(entries []mutate.Accepted, verdict map[string]mutate.Verdict, all map[string]bool, now time.Time) (facts []string) {
	for _, a := range entries {
		v, tried := verdict[a.ID]
		switch {
		case tried && v.Unnoticed() && !a.Valid(now):
			facts = append(facts, fmt.Sprintf("baseline: %s (%s) expired on %s: look at it again", a.ID, a.Mutant, a.Expires.Format(time.DateOnly)))
		case tried && (v == mutate.Killed || v == mutate.Unviable || v == mutate.Equivalent):
			facts = append(facts, fmt.Sprintf("baseline: %s (%s) is %s: its entry can go", a.ID, a.Mutant, v))
		case !tried && all != nil && !all[a.ID]:
			facts = append(facts, fmt.Sprintf("baseline: %s (%s) is no mutant of this code any more: its entry can go", a.ID, a.Mutant))
		}
	}
	return facts
}

// update accepts what survived and is not accepted yet.
func (a Acceptance) update(file string, text []byte, b *mutate.Baseline, out *Mutation, now time.Time) (*mutate.Baseline, error) {
	until := a.Expires
	if until.IsZero() {
		y, month, d := now.Date()
		until = time.Date(y, month, d, 0, 0, 0, 0, time.UTC).AddDate(0, 0, acceptedFor)
	}
	var add []mutate.Accepted
	for i := range out.Results {
		r := &out.Results[i]
		if old, ok := b.Find(r.Mutant.ID); r.Verdict.Unnoticed() && (!ok || !old.Valid(now)) {
			add = append(add, mutate.Accepted{ID: r.Mutant.ID, Mutant: r.Mutant.String(), Reason: a.Reason, Author: a.Author, Expires: until})
		}
	}
	out.Facts = append(out.Facts, fmt.Sprintf("baseline: %d survivors were added to %s, until %s", len(add), filepath.Base(file), until.Format(time.DateOnly)))
	if len(add) == 0 {
		return b, nil
	}
	updated := mutate.UpdateBaseline(text, add)
	after, err := mutate.ParseBaseline(updated)
	if err != nil {
		return nil, fmt.Errorf("update baseline %s: it would not be read back: %w", file, err)
	}
	return after, journal.Replace(file, updated, 0o644)
}

// check refuses an acceptance that says too little.
func (a Acceptance) check(now time.Time) error {
	for flag, value := range map[string]string{"--reason": a.Reason, "--author": a.Author} {
		if strings.TrimSpace(value) == "" {
			return &coded{fmt.Errorf("update the baseline: %s is missing; who accepts a survivor says why and who they are", flag), assurance.ExitUsage}
		}
	}
	if !a.Expires.IsZero() && now.After(a.Expires.AddDate(0, 0, 1)) {
		return &coded{fmt.Errorf("read --expires: %s has passed", a.Expires.Format(time.DateOnly)), assurance.ExitUsage}
	}
	return nil
}

// explain puts the accepted survivors that base holds into a check's plan. They account for a survivor where a contract signed the spec,
// which is about the very tree that holds them; base's own word is listed and no more. What the change brings has no effect, and the
// verdict says so: entries that head has otherwise than base, and all of them where the spec that names them came with the change.
func (j *job) explain(plan *mutate.Plan) error {
	rel, inside := j.repo.Rel(j.baseline)
	if !inside {
		return nil
	}
	base, err := j.baselineIn(j.change.BaseTree, rel)
	if err != nil {
		return err
	}
	head, err := j.baselineIn(j.change.HeadTree, rel)
	if err != nil {
		return err
	}
	ignored := &j.evidence.Plan.Change.Ignored
	if head != "" && head != base {
		*ignored = append(*ignored, rel+" as the change has it: survivors that it accepts count as survivors")
	}
	by := j.evidence.Plan.Spec.Authority
	switch {
	case base == "" && head == "" && j.spec.Mutation.Baseline != "":
		j.note("mutation.baseline names " + rel + ", which base does not hold: no survivor is accepted")
	case base != "" && !by.Outside():
		*ignored = append(*ignored, rel+", which its spec names: survivors that it accepts count as survivors")
		return nil
	}
	b, err := mutate.ParseBaseline([]byte(base))
	if err != nil {
		j.note("base holds a " + rel + " that cannot be read: " + err.Error())
		return nil
	}
	j.accepted = b.Accept
	planned := map[string]bool{}
	for i := range plan.Mutants {
		planned[plan.Mutants[i].ID] = true
	}
	for _, a := range b.Accept {
		if planned[a.ID] && a.Valid(time.Now()) {
			j.evidence.Plan.Explained = append(j.evidence.Plan.Explained, assurance.Explanation{Mutant: "mutant/" + a.ID, By: by, Signed: by == assurance.ByContract,
				Reason: fmt.Sprintf("%s (%s, until %s)", a.Reason, a.Author, a.Expires.Format(time.DateOnly))})
		}
	}
	return nil
}

// baselineIn is the text of a file of accepted survivors in a tree; "" where there is none.
func (j *job) baselineIn(tree, rel string) (string, error) {
	if tree == "" {
		return "", nil
	}
	data, err := j.repo.ReadFile(tree, rel)
	if worktree.IsNotExist(err) {
		return "", nil
	}
	return string(data), err
}

// noteAccepted says what has become of the entries of base, once the mutants have their verdicts.
func (j *job) noteAccepted(plan *mutate.Plan) {
	verdict := map[string]mutate.Verdict{}
	for i := range plan.Mutants {
		m := &plan.Mutants[i]
		if o := j.evidence.Observations[mutantID(m)]; o.Mutant != nil {
			verdict[m.ID] = mutate.Verdict(o.Mutant.Verdict)
		}
	}
	var all map[string]bool
	if j.whole() || j.spec.Mutation.Scope == spec.ScopeAll {
		all = map[string]bool{}
		for _, m := range slices.Concat(plan.Mutants, plan.Arid) {
			all[m.ID] = true
		}
	}
	for _, fact := range entryFacts(sought(j.accepted, j.operators), verdict, all, time.Now()) {
		j.note(fact)
	}
}
