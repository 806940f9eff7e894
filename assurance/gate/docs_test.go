package gate_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/gate"
)

var update = flag.Bool("update", false, "write the generated parts of docs/verdict.md anew")

// docs/verdict.md has the closed lists as the code has them, and names every field.
func TestDocs(t *testing.T) {
	const file = "../../docs/verdict.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	for name, table := range tables() {
		begin := "<!-- generated " + name + " -->\n"
		before, rest, found := strings.Cut(doc, begin)
		_, after, ended := strings.Cut(rest, "<!-- end -->")
		if !found || !ended {
			t.Fatalf("%s has no place for the list of %s", file, name)
		}
		doc = before + begin + "\n" + table + "\n<!-- end -->" + after
	}
	if *update {
		if err := os.WriteFile(file, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if doc != string(data) {
		t.Errorf("%s is behind the code: run go test -update here", file)
	}
	_, fields, _ := strings.Cut(doc, "<!-- fields -->")
	v := reflect.TypeFor[assurance.Verdict]()
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Field(i).Tag.Get("json"), ",")
		if !strings.Contains(fields, "`"+key+"`") {
			t.Errorf("%s does not say what %s is", file, key)
		}
	}
}

func tables() map[string]string {
	table := func(head string, rows ...string) string {
		return "| " + head + " |\n|" + strings.Repeat("---|", strings.Count(head, "|")+1) + "\n" + strings.Join(rows, "\n") + "\n"
	}
	var outcomes, exits, clauses, codes, refusals, steps []string
	for _, m := range assurance.Outcomes() {
		exit := fmt.Sprint(int(m.Exit))
		switch m.Outcome {
		case assurance.OutcomePassed:
			exit += ", or 4 below what is required"
		case assurance.Interrupted:
			exit += ", or 143 for SIGTERM"
		}
		outcomes = append(outcomes, fmt.Sprintf("| `%s` | %s | %s | %s |", m.Outcome, m.Means, m.Blame, exit))
	}
	for _, m := range assurance.ExitCodes() {
		exits = append(exits, fmt.Sprintf("| %d | %s |", m.Code, m.Means))
	}
	for _, m := range assurance.Clauses() {
		clauses = append(clauses, fmt.Sprintf("| %s %s | `%s` | %s |", m.Level, m.Level.Means(), m.ID, m.Means))
	}
	for _, m := range assurance.ClauseCodes() {
		codes = append(codes, fmt.Sprintf("| `%s` | %s |", m.Name, m.Means))
	}
	for _, m := range assurance.RefusalCodes() {
		refusals = append(refusals, fmt.Sprintf("| `%s` | %s |", m.Name, m.Means))
	}
	for i, s := range gate.Steps() {
		steps = append(steps, fmt.Sprintf("| %d | `%s` | %s |", i+1, s, s.Means()))
	}
	return map[string]string{
		"outcomes": table("outcome | says | blame | exit", outcomes...),
		"exits":    table("exit | means", exits...),
		"clauses":  table("level | clause | holds where", clauses...),
		"codes":    table("code | means", codes...),
		"refusals": table("code | means", refusals...),
		"gate":     table("step | name | asks whether", steps...),
	}
}
