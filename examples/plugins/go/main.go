// Command go is a plugin for Lane that mistakes units of time in Go: a second for a minute, a millisecond for a microsecond.
//
//	GOOS=wasip1 GOARCH=wasm go build -o units.wasm ./examples/plugins/go
//	sha256sum units.wasm
//
// docs/plugins.md says how a spec names it.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
)

// question is what Lane asks. A plugin may leave out what it does not need.
type question struct {
	Ask    string `json:"ask"`
	File   string `json:"file"`
	Source string `json:"source"`
}

type edit struct {
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Text   string `json:"text"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// mistakes are the units that people confuse.
var mistakes = map[string]string{
	"Nanosecond": "Microsecond", "Microsecond": "Millisecond", "Millisecond": "Microsecond", "Second": "Minute", "Minute": "Second", "Hour": "Minute",
}

func main() {
	var q question
	if err := json.NewDecoder(os.Stdin).Decode(&q); err != nil {
		fail(err)
	}
	answer := map[string]any{"lane_plugin": 1}
	switch q.Ask {
	case "hello":
		answer["name"], answer["languages"] = "units", []string{"go"}
	case "mutate":
		answer["edits"] = units(q)
	default:
		fail(fmt.Errorf("unknown question %q", q.Ask))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// units finds what is selected from package time. A file that does not parse has no mutants.
func units(q question) []edit {
	edits := []edit{}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, q.File, q.Source, parser.SkipObjectResolution)
	if err != nil {
		return edits
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && mistakes[s.Sel.Name] != "" {
			start := files.Position(s.Sel.Pos()).Offset
			edits = append(edits, edit{start, start + len(s.Sel.Name), mistakes[s.Sel.Name], "unit", "units of time are easily confused"})
		}
		return true
	})
	return edits
}
