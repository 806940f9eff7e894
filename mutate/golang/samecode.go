package golang

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/vallane/lane/mutate"
)

// Copies is source text in which each mutant stands as a function of its own, beside the one that it was made from, so that one
// compilation makes code of all of them. Nothing calls the copies, and nothing is run.
type Copies struct {
	Files map[string][]byte // to be laid over the tree, by path
	Dirs  []string          // folders of the packages

	mark  string         // stands in the name of each copy, before its number
	names *regexp.Regexp // the mark and the number
	ids   []string       // by number
}

// Copies puts mutants into the text of their files, as [Result.Switch] does, and leaves out the same ones and those of generic
// functions, of which no code is made until somebody uses them.
func (r *Result) Copies(ms []*mutate.Mutant, seed [32]byte) *Copies {
	out := &Copies{Files: map[string][]byte{}, mark: fmt.Sprintf("_lane%016x_", rand.New(rand.NewChaCha8(seed)).Uint64())}
	out.names = regexp.MustCompile(out.mark + `([0-9]+)`)
	for _, m := range ms {
		c := r.candidates[m.ID]
		if c == nil || c.fn == nil || isGeneric(c.fn) || c.fn.Name.Name == "_" || !(&switchedMutant{m: m, c: c}).switchable() {
			continue
		}
		text := out.Files[c.src.path]
		if text == nil {
			text = bytes.Clone(c.src.src)
			out.Dirs = append(out.Dirs, path.Dir(c.src.path))
		}
		if len(text)-len(c.src.src) > maxSwitched {
			continue
		}
		out.Files[c.src.path] = append(text, c.copied(m, fmt.Sprint(out.mark, len(out.ids)))...)
		out.ids = append(out.ids, m.ID)
	}
	slices.Sort(out.Dirs)
	out.Dirs = slices.Compact(out.Dirs)
	return out
}

func isGeneric(fn *ast.FuncDecl) bool {
	if fn.Recv == nil {
		return fn.Type.TypeParams != nil
	}
	found := false
	for _, f := range fn.Recv.List {
		ast.Inspect(f.Type, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.IndexExpr, *ast.IndexListExpr:
				found = true
			}
			return !found
		})
	}
	return found
}

// copied is the mutant's function with a longer name.
func (c *candidate) copied(m *mutate.Mutant, suffix string) []byte {
	at := func(pos token.Pos) int { return c.pkg.fset.PositionFor(pos, false).Offset }
	src, start, name, end := c.src.src, at(c.fn.Type.Func), at(c.fn.Name.End()), at(c.fn.End())
	return slices.Concat([]byte("\n"), src[start:name], []byte(suffix), src[name:m.Offset], []byte(m.Replacement), src[m.Offset+m.Length:end], []byte("\n"))
}

// Same reads what the compiler lists of its code (-S), and returns the ids of the mutants whose code is the original's: size, frame,
// every byte, what is referred to, and the same of the functions within. Where code came from is left aside, as are names: a
// copy goes by its original's. What is not listed, or refers to data of its own, is not called the same.
func (c *Copies) Same(listing io.Reader) (map[string]bool, error) {
	l, err := c.read(listing)
	if err != nil {
		return nil, err
	}
	found := map[part]bool{}
	differs := map[string]bool{}
	for name, sum := range l.code {
		if p, ok := c.partOf(name); ok {
			found[p] = true
			if was, ok := l.code[c.names.ReplaceAllString(name, "")]; !ok || was != sum {
				differs[p.number] = true
			}
		}
	}
	for p := range l.named {
		if !found[p] {
			differs[p.number] = true
		}
	}
	same := map[string]bool{}
	for i, id := range c.ids {
		number := fmt.Sprint(i)
		if found[part{number, ""}] && !differs[number] {
			same[id] = true
		}
	}
	return same, nil
}

// part is something that belongs to a copy: the function itself, or what the compiler names after it.
type part struct{ number, rest string }

func (c *Copies) partOf(name string) (part, bool) {
	if m := c.names.FindStringSubmatch(name); m != nil {
		_, rest, _ := strings.Cut(name, m[0])
		return part{m[1], rest}, true
	}
	return part{}, false
}

// position is where an instruction came from.
var position = regexp.MustCompile(`^(\t0x[0-9a-f]+ [0-9]+) \(.*?:[0-9]+\)`)

// listed is what a listing says.
type listed struct {
	code  map[string][32]byte // by name, a digest of what is listed for it
	named map[part]bool       // what code refers to of copies
}

// reference is how the name of something that belongs to a copy goes on where code refers to it.
var reference = regexp.MustCompile(`^[^\s(+,<]*`)

func (c *Copies) read(listing io.Reader) (listed, error) {
	out := listed{map[string][32]byte{}, map[part]bool{}}
	h, name := sha256.New(), ""
	done := func() {
		if name != "" {
			out.code[name] = [32]byte(h.Sum(nil))
		}
		h.Reset()
		name = ""
	}
	r := bufio.NewReader(listing)
	for {
		line, err := r.ReadString('\n')
		if err != nil && err != io.EOF {
			return out, fmt.Errorf("read the compiler's listing: %w", err)
		}
		if line != "" && line[0] != '\t' {
			done()
			at := slices.Max([]int{strings.Index(line, " STEXT "), strings.Index(line, " SRODATA ")})
			if at > 0 && !strings.HasPrefix(line, "type:") { // which describe types, methods by name, and are no code
				name = line[:at]
				io.WriteString(h, line[at:])
			}
		} else {
			line = position.ReplaceAllString(line, "$1")
			if _, copied := c.partOf(name); copied {
				c.note(line, out.named)
			}
			io.WriteString(h, c.names.ReplaceAllString(line, ""))
		}
		if err == io.EOF {
			done()
			return out, nil
		}
	}
}

// note finds what a line of a copy's code refers to of copies.
func (c *Copies) note(line string, named map[part]bool) {
	for _, at := range c.names.FindAllStringSubmatchIndex(line, -1) {
		named[part{line[at[2]:at[3]], reference.FindString(line[at[1]:])}] = true
	}
}
