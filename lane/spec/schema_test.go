package spec

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// validate is as much of a JSON Schema validator as the schema needs; a keyword
// that it does not know fails the test.
func validate(schema map[string]any, v any, at string) (problems []string) {
	add := func(format string, args ...any) {
		problems = append(problems, at+": "+fmt.Sprintf(format, args...))
	}
	if name, ok := schema["type"].(string); ok && !hasType(name, v) {
		add("is no %s: %v", name, v)
		return problems
	}
	for word, arg := range schema {
		switch word {
		case "$schema", "type", "title", "description", "default", "properties", "patternProperties":
		case "additionalProperties":
			for name, child := range v.(map[string]any) {
				sub, known := subschema(schema, name)
				if !known {
					add("has the unknown key %q", name)
					continue
				}
				problems = append(problems, validate(sub, child, at+"."+name)...)
			}
		case "required":
			for _, name := range arg.([]any) {
				if v.(map[string]any)[name.(string)] == nil {
					add("lacks %q", name)
				}
			}
		case "not":
			if len(validate(arg.(map[string]any), v, at)) == 0 {
				add("is what it must not be")
			}
		case "items":
			for i, child := range v.([]any) {
				problems = append(problems, validate(arg.(map[string]any), child, fmt.Sprintf("%s[%d]", at, i))...)
			}
		case "minItems":
			if len(v.([]any)) < int(arg.(float64)) {
				add("has too few items")
			}
		case "uniqueItems":
			for i, child := range v.([]any) {
				if slices.ContainsFunc(v.([]any)[:i], func(other any) bool { return reflect.DeepEqual(child, other) }) {
					add("has %v twice", child)
				}
			}
		case "enum":
			if !slices.Contains(arg.([]any), v) {
				add("%v is no choice", v)
			}
		case "pattern":
			if text := v.(string); !regexp.MustCompile(arg.(string)).MatchString(text) {
				add("%q does not match %s", v, arg)
			}
		case "minimum":
			if v.(float64) < arg.(float64) {
				add("%v is below %v", v, arg)
			}
		case "maximum":
			if v.(float64) > arg.(float64) {
				add("%v is above %v", v, arg)
			}
		default:
			add("the schema uses the keyword %q", word)
		}
	}
	return problems
}

func hasType(name string, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return name == "object"
	case []any:
		return name == "array"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case float64:
		return name == "integer" && v == float64(int64(v))
	}
	return false
}

func subschema(schema map[string]any, name string) (map[string]any, bool) {
	properties, _ := schema["properties"].(map[string]any)
	if sub, ok := properties[name].(map[string]any); ok {
		return sub, true
	}
	patterns, _ := schema["patternProperties"].(map[string]any)
	for pattern, sub := range patterns {
		if regexp.MustCompile(pattern).MatchString(name) {
			return sub.(map[string]any), true
		}
	}
	return nil, false
}

// asJSON decodes TOML into what a JSON tool would see.
func asJSON(t testing.TB, text string) any {
	t.Helper()
	var m map[string]any
	if _, err := toml.Decode(strings.TrimPrefix(text, "\ufeff"), &m); err != nil {
		t.Fatal(err)
	}
	if m == nil {
		m = map[string]any{}
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func schemaOf(t testing.TB) map[string]any {
	t.Helper()
	var schema map[string]any
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// Every object of the schema is closed, and every key of a spec is in it.
func TestSchemaIsClosed(t *testing.T) {
	objects, keys := 0, 0
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if v["type"] == "object" {
				objects++
				if v["additionalProperties"] != false {
					t.Errorf("%s takes any key", at)
				}
				if p, ok := v["properties"].(map[string]any); ok {
					keys += len(p)
				}
			}
			for name, child := range v {
				walk(at+"."+name, child)
			}
		case []any:
			for _, child := range v {
				walk(at, child)
			}
		}
	}
	schema := schemaOf(t)
	walk("", schema)
	if schema["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
		t.Errorf("draft %v", schema["$schema"])
	}
	if keys != len(Settings()) {
		t.Errorf("%d keys in the schema, %d settings", keys, len(Settings()))
	}
	if objects != 18 { // the file, fifteen tables, task.env and downstream.env
		t.Errorf("%d objects", objects)
	}
}

// What Parse accepts, the schema accepts.
func TestSchemaAcceptsGoodFiles(t *testing.T) {
	schema := schemaOf(t)
	for name, data := range read(t, "good/*.toml") {
		mustParse(t, string(data))
		if problems := validate(schema, asJSON(t, string(data)), ""); len(problems) > 0 {
			t.Errorf("%s: %s", name, strings.Join(problems, "; "))
		}
	}
}

// What a schema can refuse, it refuses.
func TestSchemaRefuses(t *testing.T) {
	schema := schemaOf(t)
	for _, text := range []string{
		"", "id = \"x\"", "id = \"../x\"\n[[task]]\nname=\"u\"\nrun=[\"x\"]", withTask("tilte = \"x\""), withTask("change = \"x\""),
		withTask("[source]\nhead = \"x\"\npatch = \"y\""), withTask("[source]\nunknown = 1"), withTask("[stability]\nruns = 0"),
		withTask("[limits]\nmemory = \"2GB\""), withTask("[limits]\ndeadline = \"5 min\""), withTask("[assurance]\nrequire = 4"),
		withTask("env = 1"), withTask("[stability]\nvary = [\"order\", \"order\"]"), withTask("[env]\nfetch = [[]]"),
		withTask("[[criterion]]\nid = \"a\""), withTask("[env]\nallow = [\"x\"]"), "id = \"x\"\ntask = []",
		"id = \"x\"\n[[task]]\nname=\"u\"\nrun=[]", "id = \"x\"\n[[task]]\nname=\"u\"\nrun=[\"x\"]\nenv={\"A-B\"=\"1\"}",
	} {
		if problems := validate(schema, asJSON(t, text), ""); len(problems) == 0 {
			t.Errorf("the schema accepts %q", text)
		}
		if _, err := Parse("lane.toml", []byte(text)); err == nil {
			t.Errorf("Parse accepts %q", text)
		}
	}
}
