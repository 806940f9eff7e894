// Package schema writes the JSON Schema of Go types that are read as package strict reads them.
package schema

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

type object = map[string]any

// Of returns a JSON Schema (draft 2020-12) of the JSON form of T, indented. A field without omitempty or omitzero is required, and unknown
// keys are refused.
func Of[T any](title, description string) []byte {
	root := of(reflect.TypeFor[T]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"], root["description"] = title, description
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(root) != nil {
		return nil // strings, booleans, lists and maps always encode
	}
	return b.Bytes()
}

func of(t reflect.Type) object {
	switch {
	case t.Kind() == reflect.Pointer:
		return of(t.Elem())
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()), t.Implements(reflect.TypeFor[json.Marshaler]()):
		return object{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Struct:
		return fields(t)
	case reflect.Slice:
		return object{"type": []string{"array", "null"}, "items": of(t.Elem())} // Go writes an empty list as null where nobody made one
	case reflect.Map:
		return object{"type": []string{"object", "null"}, "additionalProperties": of(t.Elem())}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	}
	return object{"type": "string"}
}

func fields(t reflect.Type) object {
	properties, required := object{}, []string{}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		properties[name] = of(t.Field(i).Type)
		if !strings.HasPrefix(options, "omit") {
			required = append(required, name)
		}
	}
	out := object{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}
