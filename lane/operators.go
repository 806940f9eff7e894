package lane

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/mutate"
	scripts "github.com/vallane/lane/mutate/shell"
	"github.com/vallane/lane/mutate/syntax"
	"github.com/vallane/lane/mutate/text"
)

// untyped holds the candidates of languages that any command may test: Rust, Java, Ruby, C, scripts, and what a lexer can tell of other
// files. nil where none were sought.
type untyped struct {
	syntax *syntax.Result
	shell  *scripts.Result
	text   *text.Result
}

// findUntyped makes their candidates.
func (j *job) findUntyped(ctx context.Context, head fs.FS, files []string) (all []mutate.Mutant, err error) {
	if j.untyped.syntax, err = syntax.Find(ctx, syntax.Options{Tree: head}, files); err != nil {
		return nil, err
	}
	if j.untyped.shell, err = scripts.Find(scripts.Options{Tree: head}, files); err != nil {
		return nil, err
	}
	if j.untyped.text, err = text.Find(text.Options{Tree: head}, files); err != nil {
		return nil, err
	}
	for _, unparsed := range []map[string]string{j.untyped.syntax.Unparsed, j.untyped.shell.Unparsed} {
		for _, name := range keys(unparsed) {
			j.note(fmt.Sprintf("%s has no mutants but hunks put back to base: %s", name, unparsed[name]))
		}
	}
	for _, name := range keys(j.untyped.text.Unparsed) {
		j.note(fmt.Sprintf("%s does not have all mutants: %s", name, j.untyped.text.Unparsed[name]))
	}
	for _, name := range keys(j.untyped.syntax.Unread) {
		j.note(fmt.Sprintf("%s has no mutants but hunks put back to base in %s, which its grammar does not know", name, lineRanges(j.untyped.syntax.Unread[name])))
	}
	return slices.Concat(j.untyped.syntax.Mutants, j.untyped.shell.Mutants, j.untyped.text.Mutants), nil
}

// holding keeps the files of code and configuration that tests may notice a fault of: none that npm installed, and of what is vendored
// what the change edits.
func (j *job) holding(head fs.FS, files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(name string) bool {
		k := j.kind(name)
		return k != assurance.FileCode && k != assurance.FileConfig && !isScript(head, name) || j.isSpec(name) || isEnvironment(j.evidence.Plan.Change, name) ||
			isInstalled(name) || isVendored(name) && j.changedLines[name] == nil
	})
}

// lineRanges writes ranges of lines for people, a few of them.
func lineRanges(all []mutate.Range) string {
	var out []string
	for i, r := range all {
		if i == 5 {
			out = append(out, fmt.Sprintf("%d more", len(all)-i))
			break
		}
		if r.Start == r.End {
			out = append(out, fmt.Sprintf("line %d", r.Start))
		} else {
			out = append(out, fmt.Sprintf("lines %d to %d", r.Start, r.End))
		}
	}
	return strings.Join(out, ", ")
}

func (u *untyped) prove(ctx context.Context, ms []*mutate.Mutant) error {
	if u.syntax == nil {
		return nil
	}
	if err := u.syntax.Prove(ctx, ms); err != nil {
		return err
	}
	if err := u.shell.Prove(ms); err != nil {
		return err
	}
	return u.text.Prove(ms)
}

// read reports whether a file was read by the grammar of its language, in all lines that the change touches.
func (u *untyped) read(name string, changed map[string][]mutate.Range) bool {
	if u.syntax == nil {
		return false
	}
	for _, r := range u.syntax.Unread[name] {
		lines, some := changed[name]
		if !some || slices.ContainsFunc(lines, func(l mutate.Range) bool { return l.Overlaps(r.Start, r.End) }) {
			return false
		}
	}
	return u.syntax.Read(name) || u.shell.Read(name)
}

func annotateUntyped(ctx context.Context, head fs.FS, reverts []mutate.Mutant) error {
	if err := syntax.Annotate(ctx, syntax.Options{Tree: head}, reverts); err != nil {
		return err
	}
	return scripts.Annotate(scripts.Options{Tree: head}, reverts)
}

func untypedCanary(path string, src []byte) ([]byte, bool) {
	for _, make := range []func(string, []byte) ([]byte, bool){syntax.Canary, scripts.Canary, text.Canary} {
		if out, ok := make(path, src); ok {
			return out, true
		}
	}
	return nil, false
}
