package golang

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/vallane/lane/mutate"
)

// RecordDir is the folder of the box in which a recorded run leaves what it noted, a file for each package.
const RecordDir = "/cache/go-build"

// noted is what recorded runs note of one package.
type noted struct {
	file      string // of RecordDir
	words     int
	functions bytes.Buffer // of its sites
	turns     []int        // words in which the loops are counted, by their numbers; 0 = nobody counts
	limits    string       // the file that says how often they may go round
}

// notes returns what is noted of the package in a folder. Its record begins with a word that is 1.
func (w *switcher) notes(dir string) *noted {
	n := w.noted[dir]
	if n == nil {
		n = &noted{file: fmt.Sprintf("%s/lane-%s-%d", RecordDir, w.name, len(w.noted)), words: 1, limits: fmt.Sprintf("%s-%d", TurnsFile, len(w.noted))}
		w.noted[dir] = n
	}
	return n
}

// recorded returns the body of a function as a recorded run has it; nil where there is nothing to note, or where the result would not
// compile.
func (w *switcher) recorded(s *source, ms []switchedMutant, loops []loop) []byte {
	p, fn := ms[0].c.pkg, ms[0].c.fn
	sites := p.sites(ms)
	n := w.notes(path.Dir(s.path))
	entered, at := n.words, n.words+1
	for i := range loops {
		loops[i].word = at
		at++
	}
	counted := slices.Concat(loops, p.blocks(fn))
	for i := len(loops); i < len(counted); i++ {
		counted[i].word = at
		at++
	}
	slices.SortFunc(counted, func(a, b loop) int { return a.after - b.after })
	var functions strings.Builder
	for _, x := range sites {
		x.name, x.at = fmt.Sprintf("lane%s_%d", w.name, at), at
		at += x.words()
		functions.WriteString(x.function("note"+w.name, "count"+w.name))
	}
	from, to := bodyOf(p, fn)
	body := p.withSites(sites, from, to, s.src, func(from, to int) string {
		return turning(s.src, counted, from, to, func(l loop) string { return fmt.Sprintf("count%s(%d)", w.name, l.word) })
	})
	body = fmt.Sprintf(" count%s(%d);", w.name, entered) + body
	if !p.compiles(s, fn, edit{from, to, body}, w.declared(s)+functions.String()) {
		return nil
	}
	n.words = at
	for _, l := range loops {
		n.turns[l.number] = l.word
	}
	n.functions.WriteString(functions.String())
	f := mutate.Counted{Record: n.file, At: entered}
	for _, m := range ms {
		f.Mutants = append(f.Mutants, m.m.ID)
	}
	w.out.Functions = append(w.out.Functions, f)
	for _, x := range sites {
		site := mutate.Site{Record: n.file, At: x.at}
		for _, m := range x.mutants {
			site.Mutants = append(site.Mutants, m.ID)
		}
		w.out.Sites = append(w.out.Sites, site)
	}
	return []byte(body)
}

// blocks are those of a function's body that need not be entered whenever it is, but for the loops that are counted anyway.
func (p *pkg) blocks(fn *ast.FuncDecl) (out []loop) {
	apart := map[*ast.BlockStmt]bool{fn.Body: true}
	add := func(pos token.Pos) { out = append(out, loop{after: p.fset.PositionFor(pos, false).Offset + 1}) }
	ast.Inspect(fn.Body, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.ForStmt:
			apart[x.Body] = true
		case *ast.SwitchStmt:
			apart[x.Body] = true // holds clauses alone, as do the next two
		case *ast.TypeSwitchStmt:
			apart[x.Body] = true
		case *ast.SelectStmt:
			apart[x.Body] = true
		case *ast.CaseClause:
			add(x.Colon)
		case *ast.CommClause:
			add(x.Colon)
		case *ast.BlockStmt:
			if !apart[x] {
				add(x.Lbrace)
			}
		}
		return true
	})
	return out
}

// declared stands, where a body is checked, for the file that the package gets.
func (w *switcher) declared(s *source) string {
	return fmt.Sprintf("package %s\nfunc note%s(int) {}\nfunc count%s(int) {}\n", s.ast.Name.Name, w.name, w.name)
}

// sites finds the expressions of some mutants, outer ones before those within.
func (p *pkg) sites(ms []switchedMutant) []*site {
	found := map[ast.Expr]*site{}
	var out []*site
	for _, m := range ms {
		if m.c.value.of == nil {
			continue
		}
		e := ast.Unparen(m.c.value.of)
		s, known := found[e]
		if !known {
			if s = p.newSite(e); s != nil {
				out = append(out, s)
			}
			found[e] = s
		}
		if s != nil {
			p.take(s, m.m, m.c.value)
		}
	}
	out = slices.DeleteFunc(out, func(s *site) bool { return len(s.values) == 0 })
	slices.SortFunc(out, func(a, b *site) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	return out
}

// withSites is the source of a range with the sites in it written as they are recorded. plain is what stands for a range between them.
func (p *pkg) withSites(sites []*site, from, to int, src []byte, plain func(from, to int) string) string {
	offset := func(pos token.Pos) int { return p.fset.PositionFor(pos, false).Offset }
	var render func(inner []*site) func(from, to int) string
	render = func(inner []*site) func(from, to int) string {
		return func(from, to int) string {
			var b strings.Builder
			at := from
			for i, x := range inner {
				if x.from < at || x.to > to {
					continue // in the last one, or elsewhere
				}
				b.WriteString(plain(at, x.from))
				b.WriteString(x.text(src, offset, render(inner[i+1:])))
				at = x.to
			}
			b.WriteString(plain(at, to))
			return b.String()
		}
	}
	return render(sites)(from, to)
}

// compiles reports whether a function does with an edit, beside one more file of its package.
func (p *pkg) compiles(s *source, fn *ast.FuncDecl, e edit, beside string) bool {
	f, err := parser.ParseFile(p.fset, "beside.go", beside, parser.SkipObjectResolution)
	if f != nil {
		defer p.fset.RemoveFile(p.fset.File(f.FileStart))
	}
	if err != nil {
		return false
	}
	v := p.viableIn(s, fn, e, f)
	return v.known && !v.bad
}

// recorder is the part of a package's file that writes the record: into memory that is the file's, so that however a process ends,
// nothing of it is lost, and what its children note is there as well.
const recorder = `
var wordsID []uint32

func openID() {
	fd, err := kernelID.Open(RECORD, kernelID.O_RDWR|kernelID.O_CREAT|kernelID.O_CLOEXEC, 0600)
	if err == nil {
		err = kernelID.Ftruncate(fd, 4*WORDS)
	}
	if err != nil {
		panic(err)
	}
	memory, err := kernelID.Mmap(fd, 0, 4*WORDS, kernelID.PROT_READ|kernelID.PROT_WRITE, kernelID.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	kernelID.Close(fd)
	wordsID = (*[1 << 26]uint32)(unsafeID.Pointer(&memory[0]))[:WORDS:WORDS]
	noteID(0)
}

func noteID(at int) {
	if atomicID.LoadUint32(&wordsID[at]) == 0 {
		atomicID.StoreUint32(&wordsID[at], 1)
	}
}

func countID(at int) {
	if atomicID.LoadUint32(&wordsID[at]) < 1<<31 {
		atomicID.AddUint32(&wordsID[at], 1)
	}
}
`
