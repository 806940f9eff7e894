package report

import (
	"fmt"

	"github.com/vallane/lane/assurance"
)

// deploy prints what an API server said of each object, refusals first.
func (p *page) deploy(v assurance.Verdict) {
	d := v.Deploy
	if d == nil {
		return
	}
	p.head("rehearsal of the deployment")
	if d.Unasked != "" {
		p.prose(2, "", d.Unasked)
		return
	}
	kind := "a shared"
	if d.Disposable {
		kind = "a disposable"
	}
	count := map[string]int{}
	for _, o := range d.Objects {
		count[o.Answer]++
	}
	p.prose(2, "", fmt.Sprintf("%s API server %s: %d accepted, %d refused, %d without an answer", kind, d.Server,
		count[assurance.AnswerAccepted], count[assurance.AnswerRefused], count[assurance.AnswerUnanswered]))
	if d.Everything && !d.Disposable {
		p.prose(2, "", "the credential may do anything on that server: nothing but the dry run keeps it from writing")
	} else if len(d.CanWrite) > 0 {
		p.prose(2, "", "the credential may really write there: nothing but the dry run keeps it from it")
	}
	n := 0
	for _, s := range []string{assurance.AnswerRefused, assurance.AnswerUnanswered, assurance.AnswerAccepted} {
		for _, o := range d.Objects {
			if o.Answer != s {
				continue
			}
			if n++; n <= p.shown(len(d.Objects)) {
				p.object(o)
			}
		}
	}
	p.rest(len(d.Objects))
	for _, g := range d.Gone[:p.shown(len(d.Gone))] {
		p.line(2, yellow, "gone since base  "+g)
	}
	p.rest(len(d.Gone))
}

func (p *page) object(o assurance.ObjectResult) {
	s := green
	switch o.Answer {
	case assurance.AnswerRefused:
		s = red
	case assurance.AnswerUnanswered:
		s = yellow
	}
	name := o.Source
	if o.Kind != "" {
		name = o.Kind + " " + o.Name
		if o.Namespace != "" {
			name += " in " + o.Namespace
		}
		name += "  " + o.Source
	}
	p.line(2, s, pad(o.Answer, 10)+"  "+name)
	if o.Reason != "" {
		note := o.Reason
		if o.BaseRefused {
			note += " (base's is refused too)"
		}
		p.prose(4, "", note)
	}
}
