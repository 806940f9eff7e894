package python

import (
	"context"
	"fmt"
	"strconv"

	"github.com/vallane/lane/mutate"
)

// AridGenerated is why mutants of generated files are listed and counted, and not tested by default.
const AridGenerated = "generated code"

// verdict is what the script says of a file in another form.
type verdict struct {
	Functions []function
	Generated bool
	Known     string
	Why       string
}

// function is [name, first line of its body, last line].
type function [3]any

func (f function) place() (name string, body mutate.Range) {
	name, _ = f[0].(string)
	first, _ := f[1].(float64)
	last, _ := f[2].(float64)
	return name, mutate.Range{Start: int(first), End: int(last)}
}

// Annotate adds to reverts what Python knows about them: the function that they lie in, which tests reach them, whether they
// compile, whether they change anything but layout and comments. Mutants of other files and of other origins are left as they
// are. The ids do not change.
func Annotate(ctx context.Context, o Options, ms []mutate.Mutant) error {
	files := map[string][]byte{}
	var edits []map[string]string
	var of []*mutate.Mutant
	heads := map[string]string{}
	for i := range ms {
		m := &ms[i]
		if m.Origin != mutate.Revert || m.Kind != mutate.Edit || !IsSource(m.File) {
			continue
		}
		src, err := readSource(o.Tree, m.File)
		if err != nil {
			return err
		}
		other, err := m.Apply(src)
		if err != nil {
			m.Known, m.Why = mutate.Unviable, err.Error()
			continue
		}
		if heads[m.File] == "" {
			heads[m.File] = boxDir + "src/head" + strconv.Itoa(len(heads))
			files[heads[m.File]] = src
		}
		at := boxDir + "src/" + strconv.Itoa(len(edits))
		files[at] = other
		edits = append(edits, map[string]string{"head": heads[m.File], "other": at})
		of = append(of, m)
	}
	if len(edits) == 0 {
		return nil
	}
	var answer []verdict
	if err := o.ask(ctx, map[string]any{"edits": edits}, files, &answer); err != nil {
		return err
	}
	if len(answer) != len(of) {
		return fmt.Errorf("read Python sources: %d edits were asked, %d answered", len(of), len(answer))
	}
	for i, v := range answer {
		of[i].Known, of[i].Why = mutate.Verdict(v.Known), v.Why
		if v.Generated && of[i].Arid == "" {
			of[i].Arid = AridGenerated
		}
		locate(of[i], v.Functions)
	}
	return nil
}

// locate finds the function that a hunk lies in. Where it touches anything else, which any code may use, lines cannot tell who
// reaches it.
func locate(m *mutate.Mutant, functions []function) {
	start, end := m.Line, m.EndLine
	if m.Length == 0 {
		end-- // a deletion lies before its line
	}
	for _, f := range functions {
		if name, body := f.place(); body.Start <= start && end <= body.End {
			m.Func, m.Reach = name, body
		}
	}
}
