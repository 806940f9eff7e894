package spec

import (
	"bytes"
	"encoding/json"
)

// object keeps the schema readable in the code; JSON sorts its keys.
type object = map[string]any

// Schema returns a JSON Schema (draft 2020-12) of the spec's form, indented,
// for editors and other tools. It accepts everything that Parse accepts and
// refuses unknown keys, wrong types, missing keys and most wrong values; what
// keys have to agree on among themselves only Parse knows.
func Schema() []byte {
	c := newChecker(nil, Settings())
	root := c.tableSchema("")
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Lane spec"
	root["description"] = "What Lane verifies: which change, against which criteria, by which tasks, to which assurance level."
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		return nil // strings, numbers, lists and maps always encode
	}
	return b.Bytes()
}

func (c *checker) tableSchema(key string) object {
	properties, required := object{}, []string{}
	for _, s := range c.settings {
		if s.Table() != key {
			continue
		}
		properties[s.Name()] = c.settingSchema(s)
		if s.Required {
			required = append(required, s.Name())
		}
	}
	schema := object{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	if key == "source" {
		schema["not"] = object{"required": []string{"head", "patch"}}
	}
	return schema
}

func (c *checker) settingSchema(s Setting) object {
	k := c.types[s.Type]
	var schema object
	switch k.shape {
	case shapeTable:
		schema = c.tableSchema(s.Key)
	case shapeTables:
		schema = object{"type": "array", "items": c.tableSchema(s.Key)}
		if s.Required {
			schema["minItems"] = 1
		}
	case shapeString:
		schema = wordSchema(s, k)
	case shapeBoolean:
		schema = object{"type": "boolean"}
	case shapeInteger:
		schema = object{"type": "integer", "minimum": s.Min, "maximum": s.Max}
	case shapeList:
		schema = listSchema(s, k)
	case shapeCommands:
		schema = object{"type": "array", "items": listSchema(s, kind{filled: true})}
	case shapeMap:
		schema = object{"type": "object", "additionalProperties": false,
			"patternProperties": object{variablePattern: object{"type": "string"}}}
	}
	schema["description"] = s.Doc
	if value, ok := defaultValues([]Setting{s})[s.Key]; ok {
		schema["default"] = value
	}
	return schema
}

func listSchema(s Setting, k kind) object {
	schema := object{"type": "array", "items": wordSchema(s, k)}
	if k.set {
		schema["uniqueItems"] = true
	}
	if k.filled {
		schema["minItems"] = 1
	}
	return schema
}

func wordSchema(s Setting, k kind) object {
	schema := object{"type": "string"}
	switch {
	case k.pattern != "":
		schema["pattern"] = k.pattern
	case len(s.Enum) > 0:
		schema["enum"] = s.Enum
	}
	if s.Type == "id" {
		schema["not"] = object{"pattern": `\.\.|\.$`}
	}
	return schema
}
