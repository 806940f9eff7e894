package report

import (
	"fmt"
	"strings"

	"github.com/vallane/lane/assurance"
)

// services prints what the services of the tests came to.
func (p *page) services(v assurance.Verdict) {
	if len(v.Services) == 0 {
		return
	}
	p.head("services of the tests")
	for _, x := range v.Services {
		s, who := green, x.Program
		switch {
		case x.Foreign != "":
			s, who = red, "it"
		case x.Served < x.Runs || len(x.Missed) == 0:
			s = yellow
		}
		p.line(2, s, x.Name+"  of task "+x.Task)
		if x.Foreign != "" {
			p.prose(4, "", "no counterpart: "+x.Foreign)
		}
		needs := "no test needs its answers"
		if len(x.Missed) > 0 {
			needs = "without its answers fail: " + strings.Join(x.Missed, ", ")
		}
		p.prose(4, "", fmt.Sprintf("%s answered the tests in %d of %d runs; %s", who, x.Served, x.Runs, needs))
	}
}
