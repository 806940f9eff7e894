package deploy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/vallane/lane/assurance"
)

// Set is what is rehearsed together.
type Set struct {
	Objects []Object
	// Namespace is where namespaced objects without a namespace go; "" is "default".
	Namespace string
	// Namespaces are there already where the objects will be deployed: they are made in a disposable server.
	Namespaces []string
}

// Rehearse asks the server about every object and returns one answer for each, in their order. done, where it is not nil, is called after each.
// The error is that of the context.
func (s *Server) Rehearse(ctx context.Context, set Set, done func(n int)) ([]assurance.ObjectObservation, error) {
	if set.Namespace == "" {
		set.Namespace = metav1.NamespaceDefault
	}
	out := make([]assurance.ObjectObservation, len(set.Objects))
	// What other objects need comes first: namespaces, then definitions.
	order := [3][]int{}
	for i, o := range set.Objects {
		rank := 2
		switch {
		case o.isNamespace():
			rank = 0
		case o.isCustomDefinition():
			rank = 1
		}
		order[rank] = append(order[rank], i)
	}
	n := 0
	for rank, list := range order {
		if rank == 0 && s.Disposable {
			for _, name := range append(set.Namespaces, set.Namespace) {
				if err := s.makeNamespace(ctx, name, nil); err != nil {
					return nil, err
				}
			}
		}
		for _, i := range list {
			out[i] = s.ask(ctx, set, set.Objects[i])
			if rank < 2 && s.Disposable && out[i].Answer == assurance.AnswerAccepted && !set.Objects[i].generated() {
				if err := s.make(ctx, set.Objects[i]); err != nil {
					out[i].Answer, out[i].Reason = assurance.AnswerUnanswered, clip(err.Error(), maxReason)
				} else {
					out[i].Made = s.hasMade(set.Objects[i])
				}
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if n++; done != nil {
				done(n)
			}
		}
	}
	return out, nil
}

// ask asks about one object.
func (s *Server) ask(ctx context.Context, set Set, o Object) assurance.ObjectObservation {
	out := assurance.ObjectObservation{Digest: o.Digest}
	say := func(answer, format string, args ...any) assurance.ObjectObservation {
		out.Answer, out.Reason = answer, clip(fmt.Sprintf(format, args...), maxReason)
		return out
	}
	switch {
	case o.Unasked != "":
		return say(assurance.AnswerUnanswered, "%s", o.Unasked)
	case o.Fault != "":
		return say(assurance.AnswerRefused, "%s", o.Fault)
	}
	r, err := s.find(ctx, o.APIVersion, o.Kind)
	var none *noKind
	switch {
	case errors.As(err, &none) && none.served:
		return say(assurance.AnswerRefused, "%s", none.msg)
	case errors.As(err, &none) && !s.Disposable && set.defines(o):
		return say(assurance.AnswerUnanswered, "%s: a manifest defines the kind, and only in a disposable server is a definition made", none.msg)
	case errors.As(err, &none):
		return say(assurance.AnswerUnanswered, "%s: add the manifest that defines the kind, or name a server that has it", none.msg)
	case err != nil:
		return say(assurance.AnswerUnanswered, "%s", err)
	}
	t := s.target(r, o, set.Namespace)
	for _, verb := range []string{"patch", "create"} {
		if a := s.may(ctx, right{r.GroupResource(), verb, t.namespace}); a.known && !a.yes {
			return say(assurance.AnswerUnanswered, "the credential may not %s %s%s, which a dry run needs, too", verb, r.GroupResource(), in(t.namespace))
		}
	}
	content := t.content(o)
	var applied error
	if !o.generated() {
		applied = t.apply(ctx, o.Name, content, true)
		out.Apply = replyOf(applied)
	}
	created := t.create(ctx, content)
	out.Create = replyOf(created)
	refusal, reply := applied, out.Apply
	if o.generated() {
		refusal, reply = created, out.Create
	}
	switch {
	case missingNamespace(refusal, t.namespace) && (s.Disposable || set.makesNamespace(t.namespace)):
		why := "no manifest makes it, and [deploy] namespaces does not name it"
		if !s.Disposable {
			why = "a manifest makes it, and only in a disposable server is a namespace made"
		}
		return say(assurance.AnswerUnanswered, "there is no namespace %s: %s", t.namespace, why)
	case undecoded(created): // it names every field that is wrong
		return say(assurance.AnswerRefused, "%s", sentence(out.Create))
	case refusal == nil && (created == nil || about(created)):
		return say(assurance.AnswerAccepted, "")
	case refusal == nil:
		return say(assurance.AnswerUnanswered, "%s", sentence(out.Create))
	case about(refusal):
		return say(assurance.AnswerRefused, "%s", sentence(reply))
	}
	return say(assurance.AnswerUnanswered, "%s", sentence(reply))
}

func in(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in " + namespace
}

// defines reports whether a manifest of the set defines the group of an object.
func (set Set) defines(o Object) bool {
	for _, d := range set.Objects {
		if group, _, _ := unstructured.NestedString(d.Content, "spec", "group"); d.isCustomDefinition() && group == o.GroupKind().Group {
			return true
		}
	}
	return false
}

func (set Set) makesNamespace(name string) bool {
	for _, d := range set.Objects {
		if d.isNamespace() && d.Name == name {
			return true
		}
	}
	return false
}

// target is where the requests about one object go.
type target struct {
	dynamic.ResourceInterface
	namespace  string
	namespaced bool
}

func (s *Server) target(r resource, o Object, namespace string) target {
	all := s.dynamic.Resource(r.GroupVersionResource)
	if !r.namespaced {
		return target{ResourceInterface: all}
	}
	if o.Namespace != "" {
		namespace = o.Namespace
	}
	return target{all.Namespace(namespace), namespace, true}
}

// content is the object with its namespace written in.
func (t target) content(o Object) map[string]any {
	if !t.namespaced || o.Namespace == t.namespace {
		return o.Content
	}
	return with(o.Content, "metadata", with(o.Content["metadata"], "namespace", t.namespace))
}

// with is a copy of a mapping with one key set.
func with(m any, key string, value any) map[string]any {
	old, _ := m.(map[string]any)
	out := maps.Clone(old)
	if out == nil {
		out = map[string]any{}
	}
	out[key] = value
	return out
}

// apply sends a server-side apply. Force takes fields over from other managers, which in a dry run takes nothing.
func (t target) apply(ctx context.Context, name string, content map[string]any, dry bool) error {
	data, err := json.Marshal(content)
	if err != nil {
		return err
	}
	force := true
	o := metav1.PatchOptions{FieldManager: fieldManager, Force: &force, FieldValidation: metav1.FieldValidationStrict}
	if dry {
		o.DryRun = []string{metav1.DryRunAll}
	}
	_, err = t.Patch(ctx, name, types.ApplyPatchType, data, o)
	return err
}

func (t target) create(ctx context.Context, content map[string]any) error {
	_, err := t.Create(ctx, &unstructured.Unstructured{Object: content}, metav1.CreateOptions{
		DryRun: []string{metav1.DryRunAll}, FieldManager: fieldManager, FieldValidation: metav1.FieldValidationStrict})
	return err
}

// UnknownField makes up a name that no API has and nobody could know before.
func UnknownField() string { return "lane" + strings.ToLower(rand.Text()) }

// Control sends an object that was accepted once more, with a field in it that no API has. It has to be refused, and the refusals have to name
// the field: a server that says no to everything, or a recorded answer, shows nothing.
func (s *Server) Control(ctx context.Context, set Set, o Object, field string) assurance.ControlObservation {
	var out assurance.ControlObservation
	r, err := s.find(ctx, o.APIVersion, o.Kind)
	if err != nil {
		out.Create = replyOf(err)
		return out
	}
	if set.Namespace == "" {
		set.Namespace = metav1.NamespaceDefault
	}
	t := s.target(r, o, set.Namespace)
	content := with(t.content(o), field, true)
	created := t.create(ctx, content)
	out.Create = replyOf(created)
	out.Refused = undecoded(created) && strings.Contains(created.Error(), field)
	if !o.generated() {
		applied := t.apply(ctx, o.Name, content, true)
		out.Apply = replyOf(applied)
		out.Refused = out.Refused && applied != nil && about(applied) && strings.Contains(applied.Error(), field)
	}
	return out
}

// kindOf is that of an object, with its version.
func kindOf(o Object) schema.GroupVersionKind {
	gv, _ := schema.ParseGroupVersion(o.APIVersion)
	return gv.WithKind(o.Kind)
}

// OneOfEach returns an object of each kind that was accepted.
func OneOfEach(objects []Object, answers []assurance.ObjectObservation) []Object {
	var out []Object
	seen := map[schema.GroupVersionKind]bool{}
	for i, o := range objects {
		if k := kindOf(o); answers[i].Answer == assurance.AnswerAccepted && !seen[k] {
			seen[k] = true
			out = append(out, o)
		}
	}
	return out
}
