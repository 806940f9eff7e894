package deploy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Object is one object of a manifest, or a manifest that holds none because of what Fault or Unasked says.
type Object struct {
	// Source is the manifest's name, Number the place of the object in it from 1; 0 where the manifest as a whole is meant.
	Source string
	Number int
	// Content is the object as JSON would have it; nil where there is none.
	Content                           map[string]any
	APIVersion, Kind, Namespace, Name string
	// Digest is "sha256:" and hex over Content as compact JSON with sorted keys.
	Digest string
	// Fault says why no API server could take it: no YAML, no kind. It counts as a refusal.
	Fault string
	// Unasked says why Lane does not ask about it: a limit of Lane's own.
	Unasked string
}

// Key names an object whatever its version and manifest, so that base's can be found beside head's.
func (o Object) Key() string {
	if o.Kind == "" {
		return "manifest\x00" + o.Source
	}
	group, _, ok := strings.Cut(o.APIVersion, "/")
	if !ok {
		group = ""
	}
	return strings.Join([]string{group, o.Kind, o.Namespace, o.Name}, "\x00")
}

// Title names it for people.
func (o Object) Title() string {
	s := o.Kind + " " + o.Name
	if o.Namespace != "" {
		s += " in " + o.Namespace
	}
	return s
}

// GroupKind is that of the object, less its version.
func (o Object) GroupKind() schema.GroupKind {
	gv, _ := schema.ParseGroupVersion(o.APIVersion)
	return schema.GroupKind{Group: gv.Group, Kind: o.Kind}
}

// isCustomDefinition reports whether it defines a kind of object.
func (o Object) isCustomDefinition() bool {
	return o.GroupKind() == schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
}

func (o Object) isNamespace() bool { return o.APIVersion == "v1" && o.Kind == "Namespace" }

// Words that become part of a request's path.
var (
	groupWord   = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)
	versionWord = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	kindWord    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,252}$`)
)

// newObject looks at what a document holds and names what no server needs to be asked about.
func newObject(content map[string]any) Object {
	o := Object{Content: content}
	apiVersion, _ := content["apiVersion"].(string)
	kind, _ := content["kind"].(string)
	group, version, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		group, version = "", apiVersion
	}
	switch {
	case apiVersion == "" || kind == "":
		o.Fault = "it has no apiVersion or no kind"
		return o
	case !kindWord.MatchString(kind):
		o.Fault = "its kind is no name of a kind"
		return o
	case grouped && !groupWord.MatchString(group), strings.Contains(group, ".."), !versionWord.MatchString(version):
		o.Fault = "its apiVersion is neither VERSION nor GROUP/VERSION"
		return o
	}
	o.APIVersion, o.Kind = apiVersion, kind // never before they are known to be short
	meta, isMap := content["metadata"].(map[string]any)
	if _, given := content["metadata"]; given && !isMap {
		o.Fault = "its metadata is no mapping"
		return o
	}
	for _, key := range []string{"name", "namespace", "generateName"} {
		v, given := meta[key]
		text, isText := v.(string)
		switch {
		case given && v != nil && !isText:
			o.Fault = "metadata." + key + " is no text"
			return o
		case strings.ContainsAny(text, "/%\x00") || text == "." || text == ".." || len(text) > 253:
			o.Fault = "metadata." + key + " cannot be part of a path"
			return o
		case key == "name":
			o.Name = text
		case key == "namespace":
			o.Namespace = text
		case o.Name == "" && text == "":
			o.Fault = "it has neither metadata.name nor metadata.generateName"
		}
	}
	o.Digest = digest(content)
	return o
}

// Needed reports whether other objects may need it to be there.
func (o Object) Needed() bool { return o.isNamespace() || o.isCustomDefinition() }

// generated reports whether the server has to make up a name, so that only a create can be asked.
func (o Object) generated() bool { return o.Name == "" }

func digest(content map[string]any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(content); err != nil { // it came out of plain converts only
		return ""
	}
	sum := sha256.Sum256(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}
