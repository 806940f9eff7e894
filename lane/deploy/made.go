package deploy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// establishTime bounds the wait for a definition to be served, and for what is deleted to be gone.
const establishTime = 30 * time.Second

// Bounds of what is really made in one rehearsal: definitions are the change's, and a server keeps schemas and watches for each.
const (
	maxMade = 100
	maxLate = 3 // definitions that were waited for in vain
)

// madeObject is one that was really made in a disposable server.
type madeObject struct {
	schema.GroupVersionResource
	name string
}

// make really applies a namespace or a definition that the server accepted in a dry run.
func (s *Server) make(ctx context.Context, o Object) error {
	if o.isNamespace() {
		return s.makeNamespace(ctx, o.Name, o.Content)
	}
	// A conversion webhook would have the server call an address that a manifest names.
	spec, _ := o.Content["spec"].(map[string]any)
	if spec["conversion"] != nil {
		spec = with(spec, "conversion", map[string]any{"strategy": "None"})
	}
	r := definitions
	r.Version = kindOf(o).Version
	content := map[string]any{"apiVersion": o.APIVersion, "kind": o.Kind, "metadata": plainMeta(o.Name, o.Content), "spec": spec}
	if s.late == maxLate {
		return fmt.Errorf("make the definition %s: %d others were made and not served in time, and Lane waits for no more", o.Name, s.late)
	}
	if err := s.really(ctx, r, o.Name, content); err != nil {
		return fmt.Errorf("make the definition %s: %w", o.Name, err)
	}
	err := s.until(ctx, "the definition "+o.Name+" to be served", func() bool {
		got, err := s.dynamic.Resource(definitions).Get(ctx, o.Name, metav1.GetOptions{})
		return err == nil && established(got) && s.serves(ctx, got)
	})
	if err != nil {
		s.late++
	}
	return err
}

// serves reports whether the server names the kind of a definition among those that it serves, which it does a little later.
func (s *Server) serves(ctx context.Context, definition *unstructured.Unstructured) bool {
	s.forget()
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	for _, v := range versions {
		m, _ := v.(map[string]any)
		name, _ := m["name"].(string)
		if m["served"] != true {
			continue
		}
		if _, err := s.find(ctx, group+"/"+name, kind); err != nil {
			return false
		}
	}
	return true
}

func established(definition *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(definition.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		m, _ := c.(map[string]any)
		return m["type"] == "Established" && m["status"] == "True"
	})
}

// makeNamespace makes a namespace with the labels and annotations of content, which say what may run there.
func (s *Server) makeNamespace(ctx context.Context, name string, content map[string]any) error {
	if err := s.really(ctx, namespaces, name, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": plainMeta(name, content)}); err != nil {
		return fmt.Errorf("make the namespace %s in the disposable API server: %w", name, err)
	}
	return nil
}

// plainMeta is what is really made of an object's metadata: nothing that would keep the object there, like finalizers and owners.
func plainMeta(name string, content map[string]any) map[string]any {
	meta := map[string]any{"name": name}
	old, _ := content["metadata"].(map[string]any)
	for _, key := range []string{"labels", "annotations"} {
		if old[key] != nil {
			meta[key] = old[key]
		}
	}
	return meta
}

// really applies an object and notes it. One that was there before Lane is never changed: it is good enough where it is a namespace with the labels and
// annotations that are asked for, and an error else.
func (s *Server) really(ctx context.Context, r schema.GroupVersionResource, name string, content map[string]any) error {
	if !s.Disposable {
		return errors.New("it is not disposable")
	}
	t := target{ResourceInterface: s.dynamic.Resource(r)}
	m := madeObject{r, name}
	if !slices.Contains(s.made, m) {
		switch there, err := t.Get(ctx, name, metav1.GetOptions{}); {
		case err == nil && r == namespaces && marked(there, content):
			return nil
		case err == nil:
			return errors.New("it is there already and not as this manifest has it, and Lane changes nothing that it did not make: take it away first, or name a fresh server")
		case !apierrors.IsNotFound(err):
			return err
		case len(s.made) == maxMade:
			return fmt.Errorf("a rehearsal makes no more than %d namespaces and definitions", maxMade)
		}
		s.made = append(s.made, m) // before it is asked for, since an answer can be lost
	}
	return t.apply(ctx, name, content, false)
}

// hasMade reports whether a namespace or definition was really made, and not there before.
func (s *Server) hasMade(o Object) bool {
	return slices.ContainsFunc(s.made, func(m madeObject) bool {
		return m.name == o.Name && (m.GroupVersionResource == namespaces) == o.isNamespace()
	})
}

// marked reports whether an object has the labels and annotations of content.
func marked(there *unstructured.Unstructured, content map[string]any) bool {
	wanted := unstructured.Unstructured{Object: content}
	has := func(all, some map[string]string) bool {
		for k, v := range some {
			if got, ok := all[k]; !ok || got != v {
				return false
			}
		}
		return true
	}
	return has(there.GetLabels(), wanted.GetLabels()) && has(there.GetAnnotations(), wanted.GetAnnotations())
}

// Undo takes away what was really made, last things first, so that the next rehearsal in the same server finds none of it.
func (s *Server) Undo(ctx context.Context) error {
	var errs []error
	for _, m := range slices.Backward(s.made) {
		c := s.dynamic.Resource(m.GroupVersionResource)
		gone := func() bool {
			_, err := c.Get(ctx, m.name, metav1.GetOptions{})
			return apierrors.IsNotFound(err)
		}
		if err := c.Delete(ctx, m.name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("take away %s %s: %w", m.Resource, m.name, err))
			continue
		}
		if m.GroupVersionResource == namespaces {
			// Where nobody is at work who empties namespaces, nothing is in it either: the dry runs left nothing.
			if got, err := c.Get(ctx, m.name, metav1.GetOptions{}); err == nil {
				unstructured.RemoveNestedField(got.Object, "spec", "finalizers")
				if _, err := c.Update(ctx, got, metav1.UpdateOptions{}, "finalize"); err != nil && !apierrors.IsNotFound(err) {
					errs = append(errs, fmt.Errorf("take away namespace %s: %w", m.name, err))
				}
			}
		}
		errs = append(errs, s.until(ctx, m.Resource+" "+m.name+" to be gone", gone))
	}
	s.made, s.late = nil, 0
	s.forget()
	return errors.Join(errs...)
}

// until waits for something to be true.
func (s *Server) until(ctx context.Context, what string, ok func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, establishTime)
	defer cancel()
	for !ok() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}
