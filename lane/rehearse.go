package lane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/deploy"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/mutate"
)

// Cluster is the API server that manifests are rehearsed against, by the caller's word and never the change's. The zero value is none.
type Cluster struct {
	// Kubeconfig is the file that says how to speak with it.
	Kubeconfig string
	// Disposable says that it is there for this alone. Without a Kubeconfig, Lane starts one of Programs and ends it.
	Disposable bool
	Programs   deploy.Programs
}

// Given reports whether there is a server to ask.
func (c Cluster) Given() bool { return c.Kubeconfig != "" || c.Disposable }

// check finds a mistake of the caller's before anything runs.
func (c Cluster) check() error {
	if c.Kubeconfig != "" {
		info, err := os.Stat(c.Kubeconfig)
		if err == nil && !info.Mode().IsRegular() {
			err = errors.New("it is no regular file")
		}
		if err != nil {
			return &coded{fmt.Errorf("read the kubeconfig of --cluster: %w", err), assurance.ExitUsage}
		}
		return nil
	}
	if c.Disposable {
		if _, err := c.Programs.Find(); err != nil {
			return &coded{err, assurance.ExitUsage}
		}
	}
	return nil
}

// declareDeploy notes in the plan that there are manifests to rehearse, of which nobody was asked yet.
func (j *job) declareDeploy() {
	if !j.spec.Deploy.Declared() {
		return
	}
	why := "Lane stopped before it asked an API server about the manifests"
	if !j.o.Cluster.Given() {
		why = "no API server was given to ask about the manifests: lane check --cluster KUBECONFIG, or --disposable"
	}
	j.evidence.Plan.Deploy = &assurance.PlannedDeploy{Unasked: why}
}

// setManifestsApart marks what is put into manifests that an API server accepted: it judges them, and no test reads them. Where it did not, or the change itself
// says what its manifests are, the tests have to notice it like all other configuration.
func (j *job) setManifestsApart(candidates []mutate.Mutant) {
	d := j.evidence.Plan.Deploy
	if d == nil || d.Unasked != "" || !j.evidence.Plan.Spec.Authority.Outside() {
		return
	}
	accepted := j.acceptedSources(d)
	rendered := len(j.spec.Deploy.Render) > 0
	for _, argv := range j.spec.Deploy.Render {
		rendered = rendered && accepted[rendering(argv)]
	}
	for i := range candidates {
		m := &candidates[i]
		judged := accepted[m.File]
		if !j.spec.Deploy.Covers(m.File) {
			judged = rendered && j.spec.Deploy.Judges(m.File)
		}
		if m.Arid == "" && kindOf(m.File) == assurance.FileConfig && judged {
			m.Arid = "manifest, which an API server judges"
		}
	}
}

// acceptedSources are the manifests that hold objects alone, all of them accepted by a server that refuses broken ones of their kinds.
func (j *job) acceptedSources(d *assurance.PlannedDeploy) map[string]bool {
	type kind struct{ version, kind string }
	judges, out := map[kind]bool{}, map[string]bool{}
	for _, c := range d.Controls {
		if o := j.evidence.Observations[c.ID].Control; o != nil && o.Refused {
			judges[kind{c.APIVersion, c.Kind}] = true
		}
	}
	for _, p := range d.Objects {
		o := j.evidence.Observations[p.ID].Object
		good := o != nil && o.Answer == assurance.AnswerAccepted && judges[kind{p.APIVersion, p.Kind}]
		if before, seen := out[p.Source]; seen {
			good = good && before
		}
		out[p.Source] = good
	}
	for _, name := range d.Skipped {
		out[name] = false
	}
	return out
}

// rehearse asks an API server about every object of head's manifests. What it refuses is asked about again as base has it. The plan gets all of it
// at once, when everything was asked.
func (j *job) rehearse(ctx context.Context) error {
	if !j.spec.Deploy.Declared() || !j.o.Cluster.Given() {
		return nil
	}
	j.say("deploy", "speak with the API server")
	s, end, err := j.server(ctx)
	if err != nil {
		return j.unasked(ctx, err)
	}
	defer end()
	r := &rehearsal{job: j, server: s, plan: &assurance.PlannedDeploy{Server: "server", Disposable: s.Disposable}, seen: map[string]assurance.Observation{}}
	if j.o.Cluster.Kubeconfig != "" { // one of Lane's own ends with all that is in it
		defer r.takeBack(ctx)
	}
	switch err := r.run(ctx); {
	case err != nil && (ctx.Err() != nil || !r.asking):
		return err
	case err != nil:
		return j.unasked(ctx, err)
	}
	j.evidence.Plan.Deploy = r.plan
	for id, o := range r.seen {
		j.observe(id, o)
	}
	return nil
}

// unasked says why the server could not be asked: nothing about the change, so that the clauses are not run.
func (j *job) unasked(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	j.evidence.Plan.Deploy.Unasked = "no API server could be asked about the manifests: " + err.Error()
	j.journal.Event("deploy", map[string]any{"error": err.Error()})
	return nil
}

// server connects with the caller's server, or starts one.
func (j *job) server(ctx context.Context) (*deploy.Server, func(), error) {
	c := j.o.Cluster
	if c.Kubeconfig != "" {
		if err := j.outside(c.Kubeconfig); err != nil {
			return nil, nil, err
		}
		s, err := deploy.Connect(c.Kubeconfig, c.Disposable)
		return s, func() {}, err
	}
	programs, err := c.Programs.Find()
	if err != nil {
		return nil, nil, err
	}
	j.say("deploy", "start a disposable API server")
	l, err := deploy.Start(ctx, programs, j.o.Cache)
	if err != nil {
		return nil, nil, err
	}
	return l.Server, func() { l.Close() }, nil
}

// outside refuses a kubeconfig in the working tree under check, by its own name or by where it leads: it can name a program that this machine then runs, and
// what a change brings runs in boxes alone.
func (j *job) outside(kubeconfig string) error {
	names := []string{kubeconfig}
	if real, err := filepath.EvalSymlinks(kubeconfig); err == nil {
		names = append(names, real)
	}
	for _, name := range names {
		if _, inside := j.repo.Rel(name); inside {
			return fmt.Errorf("the kubeconfig %s lies in the working tree under check, whose change could have written it: move it elsewhere", kubeconfig)
		}
	}
	return nil
}

// rehearsal is one rehearsal under way.
type rehearsal struct {
	*job
	server *deploy.Server
	plan   *assurance.PlannedDeploy
	seen   map[string]assurance.Observation
	asking bool // what goes wrong is between Lane and the server
}

func (r *rehearsal) run(ctx context.Context) error {
	head, err := r.set(ctx, r.change.HeadTree, assurance.Head)
	if err != nil {
		return err
	}
	r.asking = true
	about, err := r.server.Look(ctx)
	if err != nil {
		return err
	}
	answers, err := r.server.Rehearse(ctx, head, func(n int) {
		r.o.emit(Event{Spec: r.spec.ID, Phase: "deploy", Text: "ask about objects", Done: n, Total: len(head.Objects)})
	})
	if err != nil {
		return err
	}
	r.controls(ctx, head, answers)
	onBase, err := r.base(ctx, head, answers)
	if err != nil {
		return err
	}
	if !r.server.Disposable {
		about.CanWrite = r.server.CanWrite()
	}
	r.seen[r.plan.Server] = assurance.Observation{Server: &about}
	for i, o := range head.Objects {
		id := "object/" + itoa(i+1)
		r.plan.Objects = append(r.plan.Objects, assurance.PlannedObject{ID: id, Source: o.Source, Number: o.Number, APIVersion: o.APIVersion, Kind: o.Kind,
			Namespace: o.Namespace, Name: o.Name, Digest: o.Digest, BaseRefused: onBase[o.Key()]})
		r.seen[id] = assurance.Observation{Object: &answers[i]}
		r.journal.Event("object", map[string]any{"id": id, "source": o.Source, "object": o.Title(), "answer": answers[i].Answer, "reason": answers[i].Reason})
	}
	return nil
}

// controls sends a broken copy of one object of each kind.
func (r *rehearsal) controls(ctx context.Context, head deploy.Set, answers []assurance.ObjectObservation) {
	for i, o := range deploy.OneOfEach(head.Objects, answers) {
		p := assurance.PlannedControl{ID: "broken-object/" + itoa(i+1), APIVersion: o.APIVersion, Kind: o.Kind, Field: deploy.UnknownField()}
		r.plan.Controls = append(r.plan.Controls, p)
		c := r.server.Control(ctx, head, o, p.Field)
		r.seen[p.ID] = assurance.Observation{Control: &c}
	}
}

// base says which objects that head has refused are refused as base has them, too, and notes which of base's are gone.
func (r *rehearsal) base(ctx context.Context, head deploy.Set, answers []assurance.ObjectObservation) (map[string]bool, error) {
	refused, has := map[string]bool{}, map[string]bool{}
	for i, o := range head.Objects {
		has[o.Key()] = true
		if answers[i].Answer == assurance.AnswerRefused {
			refused[o.Key()] = true
		}
	}
	if r.change.BaseTree == "" || r.whole() {
		return nil, nil
	}
	r.asking = false
	was, err := r.set(ctx, r.change.BaseTree, assurance.Base)
	if err != nil {
		return nil, err
	}
	r.asking = true
	for _, o := range was.Objects {
		if !has[o.Key()] && o.Kind != "" {
			r.plan.Gone = append(r.plan.Gone, o.Title()+" ("+o.Source+")")
		}
	}
	if len(refused) == 0 {
		return nil, nil
	}
	was.Objects = slices.DeleteFunc(was.Objects, func(o deploy.Object) bool { return !refused[o.Key()] && !o.Needed() })
	r.takeBack(ctx)
	said, err := r.server.Rehearse(ctx, was, nil)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for i, o := range was.Objects {
		if refused[o.Key()] && said[i].Answer == assurance.AnswerRefused {
			out[o.Key()] = true
		}
	}
	return out, nil
}

// takeBack removes what was really made in a disposable server, also where the check was stopped.
func (r *rehearsal) takeBack(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if err := r.server.Undo(ctx); err != nil {
		r.note("the disposable API server kept what was made in it: " + err.Error())
	}
}

// set reads the manifests of a tree, and has them rendered where that is asked.
func (r *rehearsal) set(ctx context.Context, tree string, role assurance.TreeRole) (deploy.Set, error) {
	d := r.spec.Deploy
	set := deploy.Set{Namespace: d.Namespace, Namespaces: d.Namespaces}
	files, err := r.manifests(ctx, tree)
	if err != nil {
		return set, err
	}
	for i := range d.Render {
		f, err := r.render(ctx, i, role)
		if err != nil {
			return set, err
		}
		files = append(files, f)
	}
	var skipped []string
	set.Objects, skipped = deploy.Read(ctx, files)
	if err := ctx.Err(); err != nil {
		return set, err
	}
	if role == assurance.Head {
		r.plan.Skipped = skipped
	}
	return set, nil
}

// maxManifests bounds the bytes of all manifests together.
const maxManifests = 64 << 20

// manifests reads the files of a tree that the patterns cover, as git has them.
func (r *rehearsal) manifests(ctx context.Context, tree string) ([]deploy.File, error) {
	all, err := r.repo.List(tree)
	if err != nil {
		return nil, err
	}
	var out []deploy.File
	left := maxManifests
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !r.spec.Deploy.Covers(name) {
			continue
		}
		if len(out) == deploy.MaxObjects { // never without a word: these may all hold no object
			out = append(out, deploy.File{Name: name, Unasked: fmt.Sprintf("there are more than %d manifests, and Lane reads no more", deploy.MaxObjects)})
			break
		}
		f, blob := deploy.File{Name: name}, all[name]
		switch {
		case !blob.Mode.IsRegular() && blob.Mode&fs.ModeType != 0:
			f.Unasked = "it is no regular file: name the file that it leads to"
		case left <= 0:
			f.Unasked = fmt.Sprintf("the manifests are larger than %d bytes together, and Lane reads no more", maxManifests)
		default:
			b := &bounded{most: deploy.MaxFile + 1}
			if err := r.repo.CopyBlob(ctx, b, blob.Hash); err != nil {
				return nil, fmt.Errorf("read %s: %w", name, err)
			}
			f.Data = b.Bytes()
			left -= len(f.Data)
		}
		out = append(out, f)
	}
	return out, nil
}

// rendering names what a command of render prints.
func rendering(argv []string) string { return "render: " + strings.Join(argv, " ") }

// render runs a command in a box of the task, and takes what it prints for a manifest.
func (r *rehearsal) render(ctx context.Context, i int, role assurance.TreeRole) (deploy.File, error) {
	argv := r.spec.Deploy.Render[i]
	f := deploy.File{Name: rendering(argv)}
	at := slices.IndexFunc(r.tasks, func(t *task) bool { return t.spec.Name == r.spec.Deploy.Box })
	if at < 0 {
		f.Unasked = "there is no task " + r.spec.Deploy.Box + " to run it in"
		return f, nil
	}
	stage := r.tasks[at].head
	if role == assurance.Base {
		stage = r.tasks[at].base
	}
	if stage == nil {
		f.Unasked = "there is no box of " + string(role) + " to run it in"
		return f, nil
	}
	r.say("deploy", f.Name)
	printed, said := &bounded{most: deploy.MaxFile + 1}, &bounded{most: 4 << 10}
	res, err := stage.ByHand(ctx, runner.Hand{Argv: argv, Stdout: printed, Stderr: said})
	if err != nil {
		return f, err
	}
	switch {
	case res.End == fence.Exited && res.Exit == 0:
		f.Data = printed.Bytes()
	case res.End == fence.Exited:
		f.Fault = fmt.Sprintf("the command ends with exit status %d: %s", res.Exit, strings.TrimSpace(said.String()))
	case res.End == fence.NotFound:
		f.Unasked = "the closure has no command " + argv[0]
	default:
		f.Unasked = fmt.Sprintf("the command ended as %q %s", res.End, res.Note)
	}
	return f, nil
}

// bounded keeps the first bytes of what is written to it.
type bounded struct {
	bytes.Buffer
	most int
}

var _ io.Writer = (*bounded)(nil)

func (b *bounded) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), max(b.most-b.Len(), 0))])
	return len(p), nil
}
