package lane

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/internal/testcluster"
	"github.com/vallane/lane/lane/deploy"
	"github.com/vallane/lane/lane/journal"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/mutate"
)

const manifestSpec = `id = "deployed"
[source]
head = "change"
[[task]]
name = "unit"
run = ["go", "test", "./..."]
[deploy]
manifests = ["deploy/**"]
`

// planned is a check of a spec whose plan is made, and nothing else.
func planned(t *testing.T, dir string, c Cluster) *job {
	t.Helper()
	o := Options{State: t.TempDir(), Cache: t.TempDir(), Cluster: c}
	s, err := spec.Load(filepath.Join(dir, "lane.toml"))
	if err != nil {
		t.Fatal(err)
	}
	j, err := o.planOnly(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.close)
	if j.journal, err = journal.Begin(filepath.Join(o.State, "specs", s.ID), s.ID, s.Name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.journal.Finish(journal.Status{State: journal.Done}) })
	return j
}

// rehearsed carries out the step deploy of a spec alone, and returns what it left in the evidence.
func rehearsed(t *testing.T, dir string, c Cluster) *job {
	t.Helper()
	j := planned(t, dir, c)
	if err := j.rehearse(t.Context()); err != nil {
		t.Fatal(err)
	}
	return j
}

// answersOf lists what is planned and observed of each object.
func answersOf(j *job) (out []string) {
	for _, o := range j.evidence.Plan.Deploy.Objects {
		s := j.evidence.Observations[o.ID].Object.Answer + " " + o.Kind + " " + o.Name
		if o.Kind == "" {
			s += o.Source
		}
		if o.BaseRefused {
			s += ", as on base"
		}
		out = append(out, s)
	}
	return out
}

// Head's manifests are asked about as git has them; what is refused is asked about as base has it.
func TestRehearse(t *testing.T) {
	c := testcluster.Start(t)
	dir := t.TempDir()
	object := func(apiVersion, kind, name, rest string) string {
		return "apiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata: {name: " + name + "}\n" + rest
	}
	write(t, dir, "lane.toml", manifestSpec)
	if err := os.MkdirAll(filepath.Join(dir, "deploy", "more"), 0o755); err != nil {
		t.Fatal(err)
	}
	const typo = "dada: {a: b}\n"
	write(t, dir, "deploy/good.yaml", object("v1", "ConfigMap", "good", "data: {a: b}\n"))
	write(t, dir, "deploy/old.yaml", object("v1", "ConfigMap", "old", typo))
	write(t, dir, "deploy/broken.yaml", "a: [\n")
	write(t, dir, "deploy/gone.yaml", object("v1", "ConfigMap", "gone", ""))
	write(t, dir, "deploy/more/kustomization.yaml", object("kustomize.config.k8s.io/v1beta1", "Kustomization", "x", ""))
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "base")
	branch(t, dir, "change", func() {
		write(t, dir, "deploy/good.yaml", object("v1", "ConfigMap", "good", "data: {a: c}\n"+typo))
		write(t, dir, "deploy/new.yaml", object("v1", "ConfigMap", "new", "")+"---\n"+object("v1", "ConfigMap", "bad", typo)+"---\n"+object("v1", "Secret", "only", ""))
		git(t, dir, "rm", "-q", "deploy/gone.yaml")
		if err := os.Symlink("/etc/passwd", filepath.Join(dir, "deploy/link.yaml")); err != nil {
			t.Fatal(err)
		}
	})
	write(t, dir, "deploy/new.yaml", "what is not in the commit is not asked about")

	j := rehearsed(t, dir, Cluster{Kubeconfig: c.Kubeconfig})
	want := []string{
		"refused  deploy/broken.yaml, as on base", "refused ConfigMap good", "unanswered  deploy/link.yaml",
		"accepted ConfigMap new", "refused ConfigMap bad", "accepted Secret only", "refused ConfigMap old, as on base",
	}
	if d := cmp.Diff(want, answersOf(j)); d != "" {
		t.Error(d)
	}
	d := j.evidence.Plan.Deploy
	if len(d.Gone) != 1 || !strings.Contains(d.Gone[0], "ConfigMap gone") || len(d.Skipped) != 1 {
		t.Errorf("gone are %q, left out %q", d.Gone, d.Skipped)
	}
	if len(d.Controls) != 2 || !j.evidence.Observations[d.Controls[0].ID].Control.Refused {
		t.Errorf("the broken copies: %+v", d.Controls)
	}
	if o := j.evidence.Observations[d.Server].Server; o == nil || !o.Everything || !slices.Contains(o.CanWrite, "create secrets in default") { // base has none, and is asked last
		t.Errorf("the server and the credential: %+v", o)
	}

	nobody := filepath.Join(t.TempDir(), "kubeconfig")
	text, err := os.ReadFile(c.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(nobody, []byte(strings.Replace(string(text), "https://127.0.0.1:", "https://127.0.0.1:1", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	// The change's own kubeconfig, and a link to it and from it.
	write(t, dir, "kubeconfig", string(text))
	to, from := filepath.Join(t.TempDir(), "to"), filepath.Join(dir, "from")
	for link, name := range map[string]string{to: filepath.Join(dir, "kubeconfig"), from: c.Kubeconfig} {
		if err := os.Symlink(name, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		cluster Cluster
		says    string
	}{
		{Cluster{Kubeconfig: filepath.Join(dir, "kubeconfig")}, "lies in the working tree"},
		{Cluster{Kubeconfig: to}, "lies in the working tree"},
		{Cluster{Kubeconfig: from}, "lies in the working tree"},
		{Cluster{}, "no API server was given"},
		{Cluster{Kubeconfig: nobody}, "no API server could be asked"},
	} {
		if d := rehearsed(t, dir, c.cluster).evidence.Plan.Deploy; !strings.Contains(d.Unasked, c.says) || len(d.Objects) > 0 {
			t.Errorf("with %+v: %+v", c.cluster, d)
		}
	}
	if err := (Cluster{Kubeconfig: filepath.Join(dir, "nowhere")}).check(); err == nil {
		t.Error("a kubeconfig that is not there is taken")
	}
	if err := (Cluster{Disposable: true}).check(); err == nil {
		t.Error("a disposable server of no programs is taken")
	}
}

// More manifests than Lane reads are never left out without a word, whatever is in the first.
func TestRehearseTooManyManifests(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "lane.toml", manifestSpec)
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "base")
	branch(t, dir, "change", func() {
		if err := os.Mkdir(filepath.Join(dir, "deploy"), 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range deploy.MaxObjects + 1 {
			write(t, dir, fmt.Sprintf("deploy/a%04d.yaml", i), "# nothing\n")
		}
		write(t, dir, "deploy/z.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: z}\n")
	})
	j := planned(t, dir, Cluster{})
	r := &rehearsal{job: j, plan: &assurance.PlannedDeploy{}}
	set, err := r.set(t.Context(), j.change.HeadTree, assurance.Head)
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Objects) != 1 || !strings.Contains(set.Objects[0].Unasked, "more than 1000 manifests") {
		t.Errorf("of %d manifests there are the objects %+v", deploy.MaxObjects+2, set.Objects)
	}
}

// Faults in manifests are left to a server that accepted all of the file, by the word of somebody else than the change.
func TestManifestsApart(t *testing.T) {
	const sources = "render = [[\"more\"], [\"print\"]]\nsources = [\"charts/**\"]\n"
	const good, all = "deploy/a.yaml", "deploy/a.yaml charts/x.yaml"
	answer := func(source, answer string) func(*job) {
		return func(j *job) {
			id := "object/" + itoa(len(j.evidence.Plan.Deploy.Objects)+1)
			j.evidence.Plan.Deploy.Objects = append(j.evidence.Plan.Deploy.Objects, assurance.PlannedObject{ID: id, Source: source, APIVersion: "v1", Kind: "Secret"})
			j.observe(id, assurance.Observation{Object: &assurance.ObjectObservation{Answer: answer}})
		}
	}
	last := answer("render: print", assurance.AnswerAccepted)
	printed := func(j *job) { answer("render: more", assurance.AnswerAccepted)(j); last(j) }
	for name, c := range map[string]struct {
		by   assurance.Authority
		edit func(*job)
		want string
	}{
		"by base":                     {assurance.ByBase, printed, all},
		"by a contract":               {assurance.ByContract, printed, all},
		"by the change":               {assurance.ByChange, printed, ""},
		"nothing is asked":            {assurance.ByBase, func(j *job) { j.evidence.Plan.Deploy = &assurance.PlannedDeploy{Unasked: "no server"} }, ""},
		"nothing is planned":          {assurance.ByBase, func(j *job) { j.evidence.Plan.Deploy = nil }, ""},
		"nothing is printed":          {assurance.ByBase, func(*job) {}, good},
		"one of two prints":           {assurance.ByBase, last, good},
		"one has no answer":           {assurance.ByBase, func(j *job) { printed(j); answer(good, assurance.AnswerUnanswered)(j) }, "charts/x.yaml"},
		"one is refused":              {assurance.ByBase, func(j *job) { printed(j); answer(good, assurance.AnswerRefused)(j) }, "charts/x.yaml"},
		"what is printed is refused":  {assurance.ByBase, func(j *job) { printed(j); answer("render: print", assurance.AnswerRefused)(j) }, good},
		"it is left out":              {assurance.ByBase, func(j *job) { printed(j); j.evidence.Plan.Deploy.Skipped = []string{good} }, "charts/x.yaml"},
		"the server accepts anything": {assurance.ByBase, func(j *job) { printed(j); j.evidence.Observations["broken"].Control.Refused = false }, ""},
	} {
		s, err := spec.Parse("lane.toml", []byte(manifestSpec+sources))
		if err != nil {
			t.Fatal(err)
		}
		j := newJob(Options{Cluster: Cluster{Disposable: true}}, s, "lane.toml", nil)
		j.evidence.Plan.Spec.Authority = c.by
		j.evidence.Plan.Deploy = &assurance.PlannedDeploy{Controls: []assurance.PlannedControl{{ID: "broken", APIVersion: "v1", Kind: "Secret"}}}
		j.observe("broken", assurance.Observation{Control: &assurance.ControlObservation{Refused: true}})
		answer(good, assurance.AnswerAccepted)(j)
		c.edit(j)
		candidates := []mutate.Mutant{{File: good}, {File: "deploy/empty.yaml"}, {File: "deploy/a.go"}, {File: "charts/x.yaml"}, {File: "a.yaml"}}
		j.setManifestsApart(candidates)
		var apart []string
		for _, m := range candidates {
			if m.Arid != "" {
				apart = append(apart, m.File)
			}
		}
		if got := strings.Join(apart, " "); got != c.want {
			t.Errorf("%s: %q are left to the server, want %q", name, got, c.want)
		}
	}
}
