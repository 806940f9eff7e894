package assurance

import "strings"

// part is what one kind of counterpart came to.
type part struct {
	planned         bool
	answer, control Clause
}

// counterparts are the kinds of counterpart that a spec can name. Each that it does has to answer, and to refuse what is broken.
func (v *view) counterparts() []part {
	return []part{
		{v.plan.Deploy != nil, v.rehearsed(), v.brokenRefused()},
		{len(v.plan.Downstream) > 0, v.usersPass(), v.usersRefuse()},
		{len(v.plan.Services) > 0, v.served(), v.missed()},
	}
}

func (v *view) counterpart() Clause     { return v.ofParts(func(p part) Clause { return p.answer }) }
func (v *view) negativeControl() Clause { return v.ofParts(func(p part) Clause { return p.control }) }

// ofParts joins one clause of every planned kind. Two kinds that hold do not make up for a third that was never asked.
func (v *view) ofParts(of func(part) Clause) Clause {
	var all []Clause
	for _, p := range v.counterparts() {
		if p.planned {
			all = append(all, of(p))
		}
	}
	return worst(all)
}

// worst joins clauses: the worst state counts, and the reasons of that state are told.
func worst(all []Clause) Clause {
	var same []Clause
	for _, c := range all {
		switch {
		case len(same) == 0 || badness(c.State) > badness(same[0].State):
			same = []Clause{c}
		case c.State == same[0].State:
			same = append(same, c)
		}
	}
	if len(same) == 0 {
		return Clause{State: NotRun, Reason: "not asked for by this spec"}
	}
	out := same[0]
	reasons := []string{out.Reason}
	for _, c := range same[1:] {
		if out.Code == "" {
			out.Code = c.Code
		}
		reasons, out.Facts = append(reasons, c.Reason), append(out.Facts, c.Facts...)
	}
	out.Reason, out.Facts = strings.Join(reasons, "; "), bound(out.Facts)
	return out
}

func badness(s State) int {
	switch s {
	case Held, Waived:
		return 0
	case NotRun:
		return 1
	}
	return 2
}
