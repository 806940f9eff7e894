package gate

import (
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/attest"
)

// contracted opens the reader's contract and compares the verdict with it.
func (c *checker) contracted() (assurance.State, string, assurance.Exit) {
	has := c.stated.Contract
	if c.o.Contract == nil {
		switch {
		case c.o.Trust != nil && c.o.Trust.ContractRequired():
			return assurance.Failed, "the trust.toml asks for a contract, and the reader gave none to compare with", assurance.ExitDistrust
		case has != nil:
			return assurance.Waived, fmt.Sprintf("made under the contract %s; the reader asks for none", has.Digest), assurance.ExitOK
		}
		return assurance.Waived, "the reader asks for no contract", assurance.ExitOK
	}
	terms, named, err := c.openContract()
	if err != nil {
		return assurance.Failed, fmt.Sprintf("the contract cannot be trusted: %v", err), assurance.ExitDistrust
	}
	c.terms = terms
	switch {
	case has == nil:
		return assurance.Failed, fmt.Sprintf("the verdict was made under no contract, by authority of %s", c.stated.Authority), assurance.ExitDistrust
	case has.Digest != named.Digest:
		return assurance.Failed, fmt.Sprintf("the verdict was made under the contract %s, and the reader has %s", has.Digest, named.Digest), assurance.ExitDistrust
	}
	if other := otherTerms(terms, named, &c.stated); other != "" {
		return assurance.Failed, "the verdict is not by the contract that it names: " + other, assurance.ExitDistrust
	}
	c.d.MinVAL = max(c.d.MinVAL, terms.Terms.Require)
	return assurance.Held, fmt.Sprintf("made under the contract %s, signed by %s", named.Digest, named.Key), assurance.ExitOK
}

func (c *checker) openContract() (*attest.Contract, assurance.Contract, error) {
	var named assurance.Contract
	e, err := attest.ParseEnvelope(c.o.Contract)
	if err != nil {
		return nil, named, err
	}
	if c.o.Trust == nil {
		return nil, named, fmt.Errorf("nobody said whose signatures count")
	}
	key, err := c.o.Trust.Author(e)
	if err != nil {
		return nil, named, err
	}
	terms, err := e.Contract()
	if err != nil {
		return nil, named, err
	}
	if err := key.AllowsContract(terms); err != nil {
		return nil, named, err
	}
	return terms, terms.Named(e, key), nil
}

// otherTerms returns in what a verdict differs from its contract, "" where it does not.
func otherTerms(k *attest.Contract, named assurance.Contract, v *assurance.Verdict) string {
	var base string
	for _, t := range v.Evidence.Plan.Trees {
		if t.Role == assurance.Base {
			base = t.SHA256
		}
	}
	all := []pair{
		{"spec", k.Spec.Digest, v.Spec.Digest},
		{"base tree", k.Base.GitTree, v.Subject.BaseTree},
		{"kind of change", k.Terms.Change, v.Change.Kind},
		{"who says what kind of change it is", assurance.ByContract, v.Change.SaidBy},
		{"required level", k.Terms.Require, v.Require},
		{"hidden tests", named.Hidden, v.Contract.Hidden},
		{"end of the contract", named.Expires, v.Contract.Expires},
	}
	if v.Outcome == assurance.OutcomePassed { // a check that stopped early may have planned neither
		all = append(all, pair{"tasks", termsOfTasks(k.Terms.Tasks), tasksOf(v)}, pair{"target", termsOfTarget(k.Terms.Target), targetOf(v.Evidence.Plan.Target)},
			pair{"criteria", names(k.Terms.Criteria, func(t attest.CriterionTerms) string { return t.ID + " (" + t.Kind + ")" }),
				names(v.Evidence.Plan.Criteria, func(t assurance.Criterion) string { return t.ID + " (" + t.Kind + ")" })})
	}
	all = append(all, hiddenTerms(k.Terms.Hidden, v.Evidence.Plan.Hidden)...)
	for _, f := range all {
		want, errW := json.Marshal(f.want)
		got, errG := json.Marshal(f.got)
		if errW != nil || errG != nil || string(want) != string(got) {
			return fmt.Sprintf("%s is %s, want %s", f.name, got, want)
		}
	}
	if base != "" && base != k.Base.SHA256 {
		return fmt.Sprintf("base tree (sha256) is %s, want %s", base, k.Base.SHA256)
	}
	return ""
}

// pair is one thing that a contract and a verdict have to say alike.
type pair struct {
	name      string
	want, got any
}

// hiddenTerms are what both say of how hidden tests run; nothing where the verdict ran none, which its clause says.
func hiddenTerms(terms *attest.HiddenTerms, plan *assurance.HiddenPlan) []pair {
	if plan == nil {
		return nil
	}
	type how struct {
		Kind, Task   string
		Run, Program []string
	}
	got := how{plan.Kind, plan.Task, append([]string{}, plan.Command...), append([]string{}, plan.Program...)}
	if terms == nil {
		return []pair{{"how hidden tests run", nil, got}}
	}
	return []pair{{"how hidden tests run", how{terms.Kind, terms.Task, append([]string{}, terms.Run...), append([]string{}, terms.Program...)}, got}}
}

// asked is what a task runs, in the form in which contract and verdict are compared. Kind is "" for one that tests the tree.
type asked struct {
	Kind       string
	Run, Build []string
}

func termsOfTasks(tasks []attest.TaskTerms) map[string]asked {
	out := map[string]asked{}
	for _, t := range tasks {
		out[t.Name] = asked{t.Kind, append([]string{}, t.Run...), append([]string{}, t.Build...)}
	}
	return out
}

func tasksOf(v *assurance.Verdict) map[string]asked {
	out := map[string]asked{}
	for _, t := range v.Tasks {
		out[t.Name] = asked{"", append([]string{}, t.Command...), append([]string{}, t.Build...)}
	}
	if p := v.Evidence.Plan.Target; p != nil {
		for _, t := range p.Tasks {
			out[t.Name] = asked{t.Kind, append([]string{}, t.Command...), append([]string{}, t.Build...)}
		}
	}
	return out
}

// live is what a target is made of, in the form in which contract and verdict are compared.
type live struct {
	Port, Health           string
	Build, Up, Check, Down []string
}

func termsOfTarget(t *attest.TargetTerms) *live {
	if t == nil {
		return nil
	}
	return &live{strconv.Itoa(t.Port), t.Health, append([]string{}, t.Build...), append([]string{}, t.Up...), append([]string{}, t.Check...), append([]string{}, t.Down...)}
}

func targetOf(p *assurance.PlannedTarget) *live {
	if p == nil {
		return nil
	}
	_, port, _ := net.SplitHostPort(p.Address)
	return &live{port, p.Health, append([]string{}, p.Build...), append([]string{}, p.Up...), append([]string{}, p.Check...), append([]string{}, p.Down...)}
}

func names[T any](all []T, of func(T) string) []string {
	out := make([]string, 0, len(all))
	for _, x := range all {
		out = append(out, of(x))
	}
	return out
}

// nonce compares what ties a verdict to one contract and to the time in which that held: a verdict from before or after is another's.
func (c *checker) nonce() (assurance.State, string, assurance.Exit) {
	if c.terms == nil {
		return assurance.Waived, "the reader asks for no contract", assurance.ExitOK
	}
	v := &c.stated
	stamp := func(t time.Time) string { return t.Format(time.RFC3339) }
	switch {
	case v.Contract.Nonce != c.terms.Nonce:
		return assurance.Failed, "the verdict has another nonce than the contract", assurance.ExitDistrust
	case v.Started.IsZero() || v.Finished.IsZero():
		return assurance.Failed, "the verdict does not say when it was made, and a contract holds for a time", assurance.ExitDistrust
	case v.Started.Add(c.o.Skew).Before(c.terms.Issued):
		return assurance.Failed, fmt.Sprintf("the verdict is of %s, before the contract of %s: it is used again", stamp(v.Started), stamp(c.terms.Issued)), assurance.ExitDistrust
	case !v.Finished.Before(c.terms.Expires):
		return assurance.Failed, fmt.Sprintf("the verdict is of %s, and the contract held until %s", stamp(v.Finished), stamp(c.terms.Expires)), assurance.ExitDistrust
	}
	return assurance.Held, "it repeats the contract's nonce, and was made while the contract held", assurance.ExitOK
}
