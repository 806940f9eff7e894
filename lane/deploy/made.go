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
	content := with(with(o.Content, "spec", spec), "status", nil)
	delete(content, "status")
	if err := s.really(ctx, r, o.Name, content); err != nil {
		return fmt.Errorf("make the definition %s: %w", o.Name, err)
	}
	return s.until(ctx, "the definition "+o.Name+" to be served", func() bool {
		got, err := s.dynamic.Resource(definitions).Get(ctx, o.Name, metav1.GetOptions{})
		return err == nil && established(got) && s.serves(ctx, got)
	})
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
	meta := map[string]any{"name": name}
	old, _ := content["metadata"].(map[string]any)
	for _, key := range []string{"labels", "annotations"} {
		if old[key] != nil {
			meta[key] = old[key]
		}
	}
	if err := s.really(ctx, namespaces, name, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": meta}); err != nil {
		return fmt.Errorf("make the namespace %s in the disposable API server: %w", name, err)
	}
	return nil
}

// really applies an object, and notes it where it was not there before.
func (s *Server) really(ctx context.Context, r schema.GroupVersionResource, name string, content map[string]any) error {
	if !s.Disposable {
		return errors.New("it is not disposable")
	}
	t := target{ResourceInterface: s.dynamic.Resource(r)}
	_, err := t.Get(ctx, name, metav1.GetOptions{})
	absent := apierrors.IsNotFound(err)
	if err != nil && !absent {
		return err
	}
	if err := t.apply(ctx, name, content, false); err != nil {
		return err
	}
	if absent {
		s.made = append(s.made, madeObject{r, name})
	}
	return nil
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
	s.made = nil
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
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}
