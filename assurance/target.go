package assurance

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ContextBox is the context of a target that is a box of Lane's own: it has no network, and nothing outside of the box is a part of it.
const ContextBox = "lane-box"

// PlannedTarget is the disposable target of one run: what the change makes, put up for this run alone.
type PlannedTarget struct {
	ID string `json:"id"`
	// Name is the target's own. It holds Label, which is drawn for this run and which no other target has.
	Name  string `json:"name"`
	Label string `json:"label"`
	// Context says what the target is a part of: ContextBox.
	Context string `json:"context"`
	// Challenge is drawn for this run and told to the target alone, when it is put up. Nobody who asks it says it.
	Challenge string `json:"challenge"`
	// Address is where it listens, as host:port; Health is the path that is asked for.
	Address string   `json:"address"`
	Health  string   `json:"health"`
	Build   []string `json:"build,omitempty"`
	Up      []string `json:"up"`
	Check   []string `json:"check,omitempty"`
	Down    []string `json:"down,omitempty"`
	// Tasks test it while it is alive. Without them there is a Check.
	Tasks []TargetTask `json:"tasks,omitempty"`
	// ProductionWords are words and patterns that speak for production by the word of whoever started Lane, beside Lane's own.
	ProductionWords []string `json:"production_words,omitempty"`
}

// TargetObservation is the life of a target, seen from outside of it.
type TargetObservation struct {
	// Free says that nobody answered at its address before it was put up.
	Free  bool     `json:"free"`
	Build *Receipt `json:"build,omitempty"`
	Up    *Receipt `json:"up,omitempty"`
	// Alive is its first answer, Still its answer after Check.
	Alive *TargetAnswer `json:"alive,omitempty"`
	Still *TargetAnswer `json:"still,omitempty"`
	// Blank is a run of the check against a stub of Lane's that answers everything with 200 and nothing else: it has to say no.
	Blank *Receipt `json:"blank,omitempty"`
	Check *Receipt `json:"check,omitempty"`
	Down  *Receipt `json:"down,omitempty"`
	// Runs say when its tasks were run.
	Runs []TargetReceipt `json:"runs,omitempty"`
	// Interfaces are the network interfaces of the boxes of target and check.
	Interfaces []string    `json:"interfaces,omitempty"`
	Gone       *TargetGone `json:"gone,omitempty"`
}

// Receipt says what became of one command.
type Receipt struct {
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	End     End       `json:"end"`
	Exit    int       `json:"exit,omitempty"`
	// Stdout and Stderr are "sha256:" and hex over all that it wrote. Output is the end of it, bounded; for people.
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Output string `json:"output,omitempty"`
}

// TargetAnswer is one answer to a health check.
type TargetAnswer struct {
	At time.Time `json:"at"`
	// Address is the one that was dialled.
	Address string `json:"address"`
	Status  int    `json:"status,omitempty"` // of HTTP; 0 where there was no answer
	// Echo is what the answer gave for the challenge, bounded.
	Echo string `json:"echo,omitempty"`
	// Body is "sha256:" and hex over the answer's body.
	Body string `json:"body,omitempty"`
	// Detail says for people why it counts for nothing.
	Detail string `json:"detail,omitempty"`
}

// TargetGone says that the target was torn down.
type TargetGone struct {
	At time.Time `json:"at"`
	// Left counts processes that were alive when all of them had been ended. Refused says that its address, asked again in its own
	// network, refuses connections.
	Left    int  `json:"left,omitempty"`
	Refused bool `json:"refused"`
}

func (r *Receipt) passed() bool { return r != nil && r.End == EndExited && r.Exit == 0 && r.whole() }

// whole reports whether the receipt has all that one says.
func (r *Receipt) whole() bool {
	return r != nil && !r.Started.IsZero() && !r.Ended.Before(r.Started) && strings.HasPrefix(r.Stdout, "sha256:") && strings.HasPrefix(r.Stderr, "sha256:")
}

func (a *TargetAnswer) alive() bool {
	return a != nil && a.Detail == "" && a.Status >= 200 && a.Status < 300
}

// fact is one thing that has to be so. seen is false where nothing was seen that could decide it.
type fact struct {
	ok, seen bool
	say      string
}

// madeFacts are what the clause target-made rests on, in the order of a target's life.
func (p *PlannedTarget) madeFacts(o *TargetObservation) []fact {
	answer := func(a *TargetAnswer, what string) fact {
		say := what + " was not asked for"
		if a != nil {
			say = fmt.Sprintf("%s has status %d", what, a.Status)
			if a.Detail != "" {
				say = what + ": " + a.Detail
			}
		}
		return fact{a.alive(), a != nil, say}
	}
	command := func(asked []string, r *Receipt, what string) fact {
		return fact{len(asked) == 0 && r == nil || r.passed(), r != nil, fmt.Sprintf("%s %s", what, r.ending())}
	}
	said := len(p.Check) == 0 && o.Blank == nil || o.Blank.whole() && o.Blank.End == EndExited && o.Blank.Exit != 0
	no := "the check against a blank stub " + o.Blank.ending()
	if o.Blank.passed() {
		no = "the check passes against a stub that answers everything with 200 and nothing else: it shows nothing of the target"
	}
	ordered, complete := o.inOrder(len(p.Check) > 0)
	gone := "the target was not seen gone"
	if g := o.Gone; g != nil {
		gone = fmt.Sprintf("the target is not gone: %d processes are left, and its address refuses connections: %t", g.Left, g.Refused)
	}
	return append([]fact{
		{o.Free, true, "something answered at the target's address before it was put up"},
		command(p.Build, o.Build, "the build command of the target"),
		{o.Up.whole(), o.Up != nil, "the target was not put up, or without a receipt"},
		answer(o.Alive, "the target's first answer"),
		{said, o.Blank != nil, no},
		command(p.Check, o.Check, "the check of the target"),
		answer(o.Still, "the target's answer after the check"),
		{o.Up != nil && (o.Up.End == EndInterrupted || len(p.Down) > 0), o.Up != nil, "the command that puts the target up ended by itself: " + o.Up.ending()},
		command(p.Down, o.Down, "the command that takes the target down"),
		{o.Gone != nil && o.Gone.Left == 0 && o.Gone.Refused, o.Gone != nil, gone},
		{ordered, complete, "the receipts of the target are not in the order of its life"},
	}, p.receiptFacts(o)...)
}

// ending says in a few words how a command ended.
func (r *Receipt) ending() string {
	switch {
	case r == nil:
		return "was not run"
	case r.End == EndExited:
		return fmt.Sprintf("exited with %d", r.Exit)
	}
	return "ended by " + string(r.End)
}

// inOrder reports whether up, alive, check (where there is one), still, and gone came one after the other, where all of them are there.
func (o *TargetObservation) inOrder(checked bool) (ordered, complete bool) {
	if o.Up == nil || o.Alive == nil || o.Check == nil && checked || o.Still == nil || o.Gone == nil {
		return false, false
	}
	times := []time.Time{o.Up.Started, o.Alive.At}
	if o.Check != nil {
		times = append(times, o.Check.Started, o.Check.Ended)
	}
	times = append(times, o.Still.At, o.Up.Ended, o.Gone.At)
	return slices.IsSortedFunc(times, time.Time.Compare), true
}

// challengeLeast is how long a challenge and a label have to be at least, in characters.
const (
	challengeLeast = 32
	labelLeast     = 12
)

func (p *PlannedTarget) challengeFacts(o *TargetObservation) []fact {
	facts := []fact{{len(p.Challenge) >= challengeLeast, true, "the challenge is too short for one that nobody could guess"}}
	for _, a := range []*TargetAnswer{o.Alive, o.Still} {
		say := "the target was not asked"
		if a != nil {
			say = fmt.Sprintf("the target answers with %q, and this run's challenge is %q", a.Echo, p.Challenge)
		}
		facts = append(facts, fact{a.alive() && a.Echo == p.Challenge, a != nil, say})
	}
	return facts
}

func (p *PlannedTarget) productionFacts(o *TargetObservation) []fact {
	word := p.ProductionWord()
	return []fact{
		{len(p.Label) >= labelLeast && strings.Contains(p.Name, p.Label), true, fmt.Sprintf("the name %q does not hold this run's label", p.Name)},
		{word == "", true, fmt.Sprintf("name or context of the target hold the word %q", word)},
		{p.Context == ContextBox, true, fmt.Sprintf("the context %q is none that Lane can prove anything of", p.Context)},
		{slices.Equal(o.Interfaces, []string{"lo"}), len(o.Interfaces) > 0, fmt.Sprintf("the boxes of target and check have the interfaces %q", o.Interfaces)},
	}
}

// targetClauses works out the clauses of a target; none where the plan has no target.
func (v *view) targetClauses() map[ClauseID]Clause {
	p := v.plan.Target
	if p == nil {
		return nil
	}
	o, ok := v.observed(p.ID)
	if !ok || o.Target == nil {
		c := Clause{State: NotRun, Reason: "the target was not put up"}
		return map[ClauseID]Clause{TargetMade: c, Challenge: c, NotProduction: c}
	}
	return map[ClauseID]Clause{
		TargetMade:    v.made(p, o.Target),
		Challenge:     ofFacts(p.challengeFacts(o.Target), "the target answered with this run's challenge, before the check and after it"),
		NotProduction: ofFacts(p.productionFacts(o.Target), "the target is a box of Lane's own without a network, and its name holds this run's label"),
	}
}

func (v *view) made(p *PlannedTarget, o *TargetObservation) Clause {
	c := ofFacts(append(p.madeFacts(o), v.taskFacts(p)...), "the target was put up for this run, alive, asked by a check that can say no, and gone after it")
	if c.State == Held {
		c.Facts = v.idleFacts(p)
	}
	return c
}

// ofFacts makes a clause that holds where every fact does.
func ofFacts(facts []fact, held string) Clause {
	var bad, unseen []string
	for _, f := range facts {
		switch {
		case f.ok:
		case f.seen:
			bad = append(bad, f.say)
		default:
			unseen = append(unseen, f.say)
		}
	}
	c := settle(bad, unseen, "1 target", "", "")
	if c.State == Held {
		c.Reason = held
	}
	return c
}

// target compares two lives of a target, fact by fact.
func (o *order) target(p *PlannedTarget, a, b *TargetObservation) {
	if !o.shape(a != nil, b != nil) {
		return
	}
	for _, of := range []func(*TargetObservation) []fact{p.madeFacts, p.challengeFacts, p.productionFacts} {
		before, after := of(a), of(b)
		for i := range before {
			o.best(before[i].ok, after[i].ok)
		}
	}
}

func (c *planCheck) target(p *PlannedTarget) {
	if p == nil {
		return
	}
	c.id("target", p.ID)
	if p.Name == "" || len(p.Up) == 0 || len(p.Check)+len(p.Tasks) == 0 {
		c.say("target %q has no name, or nothing that puts it up or checks it", p.ID)
	}
	c.targetTasks(p)
}
