package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v2"
)

// Bounds of what is read. An API server takes no request above 3 MiB.
const (
	MaxFile    = 4 << 20 // bytes of one manifest
	maxExpand  = 3 << 20 // bytes of one object, with every alias written out
	maxDepth   = 100     // of mappings and lists in each other
	MaxObjects = 1000    // of a whole rehearsal
)

// What the values of a rehearsal may come to in memory, all objects together, and what one is taken for: more than the Go heap has for it.
const (
	maxMemory   = 64 << 20 // bytes
	valueCost   = 64
	mappingCost = 320
)

// reader reads the manifests of one rehearsal.
type reader struct {
	ctx    context.Context
	memory int // bytes that are left
}

// budget is what one object may still come to.
type budget struct {
	written int // bytes, with every alias written out
	memory  *int
}

// errTooMuch says that manifests come to more than Lane keeps: no fault of theirs.
var errTooMuch = fmt.Errorf("the manifests come to more than %d bytes of memory with their aliases written out, and Lane reads no more", maxMemory)

// take counts a value or a key against both bounds.
func (b *budget) take(written, memory int) error {
	if b.written -= written; b.written < 0 {
		return fmt.Errorf("an object of it is larger than %d bytes with its aliases written out", maxExpand)
	}
	if *b.memory -= memory; *b.memory < 0 {
		return errTooMuch
	}
	return nil
}

// ended says why nothing more is read, nil where there is no reason.
func (r *reader) ended() error {
	if err := r.ctx.Err(); err != nil {
		return fmt.Errorf("the check ended before it was read: %w", err)
	}
	if r.memory < 0 {
		return errTooMuch
	}
	return nil
}

// File is one manifest.
type File struct {
	Name string
	Data []byte
	// Fault and Unasked are those of an Object, where there is no content to read.
	Fault, Unasked string
}

// Read returns the objects of manifests in their order, in YAML or JSON. A list is taken apart. A manifest that cannot be read is an object with
// a Fault; empty documents are left out. What is beyond the bounds of the whole, or not read when ctx ends, is an object with Unasked. skipped names what is no object for a server: the configuration of kustomize.
func Read(ctx context.Context, files []File) (all []Object, skipped []string) {
	r := &reader{ctx: ctx, memory: maxMemory}
	for _, f := range files {
		found := r.objects(f)
		n := 0
		for _, o := range found {
			if o.Content != nil {
				n++
				o.Number = n
			}
			o.Source = f.Name
			if o.Kind != "" && strings.HasPrefix(o.APIVersion, "kustomize.config.k8s.io/") {
				if len(skipped) == 0 || skipped[len(skipped)-1] != f.Name {
					skipped = append(skipped, f.Name)
				}
				continue
			}
			if len(all) == MaxObjects {
				return append(all, Object{Source: f.Name, Unasked: fmt.Sprintf("there are more than %d objects, and Lane asks about no more", MaxObjects)}), skipped
			}
			all = append(all, o)
		}
	}
	return all, skipped
}

func (r *reader) objects(f File) []Object {
	fault := func(format string, args ...any) []Object { return []Object{{Fault: fmt.Sprintf(format, args...)}} }
	switch {
	case f.Fault != "" || f.Unasked != "":
		return []Object{{Fault: f.Fault, Unasked: f.Unasked}}
	case len(f.Data) > MaxFile:
		return []Object{{Unasked: fmt.Sprintf("it is larger than %d bytes, and Lane reads no more", MaxFile)}}
	case !utf8.Valid(f.Data):
		return fault("it is no UTF-8")
	}
	dec := yaml.NewDecoder(bytes.NewReader(f.Data))
	dec.SetStrict(true) // a key that comes twice is an error
	var out []Object
	for {
		if len(out) >= MaxObjects { // said as an object: what was read may all be of a kind that is left out
			return append(out, Object{Unasked: fmt.Sprintf("it has more than %d documents or objects, and Lane reads no more", MaxObjects)})
		}
		if err := r.ended(); err != nil {
			return append(out, Object{Unasked: err.Error()})
		}
		doc, err := next(dec)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil && strings.Contains(err.Error(), "already set in map") && bytes.Contains(f.Data, []byte("<<")) {
			// A key that overrides a merged one is sound YAML, and the library calls it a key that comes twice.
			return append(out, Object{Unasked: "a key comes twice in it, or overrides one that is merged with <<, which Lane does not tell apart: write the mapping out"})
		}
		if err != nil {
			return append(out, fault("it is no YAML: %s", clip(firstLine(err.Error()), 300))...)
		}
		out = append(out, r.objectsOf(doc)...)
	}
}

// next reads one document. The library panics on some texts that it should refuse; that is a refusal too.
func next(dec *yaml.Decoder) (doc any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it cannot be read")
		}
	}()
	err = dec.Decode(&doc)
	return doc, err
}

// objectsOf are those of one document, of which an empty one has none.
func (r *reader) objectsOf(doc any) []Object {
	if doc == nil {
		return nil
	}
	v, err := plain(doc, 0, &budget{written: maxExpand, memory: &r.memory})
	if errors.Is(err, errTooMuch) {
		return nil // which ended says of the whole file
	}
	if err != nil {
		return []Object{{Fault: err.Error()}}
	}
	m, ok := v.(map[string]any)
	if !ok {
		return []Object{{Fault: "a document of it is no mapping"}}
	}
	return apart(m, 0)
}

// apart takes a list of objects apart, as kubectl does: any kind that ends in List and has items.
func apart(m map[string]any, depth int) []Object {
	kind, _ := m["kind"].(string)
	items, isList := m["items"].([]any)
	if !strings.HasSuffix(kind, "List") || !isList {
		return []Object{newObject(m)}
	}
	if depth == 3 {
		return []Object{{Fault: "it has lists in lists in lists"}}
	}
	var out []Object
	for _, item := range items {
		if inner, ok := item.(map[string]any); ok {
			out = append(out, apart(inner, depth+1)...)
		} else {
			out = append(out, Object{Fault: "an item of its list is no mapping"})
		}
	}
	return out
}

// plain turns what the YAML library gives into what JSON knows, with every alias written out, as long as that stays within left.
func plain(v any, depth int, left *budget) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it goes deeper than %d levels", maxDepth)
	}
	cost := 8
	if s, ok := v.(string); ok {
		cost += len(s)
	}
	if err := left.take(cost, valueCost); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil, bool, string:
		return v, nil
	case int:
		return int64(v), nil
	case int64:
		return v, nil
	case uint64:
		return json.Number(strconv.FormatUint(v, 10)), nil
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, errors.New("it has a number that JSON does not know")
		}
		return v, nil
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			x, err := plain(e, depth+1, left)
			if err != nil {
				return nil, err
			}
			out[i] = x
		}
		return out, nil
	case map[any]any:
		return plainMap(v, depth, left)
	}
	return nil, fmt.Errorf("it has a value that JSON does not know (%T)", v)
}

func plainMap(m map[any]any, depth int, left *budget) (any, error) {
	if err := left.take(0, mappingCost); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(m))
	for k, e := range m {
		key, err := keyOf(k)
		if err != nil {
			return nil, err
		}
		if err := left.take(len(key), len(key)); err != nil {
			return nil, err
		}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("it has the key %s twice", strconv.Quote(clip(key, 80)))
		}
		if out[key], err = plain(e, depth+1, left); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// keyOf writes a key as kubectl does: numbers and booleans become text.
func keyOf(k any) (string, error) {
	switch k := k.(type) {
	case string:
		return k, nil
	case bool, int, int64, uint64:
		return fmt.Sprint(k), nil
	case float64:
		return strconv.FormatFloat(k, 'g', -1, 64), nil
	}
	return "", errors.New("it has a key that is no text")
}

func firstLine(s string) string {
	s = strings.TrimPrefix(s, "yaml: ")
	if head, rest, ok := strings.Cut(s, "\n"); ok && strings.HasSuffix(head, ":") {
		next, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		return head + " " + next
	} else if ok {
		return head
	}
	return s
}

// clip bounds a text.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}
