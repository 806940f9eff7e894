package attest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

func TestSchemasAreFresh(t *testing.T) {
	for file, now := range map[string][]byte{"../../docs/contract.schema.json": ContractSchema(), "../../docs/verdict.schema.json": VerdictSchema()} {
		if *update {
			if err := os.WriteFile(file, now, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(now)); diff != "" {
			t.Errorf("%s is behind the code: run go test ./assurance/attest -update (-file +code):\n%s", file, diff)
		}
	}
}

// The schema takes verdicts of every kind, and refuses what is none.
func TestVerdictSchema(t *testing.T) {
	var s map[string]any
	if err := json.Unmarshal(VerdictSchema(), &s); err != nil {
		t.Fatal(err)
	}
	form := func(v assurance.Verdict) (out map[string]any) {
		data, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(data, &out)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for name, v := range map[string]assurance.Verdict{
		"passed": at.Judged(nil), "failed": at.Judged(failing), "of no evidence": assurance.Judge(assurance.Evidence{}),
		"refused": at.Judged(func(e *assurance.Evidence) { e.Stop.Refusal = &assurance.Refusal{Code: "no-fence", Msg: "m"} }),
	} {
		if faults := against(s, form(v), "verdict"); len(faults) > 0 {
			t.Errorf("%s: %q", name, faults)
		}
	}
	for name, edit := range map[string]func(map[string]any){
		"an unknown key": func(v map[string]any) { v["x"] = 1 }, "no clauses": func(v map[string]any) { delete(v, "clauses") },
		"a level that is a number": func(v map[string]any) { v["val"] = 1.0 },
		"an unknown key far below": func(v map[string]any) { v["clauses"].([]any)[0].(map[string]any)["x"] = 1 },
	} {
		v := form(at.Judged(nil))
		edit(v)
		if len(against(s, v, "verdict")) == 0 {
			t.Errorf("%s is taken", name)
		}
	}
}

// against validates, as far as the schema's few words go.
func against(schema map[string]any, v any, where string) (faults []string) {
	types, list := schema["type"].([]any)
	if !list {
		types = []any{schema["type"]}
	}
	if kind := kindOf(v); !slices.ContainsFunc(types, func(t any) bool { return t == kind || t == "number" && kind == "integer" }) {
		return []string{fmt.Sprintf("%s is %s, want %v", where, kind, types)}
	}
	switch v := v.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for key, value := range v {
			next, ok := properties[key].(map[string]any)
			if !ok {
				if next, ok = schema["additionalProperties"].(map[string]any); !ok {
					faults = append(faults, where+" has the unknown key "+key)
					continue
				}
			}
			faults = append(faults, against(next, value, where+"."+key)...)
		}
		required, _ := schema["required"].([]any)
		for _, key := range required {
			if _, ok := v[key.(string)]; !ok {
				faults = append(faults, fmt.Sprintf("%s lacks %s", where, key))
			}
		}
	case []any:
		for i, value := range v {
			faults = append(faults, against(schema["items"].(map[string]any), value, fmt.Sprintf("%s[%d]", where, i))...)
		}
	}
	return faults
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
