package assurance

import (
	"fmt"
	"strings"
)

// PlannedDeploy is what a spec wants rehearsed against a real API server.
type PlannedDeploy struct {
	// Unasked says in a sentence why no server is asked; empty where one is.
	Unasked string `json:"unasked,omitempty"`
	// Server is the id under which the server is observed. Disposable says that it is there for this rehearsal alone, by the word of the
	// caller or because Lane started it.
	Server     string           `json:"server,omitempty"`
	Disposable bool             `json:"disposable,omitempty"`
	Objects    []PlannedObject  `json:"objects,omitempty"`
	Controls   []PlannedControl `json:"controls,omitempty"`
	Gone       []string         `json:"gone,omitempty"` // objects of base that head no longer has, for people
	Skipped    []string         `json:"skipped,omitempty"`
}

// PlannedObject is one object of head's manifests, or a manifest that holds none.
type PlannedObject struct {
	ID string `json:"id"`
	// Source is the manifest, or the command that wrote it; Number counts its objects from 1.
	Source     string `json:"source"`
	Number     int    `json:"number,omitempty"`
	APIVersion string `json:"api_version,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
	// Digest is "sha256:" and hex over the object as JSON with sorted keys; empty where it cannot be read.
	Digest string `json:"digest,omitempty"`
	// BaseRefused says that base has this object, and that the same server refused it too.
	BaseRefused bool `json:"base_refused,omitempty"`
}

// PlannedControl is a copy of an object with a field in it that no API has. The server has to refuse it, by that name.
type PlannedControl struct {
	ID         string `json:"id"`
	APIVersion string `json:"api_version"`
	Kind       string `json:"kind"`
	// Field is the name, which nobody could know before.
	Field string `json:"field"`
}

// ServerObservation is what an API server says of itself and of the credential.
type ServerObservation struct {
	Version string `json:"version"` // as in "v1.37.2"
	// Cluster is the uid of its namespace kube-system, where that can be read.
	Cluster string `json:"cluster,omitempty"`
	// CanWrite lists what the credential may really change there: "patch deployments.apps in shop", bounded. A dry run needs that right.
	CanWrite []string `json:"can_write,omitempty"`
	// Everything says that the credential may do anything at all.
	Everything bool `json:"everything,omitempty"`
}

// Answers of a server to one object.
const (
	AnswerAccepted   = "accepted"
	AnswerRefused    = "refused"
	AnswerUnanswered = "unanswered" // it was not asked, or said nothing about the object: no right to ask, no such API there
)

// ObjectObservation is what the server said of one object.
type ObjectObservation struct {
	// Answer is one of the Answer constants. Digest is that of the object that was sent.
	Answer string `json:"answer"`
	Digest string `json:"digest,omitempty"`
	Reason string `json:"reason,omitempty"` // of an answer that is not accepted, bounded
	// Apply and Create are the replies to the server-side apply and to the strict create, both dry runs.
	Apply  *Reply `json:"apply,omitempty"`
	Create *Reply `json:"create,omitempty"`
	// Made says that it was then really applied, to a disposable server: others need it.
	Made bool `json:"made,omitempty"`
}

// Reply is one reply of an API server.
type Reply struct {
	Code    int      `json:"code"` // HTTP status; 0 where there was none
	Reason  string   `json:"reason,omitempty"`
	Message string   `json:"message,omitempty"` // bounded
	Causes  []string `json:"causes,omitempty"`  // field and message, bounded
}

// ControlObservation is what the server said of a broken copy.
type ControlObservation struct {
	// Refused says that both requests were refused, and that both refusals name the field.
	Refused bool   `json:"refused"`
	Apply   *Reply `json:"apply,omitempty"`
	Create  *Reply `json:"create,omitempty"`
}

// title names an object for people.
func (o *PlannedObject) title() string {
	if o.Kind == "" {
		return o.Source
	}
	s := o.Kind + " " + o.Name
	if o.Namespace != "" {
		s += " in " + o.Namespace
	}
	return fmt.Sprintf("%s (%s)", s, o.Source)
}

// object returns what was seen of an object. What was said of other bytes was said of another object.
func (v *view) object(p *PlannedObject) *ObjectObservation {
	o, ok := v.observed(p.ID)
	if !ok || o.Object == nil {
		return nil
	}
	return o.Object
}

// answer is that of an object, "" where nothing was observed.
func (p *PlannedObject) answer(o *ObjectObservation) string {
	switch {
	case o == nil:
		return ""
	case o.Answer == AnswerRefused:
		return AnswerRefused
	case o.Answer == AnswerAccepted && p.Digest != "" && o.Digest == p.Digest && p.taken(o):
		return AnswerAccepted
	}
	return AnswerUnanswered
}

// taken reports whether the replies are those of a server that takes the object. A create of what is there already is refused; only a name that the
// server makes up has nothing else to go by.
func (p *PlannedObject) taken(o *ObjectObservation) bool {
	if p.Name == "" {
		return o.Apply == nil && o.Create.fine()
	}
	return o.Apply.fine() && o.Create != nil && o.Create.Code > 0
}

func (r *Reply) fine() bool    { return r != nil && r.Code >= 200 && r.Code < 300 }
func (r *Reply) refuses() bool { return r != nil && r.Code >= 400 }

// refused reports whether a broken copy was refused. One whose name the server makes up cannot be applied.
func (o *ControlObservation) refused() bool {
	return o.Refused && o.Create.refuses() && (o.Apply == nil || o.Apply.refuses())
}

// createRefused says why a create of an accepted object is refused, "" where it is not, or only because the object is there already.
func (o *ObjectObservation) createRefused() string {
	if !o.Create.refuses() || o.Create.Code == 409 && o.Create.Reason == "AlreadyExists" {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", o.Create.Code, o.Create.Reason, strings.Join(strings.Fields(o.Create.Message), " ")))
}

// findObjects returns what the server's answers say against the outcome passed.
func (v *view) findObjects() []finding {
	d := v.plan.Deploy
	if d == nil {
		return nil
	}
	var out []finding
	for i := range d.Objects {
		p := &d.Objects[i]
		o := v.object(p)
		switch p.answer(o) {
		case "":
			f := LaneFault
			if v.ev.Stop.Deadline {
				f = BudgetExpired
			}
			out = append(out, finding{f, fmt.Sprintf("%s was planned and nothing was observed of it", p.title()), true})
		case AnswerRefused:
			if !p.BaseRefused {
				out = append(out, finding{outcome: TestsFailed, reason: sentence(fmt.Sprintf("%s is refused by the API server", p.title()), o.Reason)})
			}
		}
	}
	return out
}

// server is what was seen of the API server, nil where nothing was.
func (v *view) server() *ServerObservation {
	o, ok := v.observed(v.plan.Deploy.Server)
	if !ok || o.Server == nil || o.Server.Version == "" {
		return nil
	}
	return o.Server
}

// unasked is the clause where nobody was asked; ok where somebody was.
func (v *view) unasked() (c Clause, ok bool) {
	d := v.plan.Deploy
	switch {
	case d == nil:
		return Clause{State: NotRun, Reason: "not asked for by this spec"}, false
	case d.Unasked != "":
		return Clause{State: NotRun, Reason: d.Unasked}, false
	case len(d.Objects) == 0:
		return Clause{State: Failed, Code: CodeInconclusive, Reason: "the manifests hold no object, so there was nothing to ask"}, false
	case v.server() == nil:
		return Clause{State: NotRun, Reason: "the API server did not say who it is"}, false
	}
	return Clause{}, true
}

// rehearsed is held where a real API server accepted every object.
func (v *view) rehearsed() Clause {
	if c, ok := v.unasked(); !ok {
		return c
	}
	d := v.plan.Deploy
	var refused, open, merged []string
	for i := range d.Objects {
		p := &d.Objects[i]
		o := v.object(p)
		switch p.answer(o) {
		case AnswerAccepted:
			if why := o.createRefused(); why != "" {
				merged = append(merged, sentence(p.title()+" is accepted as a change of what is there, and its create is refused", why))
			}
		case AnswerRefused:
			s := sentence(p.title(), o.Reason)
			if p.BaseRefused {
				s += " (base's is refused too)"
			}
			refused = append(refused, s)
		case "":
			open = append(open, p.title()+": not observed")
		default:
			open = append(open, sentence(p.title(), o.Reason))
		}
	}
	n := len(d.Objects)
	switch {
	case len(refused) > 0:
		return Clause{State: Failed, Reason: fmt.Sprintf("the API server refuses %d of %s", len(refused), number(n, "object", "objects")), Facts: bound(append(refused, open...))}
	case len(open) > 0:
		return Clause{State: NotRun, Reason: fmt.Sprintf("the API server gave no answer to %d of %s", len(open), number(n, "object", "objects")), Facts: bound(open)}
	}
	s := v.server()
	c := Clause{State: Held, Reason: fmt.Sprintf("an API server %s accepts %s by server-side apply, and finds no unknown field in a strict create, both as dry runs", s.Version, number(n, "object", "objects"))}
	c.Facts = append(c.Facts, merged...)
	for _, g := range d.Gone {
		c.Facts = append(c.Facts, "base has "+g+", and head no longer")
	}
	if !d.Disposable && s.Everything {
		c.Facts = append(c.Facts, "the credential may do anything on that server, which is not disposable")
	}
	for _, w := range s.CanWrite {
		c.Facts = append(c.Facts, "the credential may really "+w)
	}
	c.Facts = bound(c.Facts)
	return c
}

// brokenRefused is held where the same server refused a broken copy of every kind of object that it was asked about.
func (v *view) brokenRefused() Clause {
	if c, ok := v.unasked(); !ok {
		return c
	}
	d := v.plan.Deploy
	type kind struct{ version, kind string }
	seen := map[kind]bool{}
	var bad, open []string
	for i := range d.Controls {
		p := &d.Controls[i]
		name := p.Kind + " of " + p.APIVersion
		switch o, ok := v.observed(p.ID); {
		case !ok || o.Control == nil || p.Field == "":
			open = append(open, name+": no broken copy was sent")
		case !o.Control.refused():
			bad = append(bad, name+": the server does not refuse a copy with the unknown field "+p.Field)
		}
		seen[kind{p.APIVersion, p.Kind}] = true
	}
	for i := range d.Objects {
		if k := (kind{d.Objects[i].APIVersion, d.Objects[i].Kind}); k.kind != "" && !seen[k] {
			seen[k] = true
			open = append(open, k.kind+" of "+k.version+": no broken copy was sent")
		}
	}
	switch {
	case len(bad) > 0:
		return Clause{State: Failed, Reason: "the API server does not refuse what is broken", Facts: bound(append(bad, open...))}
	case len(open) > 0 || len(d.Controls) == 0:
		return Clause{State: NotRun, Reason: "not every kind of object has a broken copy that the server was asked about", Facts: bound(open)}
	}
	return Clause{State: Held, Reason: fmt.Sprintf("the same server refused a broken copy of each of %s, and named the fault", number(len(d.Controls), "kind", "kinds"))}
}

// deployCriterion says what became of a criterion that a deployment meets.
func (v *view) deployCriterion(r CriterionResult) CriterionResult {
	if d := v.plan.Deploy; d == nil || d.Unasked != "" {
		r.State, r.Reason = CriterionUnverifiable, "nothing in this run can see it"
		if d != nil {
			r.Reason = d.Unasked
		}
		return r
	}
	c, n := v.rehearsed(), v.brokenRefused()
	switch {
	case c.State == Failed:
		r.State, r.Reason = CriterionNotMet, c.Reason
	case c.State != Held:
		r.State, r.Reason = CriterionUnproven, c.Reason
	case n.State != Held:
		r.State, r.Reason = CriterionUnproven, n.Reason
	default:
		r.State, r.Reason = CriterionMet, c.Reason
	}
	return r
}

// DeployResult is what the rehearsal of a deployment came to.
type DeployResult struct {
	Unasked    string         `json:"unasked,omitempty"`
	Disposable bool           `json:"disposable,omitempty"`
	Server     string         `json:"server_version,omitempty"`
	Cluster    string         `json:"cluster,omitempty"`
	Everything bool           `json:"everything,omitempty"`
	CanWrite   []string       `json:"can_write,omitempty"`
	Objects    []ObjectResult `json:"objects"`
	Gone       []string       `json:"gone,omitempty"`
	Skipped    []string       `json:"skipped,omitempty"`
}

// ObjectResult is one object and the server's answer.
type ObjectResult struct {
	Source     string `json:"source"`
	Number     int    `json:"number,omitempty"`
	APIVersion string `json:"api_version,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
	Digest     string `json:"digest,omitempty"`
	// Answer is accepted, refused or unanswered.
	Answer      string `json:"answer"`
	Reason      string `json:"reason,omitempty"`
	BaseRefused bool   `json:"base_refused,omitempty"`
}

func (v *view) deploy() *DeployResult {
	d := v.plan.Deploy
	if d == nil {
		return nil
	}
	out := &DeployResult{Unasked: d.Unasked, Disposable: d.Disposable, Gone: d.Gone, Skipped: d.Skipped, Objects: []ObjectResult{}}
	if s := v.server(); s != nil {
		out.Server, out.Cluster, out.CanWrite, out.Everything = s.Version, s.Cluster, s.CanWrite, s.Everything
	}
	for i := range d.Objects {
		p := &d.Objects[i]
		r := ObjectResult{Source: p.Source, Number: p.Number, APIVersion: p.APIVersion, Kind: p.Kind, Namespace: p.Namespace, Name: p.Name,
			Digest: p.Digest, Answer: AnswerUnanswered, BaseRefused: p.BaseRefused}
		if o := v.object(p); o != nil {
			r.Answer, r.Reason = p.answer(o), o.Reason
		}
		out.Objects = append(out.Objects, r)
	}
	return out
}

// deploy notes the ids of a planned deployment.
func (c *planCheck) deploy(d *PlannedDeploy) {
	if d == nil {
		return
	}
	if d.Unasked != "" && (d.Server != "" || len(d.Objects)+len(d.Controls) > 0) {
		c.say("a deployment of which nobody is asked names a server or objects")
	}
	if d.Unasked == "" {
		c.id("server", d.Server)
	}
	for _, x := range d.Objects {
		c.id("object", x.ID)
	}
	for _, x := range d.Controls {
		c.id("broken copy", x.ID)
	}
}

// deploy compares what a server said: accepted is better than no answer, and that is better than a refusal.
func (o *order) deploy(d *PlannedDeploy, id string, a, b Observation) {
	if d == nil {
		return
	}
	if d.Server == id && o.shape(a.Server != nil, b.Server != nil) {
		o.best(a.Server.Version != "", b.Server.Version != "")
	}
	for i := range d.Objects {
		if p := &d.Objects[i]; p.ID == id && o.shape(a.Object != nil, b.Object != nil) {
			x, y := p.answer(a.Object), p.answer(b.Object)
			o.best(x == AnswerAccepted, y == AnswerAccepted)
			o.best(x != AnswerRefused, y != AnswerRefused)
		}
	}
	for _, x := range d.Controls {
		if x.ID == id && o.shape(a.Control != nil, b.Control != nil) {
			o.best(a.Control.refused(), b.Control.refused())
		}
	}
}
