package shell

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/edit"
)

// Extensions lists the extensions of files that are read.
func Extensions() []string { return []string{".bash", ".sh"} }

// IsSource reports whether a path is a script. Which of them are tests is not for this package to say.
func IsSource(p string) bool { return slices.Contains(Extensions(), path.Ext(p)) }

// isScript reports whether a file is a script: by its suffix, or where it has none, by the interpreter that its first line names.
func isScript(name string, src []byte) bool {
	return IsSource(name) || path.Ext(name) == "" && shebang.Match(src)
}

var shebang = regexp.MustCompile(`^#!\s*(\S*/)?(env\s+(-S\s+)?)?(ba|da|a)?sh\s`)

// Options says where code is found. Tree is needed.
type Options struct {
	// Tree is the head tree.
	Tree fs.FS
	// Operators to use, by name; nil = all of Operators().
	Operators []string
}

// Result is what was found in some files.
type Result struct {
	Mutants []mutate.Mutant // in the order of files and places
	// Unparsed names files that are not read, with the reason: they have no mutants but reverts.
	Unparsed map[string]string

	opts Options
	read map[string]bool
}

// Read reports whether a file was read.
func (r *Result) Read(file string) bool { return r.read[file] }

// Find returns every mutant of the given files, and leaves it to Prove which of them are still scripts. Files of other languages are
// passed over.
func Find(o Options, files []string) (*Result, error) {
	res := &Result{Unparsed: map[string]string{}, opts: o, read: map[string]bool{}}
	for _, name := range files {
		if !IsSource(name) && path.Ext(name) != "" {
			continue
		}
		src, err := fs.ReadFile(o.Tree, name)
		if err != nil {
			return nil, fmt.Errorf("find mutants: %w", err)
		}
		if !isScript(name, src) {
			continue
		}
		file, err := parse(src)
		if err != nil {
			res.Unparsed[name] = err.Error()
			continue
		}
		w := &walker{everywhere: unwanted(src, file), f: edit.New(name, src), operators: o.Operators}
		w.walk(file)
		res.Mutants = append(res.Mutants, w.f.Mutants()...)
		res.read[name] = true
	}
	return res, nil
}

// Prove finds out which of the mutants are still scripts; the others get Known = unviable. Mutants that this Result does not hold are left
// alone.
func (r *Result) Prove(ms []*mutate.Mutant) error {
	for _, m := range ms {
		if m.Origin != mutate.Own || !r.read[m.File] {
			continue
		}
		src, err := fs.ReadFile(r.opts.Tree, m.File)
		if err != nil {
			return fmt.Errorf("check mutants: %w", err)
		}
		out, err := m.Apply(src)
		if err == nil {
			_, err = parse(out)
		}
		if err != nil {
			m.Known, m.Why = mutate.Unviable, "it is no script any more: "+err.Error()
		}
	}
	return nil
}

// Annotate adds to reverts what the language knows about them: the function that they lie in, whether they are scripts, whether they change
// anything but layout and comments. Mutants of other files and of other origins are left as they are.
func Annotate(o Options, ms []mutate.Mutant) error {
	for i := range ms {
		m := &ms[i]
		if m.Origin != mutate.Revert || m.Kind != mutate.Edit || !IsSource(m.File) && path.Ext(m.File) != "" {
			continue
		}
		src, err := fs.ReadFile(o.Tree, m.File)
		if err != nil {
			return fmt.Errorf("check reverts: %w", err)
		}
		if !isScript(m.File, src) {
			continue
		}
		head, err := parse(src)
		if err != nil {
			continue // nothing is known of it
		}
		other, err := m.Apply(src)
		if err != nil {
			m.Known, m.Why = mutate.Unviable, err.Error()
			continue
		}
		m.Func = functionAt(head, m.Offset, m.Offset+m.Length)
		base, err := parse(other)
		switch {
		case err != nil:
			m.Known, m.Why = mutate.Unviable, err.Error()
		case bare(head) == bare(base) && bare(head) != "" && !startsElsewhere(src, other):
			m.Known, m.Why = mutate.Equivalent, "it differs in layout and comments alone"
		}
	}
	return nil
}

// startsElsewhere reports whether two scripts name different interpreters.
func startsElsewhere(a, b []byte) bool {
	first, _, _ := bytes.Cut(a, []byte("\n"))
	other, _, _ := bytes.Cut(b, []byte("\n"))
	return (bytes.HasPrefix(first, []byte("#!")) || bytes.HasPrefix(other, []byte("#!"))) && !bytes.Equal(first, other)
}

func functionAt(f *syntax.File, start, end int) (name string) {
	syntax.Walk(f, func(n syntax.Node) bool {
		if d, ok := n.(*syntax.FuncDecl); ok && d.Name != nil && int(d.Pos().Offset()) <= start && end <= int(d.End().Offset()) {
			name = d.Name.Value
		}
		return true
	})
	return name
}

// bare is a script without layout and comments; "" where it cannot be written so.
func bare(f *syntax.File) string {
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.Minify(true)).Print(&b, f); err != nil {
		return ""
	}
	return b.String()
}

// Canary returns a script in a form that ends as it begins, for the engine: a run that does not notice it does not use the file. It knows
// scripts only.
func Canary(p string, src []byte) ([]byte, bool) {
	if !isScript(p, src) {
		return nil, false
	}
	eol := "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		eol = "\r\n"
	}
	at := 0
	if bytes.HasPrefix(src, []byte("#!")) {
		end := bytes.IndexByte(src, '\n')
		if end < 0 {
			return append(slices.Clone(src), "\nexit 86\n"...), true
		}
		at = end + 1
	}
	return slices.Concat(src[:at], []byte("exit 86"+eol), src[at:]), true
}
