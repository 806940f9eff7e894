package deploy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/internal/testcluster"
	"github.com/vallane/lane/lane/deploy"
)

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
`

const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://192.0.2.1/convert"}}}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
`

const widget = "apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: NAME, namespace: shop}\nspec: {size: 3}\n"

// gadgets defines a kind of which everything is accepted.
const gadgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

const shop = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"

func called(text, name string) string { return strings.Replace(text, "NAME", name, 1) }

// TestAPIServer rehearses against one real API server; what each part leaves in it, the next would find.
func TestAPIServer(t *testing.T) {
	c := testcluster.Start(t)
	for _, part := range []struct {
		name string
		run  func(*testing.T, *testcluster.Cluster)
	}{
		{"shared", onShared}, {"disposable", onDisposable}, {"made", whatIsMade}, {"too many", tooManyMade}, {"answers", everyAnswer}, {"controls", controls}, {"credential", credential}, {"nothing is kept", nothingKept},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, c) })
	}
}

func connect(t *testing.T, kubeconfig string, disposable bool) *deploy.Server {
	t.Helper()
	s, err := deploy.Connect(kubeconfig, disposable)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func rehearse(t *testing.T, s *deploy.Server, texts ...string) ([]deploy.Object, []assurance.ObjectObservation) {
	t.Helper()
	all, _ := deploy.Read(t.Context(), []deploy.File{{Name: "a.yaml", Data: []byte(strings.Join(texts, "---\n"))}})
	said, err := s.Rehearse(t.Context(), deploy.Set{Objects: all, Namespaces: []string{"existing"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return all, said
}

func wantAnswers(t *testing.T, said []assurance.ObjectObservation, want ...string) {
	t.Helper()
	for i, o := range said {
		if i >= len(want) || o.Answer != want[i] {
			t.Errorf("object %d is %s: %s", i+1, o.Answer, o.Reason)
		}
	}
	if len(said) != len(want) {
		t.Errorf("%d answers, want %d", len(said), len(want))
	}
}

const accepted, refused, unanswered = assurance.AnswerAccepted, assurance.AnswerRefused, assurance.AnswerUnanswered

// A shared server takes nothing for real, so that what needs a namespace or definition of the same manifests has no answer.
func onShared(t *testing.T, c *testcluster.Cluster) {
	s := connect(t, c.Kubeconfig, false)
	about, err := s.Look(t.Context())
	if err != nil || !strings.HasPrefix(about.Version, "v1.37.") || about.Cluster == "" || !about.Everything {
		t.Errorf("the server says %+v, %v", about, err)
	}
	_, said := rehearse(t, s, shop, widgets, called(widget, "a"), called(deployment, "web"), strings.Replace(called(deployment, "web"), "shop", "default", 1))
	wantAnswers(t, said, accepted, accepted, unanswered, unanswered, accepted)
	if can := s.CanWrite(); !slices.Contains(can, "patch deployments.apps in default") {
		t.Errorf("the credential can write %q", can)
	}
	asked := c.Requests(t)
	if len(asked) == 0 {
		t.Error("the server's log has no request")
	}
	for _, r := range asked {
		if r.Resource != "selfsubjectaccessreviews" && !r.DryRun {
			t.Errorf("this was no dry run: %+v", r)
		}
	}
}

// In a disposable server namespaces and definitions are made, nothing else, and taken away again.
func onDisposable(t *testing.T, c *testcluster.Cluster) {
	before := len(c.Requests(t))
	s := connect(t, c.Kubeconfig, true)
	wrong := strings.Replace(called(widget, "wrong"), "size: 3", "size: large", 1)
	unknown := strings.Replace(called(widget, "unknown"), "size: 3", "sise: 3", 1)
	_, said := rehearse(t, s, called(widget, "a"), wrong, unknown, called(deployment, "web"), widgets, shop,
		"apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: existing}\nspec: {containers: [{name: a, image: a}]}\n")
	wantAnswers(t, said, accepted, refused, refused, accepted, accepted, accepted, accepted)
	if !strings.Contains(said[1].Reason, "size") || !strings.Contains(said[2].Reason, "sise") {
		t.Errorf("the refusals do not say why: %s; %s", said[1].Reason, said[2].Reason)
	}
	if err := s.Undo(t.Context()); err != nil {
		t.Error(err)
	}
	really := map[string]int{}
	for _, r := range c.Requests(t)[before:] {
		if !r.DryRun && r.Resource != "selfsubjectaccessreviews" {
			really[r.Verb+" "+r.Resource+" "+r.Name]++
		}
	}
	for _, want := range []string{"patch namespaces shop", "patch customresourcedefinitions widgets.example.org", "delete customresourcedefinitions widgets.example.org", "delete namespaces shop"} {
		if really[want] != 1 {
			t.Errorf("%s was really asked %d times", want, really[want])
		}
		delete(really, want)
	}
	for r := range really {
		if !strings.Contains(r, " namespaces ") {
			t.Errorf("this was really asked: %s", r)
		}
	}
}

// What is made can be taken away, whatever its manifest says; what was there before stays as it was, and a name of the server's making is not made.
func whatIsMade(t *testing.T, c *testcluster.Cluster) {
	s := connect(t, c.Kubeconfig, true)
	stuck := strings.Replace(gadgets, "metadata: {", "metadata: {finalizers: [example.org/never], ownerReferences: [{apiVersion: v1, kind: Node, name: node, uid: some}], ", 1)
	_, said := rehearse(t, s, stuck, "apiVersion: v1\nkind: Namespace\nmetadata: {generateName: some-}\n", "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n",
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: default, labels: {pod-security.kubernetes.io/enforce: restricted}}\n")
	wantAnswers(t, said, accepted, accepted, accepted, unanswered)
	if said[2].Made || !strings.Contains(said[3].Reason, "there already") {
		t.Errorf("of a namespace that is there it says %q", said[3].Reason)
	}

	// Another rehearsal meets what this one made, and neither changes it nor takes it away.
	other := connect(t, c.Kubeconfig, true)
	_, said = rehearse(t, other, strings.Replace(gadgets, "name: gadgets.example.org", "name: gadgets.example.org, labels: {a: b}", 1))
	wantAnswers(t, said, unanswered)
	if err := other.Undo(t.Context()); err != nil {
		t.Error(err)
	}
	definitions := client(t, c).Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	got, err := definitions.Get(t.Context(), "gadgets.example.org", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(got.GetFinalizers(), "example.org/never") || len(got.GetOwnerReferences()) > 0 || len(got.GetLabels()) > 0 {
		t.Errorf("what was made has %v, %v, %v", got.GetFinalizers(), got.GetOwnerReferences(), got.GetLabels())
	}
	if err := s.Undo(t.Context()); err != nil {
		t.Error(err)
	}
}

// A change cannot have a server filled without end.
func tooManyMade(t *testing.T, c *testcluster.Cluster) {
	s := connect(t, c.Kubeconfig, true)
	var texts []string
	for i := range 110 {
		texts = append(texts, fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: many-%d}\n", i))
	}
	_, said := rehearse(t, s, texts...)
	made := 0
	for _, o := range said {
		if o.Made {
			made++
		}
	}
	if last := said[len(said)-1]; made == 0 || made > 100 || last.Answer != unanswered || !strings.Contains(last.Reason, "no more than 100") {
		t.Errorf("%d namespaces were made, and the last is %s: %s", made, last.Answer, last.Reason)
	}
	if err := s.Undo(t.Context()); err != nil {
		t.Error(err)
	}
}

// client speaks with the server as nobody of Lane's.
func client(t *testing.T, c *testcluster.Cluster) dynamic.Interface {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Each kind of reply is told apart, and each question reaches the server as a dry run: both requests, with strict fields.
func everyAnswer(t *testing.T, c *testcluster.Cluster) {
	s := connect(t, c.Kubeconfig, false)
	in := func(text string) string { return strings.ReplaceAll(text, "shop", "default") }
	for i, part := range []struct{ name, text, answer, reason string }{
		{"good", in(deployment), accepted, ""},
		{"generated", "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: once-}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}\n", accepted, ""},
		{"selector", strings.Replace(in(deployment), "labels: {app: web}", "labels: {app: api}", 1), refused, "does not match template"},
		{"two unknown fields", strings.Replace(strings.Replace(in(deployment), "spec:\n", "spec:\n  replicsa: 2\n", 1), "image: web", "image: web, imagePullPolcy: Never", 1), refused, `unknown field "spec.replicsa", unknown field "spec.template.spec.containers[0].imagePullPolcy"`},
		{"an old version", strings.Replace(in(deployment), "apps/v1", "apps/v1beta1", 1), refused, "does not serve apps/v1beta1"},
		{"a kind with a slip", strings.Replace(in(deployment), "kind: Deployment", "kind: Deploymnt", 1), refused, "no kind Deploymnt"},
		{"a group of nobody's", strings.Replace(widget, "example.org", "nobody.example.org", 1), unanswered, "knows no API group"},
		{"a namespace of nobody's", deployment, refused, `namespaces "shop" not found`},
		{"a namespace on a namespace", "apiVersion: v1\nkind: Namespace\nmetadata: {name: x1, namespace: y1}\n", accepted, ""},
		{"managed fields", strings.Replace(in(deployment), "name: NAME", "name: NAME, managedFields: [{manager: x}]", 1), refused, "managedFields"},
		{"no manifest", "a: [\n", refused, "no YAML"},
	} {
		before := len(c.Requests(t))
		_, said := rehearse(t, s, called(part.text, fmt.Sprint("a", i)))
		if len(said) != 1 || said[0].Answer != part.answer || !strings.Contains(said[0].Reason, part.reason) {
			t.Errorf("%s: %s %s, want %s with %q", part.name, said[0].Answer, said[0].Reason, part.answer, part.reason)
		}
		asked := map[string]int{}
		for _, r := range c.Requests(t)[before:] {
			if r.DryRun && r.Strict {
				asked[r.Verb]++
			}
		}
		wantPatch, wantCreate := 1, 1
		if said[0].Apply == nil {
			wantPatch = 0
		}
		if said[0].Create == nil {
			wantCreate = 0
		}
		if asked["patch"] != wantPatch || asked["create"] != wantCreate {
			t.Errorf("%s: the server's log has the dry runs %v, and Lane recorded %d and %d", part.name, asked, wantPatch, wantCreate)
		}
	}
}

// A broken copy is refused by the name of its field; a definition without a schema shows that a server can accept anything.
func controls(t *testing.T, c *testcluster.Cluster) {
	s := connect(t, c.Kubeconfig, true)
	all, said := rehearse(t, s, shop, gadgets, called(deployment, "web"), called(strings.Replace(widget, "Widget", "Gadget", 1), "g"),
		"apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: once-, namespace: shop}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}\n")
	wantAnswers(t, said, accepted, accepted, accepted, accepted, accepted)
	for _, o := range deploy.OneOfEach(all, said) {
		field := deploy.UnknownField()
		got := s.Control(t.Context(), deploy.Set{Objects: all}, o, field)
		if want := o.Kind != "Gadget"; got.Refused != want {
			t.Errorf("a broken %s is refused: %v, want %v: %+v %+v", o.Kind, got.Refused, want, got.Apply, got.Create)
		}
	}
	if err := s.Undo(t.Context()); err != nil {
		t.Error(err)
	}
}

// A credential without rights is told from a bad object, and one that nobody knows from both.
func credential(t *testing.T, c *testcluster.Cluster) {
	s := connect(t, c.Weak(t), false)
	_, said := rehearse(t, s, strings.ReplaceAll(called(deployment, "web"), "shop", "default"))
	wantAnswers(t, said, unanswered)
	if !strings.Contains(said[0].Reason, "may not patch deployments.apps in default") || len(s.CanWrite()) != 0 {
		t.Errorf("it says %q, and the credential can write %q", said[0].Reason, s.CanWrite())
	}
	if _, err := connect(t, c.Unknown(t), false).Look(t.Context()); err == nil {
		t.Error("a credential that nobody knows was let in")
	}
}

// After all of it, the server holds none of the objects.
func nothingKept(t *testing.T, c *testcluster.Cluster) {
	client := client(t, c)
	for _, r := range []schema.GroupVersionResource{
		{Group: "apps", Version: "v1", Resource: "deployments"}, {Group: "batch", Version: "v1", Resource: "jobs"}, {Version: "v1", Resource: "pods"},
		{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	} {
		list, err := client.Resource(r).List(t.Context(), metav1.ListOptions{})
		if err != nil || len(list.Items) != 0 {
			t.Errorf("%d %s are kept, %v", len(list.Items), r.Resource, err)
		}
	}
	list, err := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, ns := range list.Items {
		if name := ns.GetName(); name == "shop" || name == "existing" {
			t.Errorf("the namespace %s is kept", name)
		}
	}
}
