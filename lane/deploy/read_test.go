package deploy_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/lane/deploy"
)

const web = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  namespace: shop\ndata:\n  a: b\n"

// shown is what a test compares of an object: what it is, or why it is none.
func shown(all []deploy.Object) []string {
	var out []string
	for _, o := range all {
		switch {
		case o.Fault != "":
			out = append(out, "fault: "+o.Fault)
		case o.Unasked != "":
			out = append(out, "unasked: "+o.Unasked)
		default:
			out = append(out, o.APIVersion+" "+o.Title())
		}
	}
	return out
}

func TestRead(t *testing.T) {
	named := func(apiVersion, kind, name string) string {
		return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: %s}\n", apiVersion, kind, name)
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"one":                             {web, []string{"v1 ConfigMap web in shop"}},
		"JSON":                            {`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}}`, []string{"v1 ConfigMap web"}},
		"several":                         {"---\n" + web + "---\n# nothing\n---\n" + named("apps/v1", "Deployment", "api"), []string{"v1 ConfigMap web in shop", "apps/v1 Deployment api"}},
		"nothing":                         {"# only a remark\n", nil},
		"a list":                          {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: a}}\n- {apiVersion: v1, kind: ConfigMapList, items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}]}\n", []string{"v1 Secret a", "v1 ConfigMap b"}},
		"an empty list":                   {"apiVersion: v1\nkind: List\nitems: []\n", nil},
		"a list of texts":                 {"apiVersion: v1\nkind: List\nitems: [a]\n", []string{"fault: an item of its list is no mapping"}},
		"a kind named List without items": {named("example.org/v1", "ShoppingList", "x"), []string{"example.org/v1 ShoppingList x"}},
		"lists without end":               {strings.Repeat(`{"kind": "List", "items": [`, 5) + strings.Repeat("]}", 5), []string{"fault: it has lists in lists in lists"}},
		"generateName":                    {"apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: once-}\n", []string{"batch/v1 Job "}},
		"aliases":                         {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: &n web}\ndata: {a: *n}\n", []string{"v1 ConfigMap web"}},

		"no YAML":                        {"a: [", []string{"fault: it is no YAML: line 1: did not find expected node content"}},
		"a key twice":                    {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nkind: ConfigMap\n", []string{`fault: it is no YAML: unmarshal errors: line 4: key "kind" already set in map`}},
		"a merge":                        {"apiVersion: v1\nkind: ConfigMap\nmetadata: &m {name: web}\ndata: {<<: *m, a: b}\n", []string{"v1 ConfigMap web"}},
		"a merge, overridden":            {"apiVersion: v1\nkind: ConfigMap\nmetadata: &m {name: web}\ndata: {<<: *m, name: b}\n", []string{"unasked: a key comes twice in it, or overrides one that is merged with <<, which Lane does not tell apart: write the mapping out"}},
		"a key twice as text and number": {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {1: a, \"1\": b}\n", []string{`fault: it has the key "1" twice`}},
		"a good one before":              {web + "---\na: [\n", []string{"v1 ConfigMap web in shop", "fault: it is no YAML: line 9: did not find expected node content"}},
		"no kind":                        {"replicas: 1\n", []string{"fault: it has no apiVersion or no kind"}},
		"a list at the top":              {"[1, 2]\n", []string{"fault: a document of it is no mapping"}},
		"no name":                        {"apiVersion: v1\nkind: Secret\n", []string{"fault: it has neither metadata.name nor metadata.generateName"}},
		"metadata a text":                {"apiVersion: v1\nkind: Secret\nmetadata: web\n", []string{"fault: its metadata is no mapping"}},
		"a name a number":                {"apiVersion: v1\nkind: Secret\nmetadata: {name: 1}\n", []string{"fault: metadata.name is no text"}},
		"not a number":                   {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nx: .nan\n", []string{"fault: it has a number that JSON does not know"}},
		"no UTF-8":                       {"a: \xff\n", []string{"fault: it is no UTF-8"}},
		"a way out by name":              {named("v1", "Secret", "../../../../version"), []string{"fault: metadata.name cannot be part of a path"}},
		"a way out by namespace":         {"apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: ..}\n", []string{"fault: metadata.namespace cannot be part of a path"}},
		"a way out by group":             {named("../../v1", "Secret", "a"), []string{"fault: its apiVersion is neither VERSION nor GROUP/VERSION"}},
		"a way out by version":           {named("apps/..", "Deployment", "a"), []string{"fault: its apiVersion is neither VERSION nor GROUP/VERSION"}},
		"a kind that is a path":          {named("v1", "pods/exec", "a"), []string{"fault: its kind is no name of a kind"}},
		"kustomize's own":                {"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: x}\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			all, _ := deploy.Read(t.Context(), []deploy.File{{Name: "a.yaml", Data: []byte(c.text)}})
			if d := cmp.Diff(c.want, shown(all)); d != "" {
				t.Error(d)
			}
		})
	}
}

// Short texts that become large, deep or many: they cost no more than their bound, and are no object.
func TestReadBounds(t *testing.T) {
	bomb := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nx:\n- &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("- &%c [%s]\n", c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 10), ", "))
	}
	long := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nx: &s " + strings.Repeat("s", 500_000) + "\ny: [" + strings.Repeat("*s,", 90) + "1]\n"
	for name, c := range map[string]struct{ text, want string }{
		"a bomb of aliases":    {bomb, "fault: it is no YAML: document contains excessive aliasing"},
		"a long text, aliased": {long, "fault: an object of it is larger than 3145728 bytes with its aliases written out"},
		"depth":                {"apiVersion: v1\nkind: A\nmetadata: {name: a}\nx: " + strings.Repeat("[", 500) + strings.Repeat("]", 500), "fault: it goes deeper than 100 levels"},
		"depth without end":    {strings.Repeat("[", 1_000_000), "fault: it is no YAML: exceeded max depth of 10000"},
		"a large file":         {strings.Repeat("#", deploy.MaxFile+1), "unasked: it is larger than 4194304 bytes, and Lane reads no more"},
	} {
		t.Run(name, func(t *testing.T) {
			all, _ := deploy.Read(t.Context(), []deploy.File{{Name: "a.yaml", Data: []byte(c.text)}})
			if got := shown(all); len(got) != 1 || got[0] != c.want {
				t.Errorf("got %.300q, want %q", got, c.want)
			}
		})
	}
	many := strings.Repeat("---\napiVersion: v1\nkind: A\nmetadata: {name: a}\n", deploy.MaxObjects+5)
	all, _ := deploy.Read(t.Context(), []deploy.File{{Name: "a.yaml", Data: []byte(many)}, {Name: "b.yaml", Data: []byte(web)}})
	if last := all[len(all)-1]; len(all) != deploy.MaxObjects+1 || last.Unasked == "" {
		t.Errorf("%d objects were read, the last is %v", len(all), shown(all[len(all)-1:]))
	}
}

// What is beyond a bound is said, also where all that was read before it is left out.
func TestReadSaysWhatIsLeft(t *testing.T) {
	own := strings.Repeat("---\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: x}\n", deploy.MaxObjects+1)
	all, skipped := deploy.Read(t.Context(), []deploy.File{{Name: "a.yaml", Data: []byte(own + "---\n" + web)}})
	if len(all) != 1 || all[0].Unasked == "" || all[0].Source != "a.yaml" || len(skipped) != 1 {
		t.Errorf("%d objects: %v; left out are %d", len(all), shown(all), len(skipped))
	}
}

// Many documents that are each within their bound come to no more than one bound together; what is left is said of every manifest.
func TestReadBoundsTheWhole(t *testing.T) {
	doc := "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nx:\n- &a [" + strings.Repeat("{},", 700) + "{}]\n- [" + strings.Repeat("*a,", 79) + "*a]\n"
	many := strings.Repeat(doc, 20)
	all, _ := deploy.Read(t.Context(), []deploy.File{{Name: "a.yaml", Data: []byte(many)}, {Name: "b.yaml", Data: []byte(many)}})
	var left []string
	values := 0
	for _, o := range all {
		if o.Unasked != "" {
			left = append(left, o.Source)
		}
		if x, ok := o.Content["x"].([]any); ok {
			values += len(x[1].([]any)) * 701
		}
	}
	if !slices.Equal(left, []string{"a.yaml", "b.yaml"}) || values == 0 || values*320 > 64<<20 {
		t.Errorf("%d objects hold %d mappings, and nothing is asked of the rest of %q", len(all), values, left)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if all, _ := deploy.Read(ctx, []deploy.File{{Name: "a.yaml", Data: []byte(web)}}); len(all) != 1 || !strings.Contains(all[0].Unasked, "canceled") {
		t.Errorf("after its end it reads %v", shown(all))
	}
}

// What is kept of an object is short, whatever it says that it is.
func TestReadKeepsNoLongWords(t *testing.T) {
	long := strings.Repeat("v", 1<<20)
	for _, text := range []string{"apiVersion: " + long + "\nkind: A\n", "apiVersion: v1\nkind: " + long + "\n", "apiVersion: v1\nkind: A\nmetadata: {name: " + long + "}\n",
		"apiVersion: a/" + long + "\nkind: A\n", "apiVersion: v1\nkind: A\nmetadata: {name: a, namespace: " + long + "}\n"} {
		all, _ := deploy.Read(t.Context(), []deploy.File{{Name: "a", Data: []byte(text)}})
		o := all[0]
		if n := len(o.APIVersion + o.Kind + o.Namespace + o.Name + o.Fault); n > 1000 || o.Fault == "" {
			t.Errorf("%d bytes are kept of %.30q", n, text)
		}
	}
}

// Equal objects have one digest, however they are written; others have another.
func TestDigest(t *testing.T) {
	read := func(text string) deploy.Object {
		all, _ := deploy.Read(t.Context(), []deploy.File{{Name: "a", Data: []byte(text)}})
		if len(all) != 1 || all[0].Digest == "" {
			t.Fatalf("read %q: %v", text, shown(all))
		}
		return all[0]
	}
	one := read("kind: A\napiVersion: v1\nmetadata: {name: a}\nx: [1, true]\n").Digest
	if other := read(`{"x": [1, true], "metadata": {"name": "a"}, "apiVersion": "v1", "kind": "A"}`).Digest; other != one {
		t.Errorf("the same object has the digests %s and %s", one, other)
	}
	if other := read("kind: A\napiVersion: v1\nmetadata: {name: a}\nx: [1, false]\n").Digest; other == one {
		t.Errorf("two objects have the digest %s", one)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(web))
	f.Add([]byte("a: &a [*a]\n---\n- 1\n"))
	f.Add([]byte(`{"kind": "List", "items": [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, _ := deploy.Read(t.Context(), []deploy.File{{Name: "a", Data: data}})
		for _, o := range all {
			if sound := o.Content != nil && o.Kind != "" && o.Digest != ""; o.Fault == "" && o.Unasked == "" && !sound {
				t.Fatalf("it is neither an object nor a fault: %+v", o)
			}
		}
	})
}
