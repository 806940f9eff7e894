package assurance

import (
	"fmt"
	"slices"
)

// Problems lists what makes evidence unusable whatever was observed: an unknown version, a plan that names
// an id twice or refers to something that it does not have, a word outside of its closed list. Judge
// refuses such evidence. Observations are never a problem: a bad one counts as not-run.
func (e Evidence) Problems() []string {
	if e.Version != EvidenceVersion {
		return []string{fmt.Sprintf("evidence has version %d, want %d", e.Version, EvidenceVersion)}
	}
	c := planCheck{ids: map[string]string{}, tasks: map[string]bool{}, closures: map[string]bool{},
		places: map[string]bool{}, criteria: map[string]bool{}, mutants: map[string]bool{}}
	c.plan(&e.Plan)
	return c.problems
}

// Unplanned lists the ids that were observed and that the plan does not have, in no order. They have no
// effect on a verdict; whoever fills in evidence never makes one.
func (e Evidence) Unplanned() []string {
	c := planCheck{ids: map[string]string{}, tasks: map[string]bool{}, closures: map[string]bool{},
		places: map[string]bool{}, criteria: map[string]bool{}, mutants: map[string]bool{}}
	c.plan(&e.Plan)
	var out []string
	for id := range e.Observations {
		if c.ids[id] == "" {
			out = append(out, id)
		}
	}
	return out
}

type planCheck struct {
	problems                                   []string
	ids                                        map[string]string
	tasks, closures, places, criteria, mutants map[string]bool
}

func (c *planCheck) say(format string, args ...any) {
	if len(c.problems) < maxFacts {
		c.problems = append(c.problems, fmt.Sprintf(format, args...))
	}
}

func (c *planCheck) id(kind, id string) {
	if id == "" {
		c.say("a planned %s has no id", kind)
		return
	}
	if other := c.ids[id]; other != "" {
		c.say("id %q names a %s and a %s", id, other, kind)
	}
	c.ids[id] = kind
}

// name notes a name that is unique among its own kind.
func (c *planCheck) name(seen map[string]bool, kind, name string) {
	if name == "" || seen[name] {
		c.say("%s %q has no name or one that is taken", kind, name)
	}
	seen[name] = true
}

func (c *planCheck) known(seen map[string]bool, kind, name, by string) {
	if !seen[name] {
		c.say("%s refers to %s %q, which the plan does not have", by, kind, name)
	}
}

func oneOf[T ~string](c *planCheck, what string, v T, list ...T) {
	if !slices.Contains(list, v) {
		c.say("%s is %q, want one of %q", what, v, list)
	}
}

func (c *planCheck) plan(p *Plan) {
	if p.Require < LevelNone || p.Require > VAL3 {
		c.say("required level is %s", p.Require)
	}
	oneOf(c, "kind of change", p.Change.Kind, Feature, Fix, Refactor, Removed, Tree)
	oneOf(c, "authority of the kind of change", p.Change.SaidBy, ByContract, ByBase, ByCaller, ByChange)
	oneOf(c, "authority of the spec", p.Spec.Authority, ByContract, ByBase, ByCaller, ByChange)
	switch k := p.Contract; {
	case (k != nil) != (p.Spec.Authority == ByContract):
		c.say("the authority of the spec is %q, and the plan names a contract: %t", p.Spec.Authority, k != nil)
	case k != nil && (k.Digest == "" || k.Nonce == "" || k.Expires.IsZero()):
		c.say("the contract is named without its digest, its nonce or its end")
	}
	for _, f := range p.Change.Files {
		oneOf(c, fmt.Sprintf("kind of file %q", f.Path), f.Kind, FileCode, FileTest, FileConfig, FileDocs, FileOther)
	}
	for _, x := range p.Closures {
		c.id("closure", x.ID)
		c.closures[x.ID] = true
	}
	for _, t := range p.Tasks {
		c.name(c.tasks, "task", t.Name)
		c.known(c.closures, "closure", t.Closure, "task "+t.Name)
		oneOf(c, "class of task "+t.Name, t.Class, InProcess, Forgeable)
	}
	for _, x := range p.Trees {
		c.id("tree", x.ID)
		oneOf(c, "role of tree "+x.ID, x.Role, Head, Base, Hybrid)
	}
	for _, x := range p.Boxes {
		c.id("box", x.ID)
		c.known(c.tasks, "task", x.Task, "box "+x.ID)
	}
	for _, x := range p.Probes {
		c.id("probe", x.ID)
		c.known(c.tasks, "task", x.Task, "probe "+x.ID)
	}
	c.runs(p)
	c.mutation(p)
	c.target(p.Target)
	c.hidden(p)
	c.deploy(p.Deploy)
	c.downstream(p)
	c.services(p)
}

func (c *planCheck) runs(p *Plan) {
	tests := map[testKey]bool{}
	for _, t := range p.Tests {
		c.known(c.tasks, "task", t.Task, "test "+t.ID)
		if k := (testKey{t.Task, t.ID}); t.ID == "" || tests[k] {
			c.say("test %q of task %q has no id or is planned twice", t.ID, t.Task)
		} else {
			tests[k] = true
		}
		if t.BasePasses && t.BaseFails {
			c.say("test %q both passes and fails on base", t.ID)
		}
	}
	for _, r := range p.Runs {
		c.id("run", r.ID)
		c.known(c.tasks, "task", r.Task, "run "+r.ID)
		oneOf(c, "tree of run "+r.ID, r.Tree, Head, Base, Hybrid)
		for _, k := range r.Canaries {
			if k.Test == "" || tests[testKey{r.Task, k.Test}] {
				c.say("canary %q of run %s has no id or that of a test", k.Test, r.ID)
			}
		}
	}
}

func (c *planCheck) mutation(p *Plan) {
	for _, x := range p.Criteria {
		c.name(c.criteria, "criterion", x.ID)
		oneOf(c, "kind of criterion "+x.ID, x.Kind, CriterionTest, CriterionDeploy, CriterionManual, CriterionBlackBox, CriterionTarget)
	}
	for _, x := range p.Places {
		c.name(c.places, "place", x.ID)
	}
	for _, m := range p.Mutants {
		c.id("mutant", m.ID)
		c.mutants[m.ID] = true
		by := "mutant " + m.ID
		oneOf(c, "origin of "+by, m.Origin, OriginOwn, OriginPlugin, OriginRevert)
		oneOf(c, "verdict known of "+by, m.Known, "", MutantUnviable, MutantEquivalent)
		for _, id := range m.Places {
			c.known(c.places, "place", id, by)
		}
		for _, id := range m.Criteria {
			c.known(c.criteria, "criterion", id, by)
		}
	}
	for _, x := range p.Nulls {
		c.id("null mutant", x.ID)
	}
	for _, x := range p.Breaks {
		c.id("broken file", x.ID)
	}
	for _, x := range p.Audits {
		c.id("audit", x.ID)
		c.known(c.mutants, "mutant", x.Mutant, "audit "+x.ID)
	}
	for _, x := range p.Explained {
		c.known(c.mutants, "mutant", x.Mutant, "an explanation")
	}
	if p.Sample != nil && p.Sample.Population < 0 {
		c.say("the sample has a population of %d", p.Sample.Population)
	}
}
