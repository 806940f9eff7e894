package report

import (
	"fmt"

	"github.com/vallane/lane/assurance"
)

// downstream prints what the suites of users came to, and the tests of theirs that broke.
func (p *page) downstream(v assurance.Verdict) {
	if len(v.Downstream) == 0 {
		return
	}
	p.head("suites of downstream users")
	for _, d := range v.Downstream {
		if d.Unasked != "" {
			p.prose(2, "", d.Unasked)
			continue
		}
		s, no := green, "says no"
		if !d.Refused {
			s, no = yellow, "passes"
		}
		if len(d.Failed) > 0 || d.Passed < d.Required || d.Required == 0 {
			s = red
		}
		p.line(2, s, fmt.Sprintf("%s  %d of %d passed on head in %d runs; %s without the code", pad(d.Name, 10), d.Passed, d.Required, d.Runs, no))
		p.line(4, dim, d.Source+" at "+d.Commit)
		for _, f := range d.Failed[:p.shown(len(d.Failed))] {
			p.line(4, red, pad(f.Status, 10)+"  "+f.ID)
			p.block(6, plain, f.Message)
		}
		p.rest(len(d.Failed))
	}
}
