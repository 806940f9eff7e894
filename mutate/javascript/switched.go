package javascript

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/treesitter"
)

// Switched is source text that holds many mutants at once; a value that the program reads when it starts selects one.
//
// Every mutant is a whole copy of the body of the innermost function that it lies in, as the same edit makes it in a file of its own, in
// one case of a switch that is the function's body now. The original is the default case and comes first, so that it keeps the lines that
// it had; what stands below it in the file does not.
type Switched struct {
	Files map[string][]byte // to be laid over the tree, by path
	Value map[string]string // by mutant's id; a mutant that is not in it cannot be switched
	Null  map[string]string // by file: selects copies of the bodies as they are

	copies map[string][]copied // by file, in the order of lines
}

// copied is where the copy of a mutant stands.
type copied struct {
	mutant string // its id
	lines  mutate.Range
}

// place is how compilers name a line: "src/cart.ts(12,5)", "src/cart.ts:12:5".
var place = regexp.MustCompile(`([\w@./-]+\.\w+)[(:](\d+)[,:]\d+`)

// Named lists the mutants whose copies a build complains of. What it says of other lines names nobody.
func (s *Switched) Named(output string) (ids []string) {
	for _, m := range place.FindAllStringSubmatch(output, -1) {
		line, _ := strconv.Atoi(m[2])
		for file, copies := range s.copies {
			if !strings.HasSuffix("/"+file, "/"+strings.TrimLeft(m[1], "./")) && !strings.HasSuffix(m[1], "/"+file) {
				continue
			}
			for _, c := range copies {
				if c.lines.Overlaps(line, line) && !slices.Contains(ids, c.mutant) {
					ids = append(ids, c.mutant)
				}
			}
		}
	}
	return ids
}

// SwitchFile is where the program looks for the value, in decimal digits. Without it the program fails: a switch that is not set would
// make every mutant a survivor.
const SwitchFile = "/lane/node/switch"

// maxSwitched bounds the bytes that copies add to one file: all of them are read each time that the program starts (about a tenth of a
// second for as many).
const maxSwitched = 1 << 20

// Switch puts mutants into the text of their files. It takes those whose edit lies within the body of a function that means the same in
// a block of its own; the rest, and code outside of functions, is left to runs of its own. The seed chooses values and names, so that
// code cannot tell a mutant's value from that of a null mutant.
func (r *Result) Switch(ctx context.Context, ms []*mutate.Mutant, seed [32]byte) (out *Switched, err error) {
	w := &switcher{rand: rand.New(rand.NewChaCha8(seed))}
	w.name = fmt.Sprintf("lane%016x", w.rand.Uint64())
	w.next = 1 + w.rand.IntN(1<<24)
	w.out = &Switched{Files: map[string][]byte{}, Value: map[string]string{}, Null: map[string]string{}, copies: map[string][]copied{}}
	parsers := treesitter.Parsers{}
	defer func() { err = errors.Join(err, parsers.Close(ctx)) }()
	byFile := map[string][]*mutate.Mutant{}
	var order []string
	for _, m := range ms {
		if _, own := r.whole[m.ID]; !own || m.Known != "" || m.Kind != mutate.Edit {
			continue
		}
		if byFile[m.File] == nil {
			order = append(order, m.File)
		}
		byFile[m.File] = append(byFile[m.File], m)
	}
	for _, name := range order {
		src, err := fs.ReadFile(r.opts.Tree, name)
		if err != nil {
			return nil, fmt.Errorf("switch mutants: %w", err)
		}
		root, err := parsers.Of(grammarOf(name)).Parse(ctx, src)
		if err != nil {
			return nil, fmt.Errorf("switch mutants of %s: %w", name, err)
		}
		w.file(name, src, root, byFile[name])
	}
	return w.out, nil
}

type switcher struct {
	rand *rand.Rand
	name string // random, the beginning of every identifier that is added
	next int    // the next value: those of one function follow each other, so that an engine can jump to a case
	out  *Switched
}

// A body is the text of a function that is copied: without its braces and directives.
type body struct {
	span
	expression bool // of an arrow function, in place of statements
	directive  bool // it stands behind one, which a semicolon may have to end
	ms         []*mutate.Mutant
}

// file writes one file with its mutants in it.
func (w *switcher) file(name string, src []byte, root *node, ms []*mutate.Mutant) {
	bodies := bodiesOf(grammarOf(name), src, root)
	for _, m := range ms {
		if b := innermost(bodies, m); b != nil {
			b.ms = append(b.ms, m)
		}
	}
	slices.SortFunc(bodies, func(a, b *body) int { return cmp.Compare(a.start, b.start) })
	null, added := w.next, 0
	w.next++
	inserts := []insert{w.reader(name, src, root, null)}
	var ends []insert
	for _, b := range bodies {
		size := (len(b.ms) + 1) * (b.end - b.start + 32)
		if len(b.ms) == 0 || added+size > maxSwitched {
			continue
		}
		added += size
		start, end := w.cases(src, b)
		inserts, ends = append(inserts, start), append(ends, end)
	}
	if added == 0 {
		return
	}
	slices.Reverse(ends) // where two bodies end in one place, the inner one ends first
	w.out.Files[name], w.out.copies[name] = inserted(src, append(inserts, ends...))
	w.out.Null[name] = strconv.Itoa(null)
}

// innermost is the smallest of the bodies that holds all of a mutant's edit; nil where none does.
func innermost(bodies []*body, m *mutate.Mutant) (in *body) {
	for _, b := range bodies {
		if b.start <= m.Offset && m.Offset+m.Length <= b.end && (in == nil || b.end-b.start < in.end-in.start) {
			in = b
		}
	}
	return in
}

// cases makes a body the default of a switch and adds a case for each mutant, and one that changes nothing.
func (w *switcher) cases(src []byte, b *body) (start, end insert) {
	order := w.rand.Perm(len(b.ms) + 1)
	first := w.next
	w.next += len(order)
	texts, ids := make([][]byte, len(order)), make([]string, len(order))
	null := first + order[len(b.ms)]
	texts[order[len(b.ms)]] = src[b.start:b.end]
	for i, m := range b.ms {
		w.out.Value[m.ID], ids[order[i]] = strconv.Itoa(first+order[i]), m.ID
		texts[order[i]] = slices.Concat(src[b.start:m.Offset], []byte(m.Replacement), src[m.Offset+m.Length:b.end])
	}
	head := fmt.Sprintf("switch(%s(%d)){default:", w.name, null)
	if b.directive {
		head = ";" + head
	}
	open, shut := "{", "}break;"
	if b.expression {
		head, open, shut = "{"+head, "return(", ");"
	}
	var rest bytes.Buffer
	rest.WriteString(shut)
	end = insert{at: b.end}
	for i, text := range texts {
		from := bytes.Count(rest.Bytes(), newline) + 1
		fmt.Fprintf(&rest, "\ncase %d:%s%s%s", first+i, open, text, shut)
		if ids[i] != "" {
			end.copies = append(end.copies, copied{ids[i], mutate.Range{Start: from, End: from + bytes.Count(text, newline)}})
		}
	}
	rest.WriteString("\n}")
	if b.expression {
		rest.WriteString("}")
	}
	end.text = rest.String()
	return insert{at: b.start, text: head + open}, end
}

// An insert is a text that is put in front of a byte of a source.
type insert struct {
	at     int
	text   string
	copies []copied // that it holds, by its own lines from 0
}

// inserted puts texts into a source, and says where the copies in them are then. Of texts at one place, those that come later in the list
// stand later.
func inserted(src []byte, inserts []insert) ([]byte, []copied) {
	slices.SortStableFunc(inserts, func(a, b insert) int { return cmp.Compare(a.at, b.at) })
	var out bytes.Buffer
	var copies []copied
	at, line := 0, 1
	for _, in := range inserts {
		out.Write(src[at:in.at])
		line += bytes.Count(src[at:in.at], newline)
		for _, c := range in.copies {
			copies = append(copies, copied{c.mutant, mutate.Range{Start: line + c.lines.Start, End: line + c.lines.End}})
		}
		out.WriteString(in.text)
		line += strings.Count(in.text, "\n")
		at = in.at
	}
	out.Write(src[at:])
	return out.Bytes(), copies
}

var newline = []byte{'\n'}
