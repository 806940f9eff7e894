package golang

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/mutate"
)

// Switched is source text that holds many mutants at once; a value that the program reads when it starts selects one.
//
// Every mutant is a whole copy of its function's body, as the same edit makes it in a file of its own, in one case of a switch at
// the head of the function. So it does not matter what the edit is, and what compiles alone compiles here. The original follows
// the switch, with the lines that it had. The initial value of a variable of the package becomes the call of such a function.
type Switched struct {
	Files map[string][]byte // to be laid over the tree, by path: the files with mutants, and one more for each package
	Value map[string]string // by mutant's id; a mutant that is not in it cannot be switched
	Null  map[string]string // by file: selects copies of the bodies as they are
	// Nulls are further values that do, by file, so that no value tells by how often it is used what it selects.
	Nulls map[string][]string

	// Record selects, in all files, copies of the bodies that do the same and note what mutants would make of their values; "" = there
	// are none. Each package leaves one of Records, absolute paths of the box, in which Sites have their words.
	Record  string
	Records []string
	Sites   []mutate.Site
	// Ended is left where a mutant's loop was ended, see [Switched.Limit].
	Ended string
	// Page is where the value lies, in four bytes of the processor's own order, while a program shares it, see [SwitchFile].
	Page string
	// Functions are those whose runs are counted in a record, each with the mutants in it.
	Functions []mutate.Counted
	turns     []*noted
}

// SwitchFile is where the program looks for the value, in decimal digits. Without it nothing is selected. Where an s follows the digits,
// the value is that of Page from then on: whoever writes there selects another mutant.
const SwitchFile = "/lane/go/switch"

// maxSwitched bounds the bytes that copies add to one file: a compiler needs time and memory for each.
const maxSwitched = 4 << 20

// Switch puts mutants into the text of their files. It takes those whose viability is proven and whose edit lies within the body
// of a declared function or in a short initial value; what labels, compiler directives, cgo or #line-like comments make delicate is
// left to a build of its own.
// The seed chooses values and names, so that code cannot tell a mutant's value from that of a null mutant.
func (r *Result) Switch(ms []*mutate.Mutant, seed [32]byte) *Switched {
	w := &switcher{r: r, rand: rand.New(rand.NewChaCha8(seed)), taken: map[string]bool{"0": true}, noted: map[string]*noted{}}
	w.name = fmt.Sprintf("%016x", w.rand.Uint64())
	w.out = &Switched{Ended: RecordDir + "/lane-" + w.name + "-ended", Page: RecordDir + "/lane-" + w.name + "-page", Files: map[string][]byte{}, Value: map[string]string{}, Null: map[string]string{}, Nulls: map[string][]string{}, Record: w.value()}
	byFile := map[*source][]switchedMutant{}
	var order []*source
	for _, m := range ms {
		c := r.candidates[m.ID]
		if c == nil {
			continue
		}
		x := switchedMutant{m: m, c: c}
		if !x.switchable() {
			continue
		}
		if byFile[c.src] == nil {
			order = append(order, c.src)
		}
		byFile[c.src] = append(byFile[c.src], x)
	}
	for _, s := range order {
		w.file(s, byFile[s])
	}
	for _, s := range order {
		if dir := path.Dir(s.path); w.out.Null[s.path] != "" {
			w.out.Files[path.Join(dir, "lane_"+w.name+".go")] = w.reader(s.ast.Name.Name, w.notes(dir))
		}
	}
	for _, n := range w.noted {
		if n.words > 1 {
			w.out.Records = append(w.out.Records, n.file)
		}
		if len(n.turns) > 0 {
			w.out.turns = append(w.out.turns, n)
		}
	}
	if slices.Sort(w.out.Records); len(w.out.Records) == 0 {
		w.out.Record = ""
	}
	return w.out
}

// switchedMutant is a mutant and what there is a copy of for it: the text of a range of its file.
type switchedMutant struct {
	m        *mutate.Mutant
	c        *candidate
	initial  *initial // nil = the body of its function
	from, to int
}

type switcher struct {
	r     *Result
	rand  *rand.Rand
	taken map[string]bool
	name  string            // random, part of every identifier that is added
	noted map[string]*noted // by folder
	out   *Switched
}

// switchable finds out what a mutant needs a copy of, and reports whether it can stand in a switch.
func (x *switchedMutant) switchable() bool {
	c, m := x.c, x.m
	p, s, fn := c.pkg, c.src, c.fn
	if m.Known != "" || m.Kind != mutate.Edit || !s.built || p.unknown != "" {
		return false
	}
	if bytes.Contains(s.src, []byte("//line ")) || bytes.Contains(s.src, []byte("/*line ")) || importsC(s.ast) {
		return false
	}
	switch {
	case fn == nil:
		if x.initial = c.initialAt(m.Offset, m.Length); x.initial == nil {
			return false
		}
		x.from, x.to = x.initial.from, x.initial.to
	case fn.Body == nil || delicate(fn):
		return false
	default:
		x.from, x.to = bodyOf(p, fn)
	}
	return x.from <= m.Offset && m.Offset+m.Length <= x.to
}

// bodyOf is where the text between the braces lies.
func bodyOf(p *pkg, fn *ast.FuncDecl) (from, to int) {
	return p.fset.PositionFor(fn.Body.Lbrace, false).Offset + 1, p.fset.PositionFor(fn.Body.Rbrace, false).Offset
}

func importsC(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` })
}

// delicate functions have labels, which may stand once in a function, or directives to the compiler, which a larger body may
// break (nosplit, for one).
func delicate(fn *ast.FuncDecl) bool {
	if fn.Doc != nil && slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:") }) {
		return true
	}
	found := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if _, ok := n.(*ast.LabeledStmt); ok {
			found = true
		}
		return !found
	})
	return found
}

func (w *switcher) value() string {
	for {
		v := strconv.FormatUint(uint64(w.rand.Uint32()), 10)
		if !w.taken[v] {
			w.taken[v] = true
			return v
		}
	}
}

// file writes one file with its mutants in it.
func (w *switcher) file(s *source, ms []switchedMutant) {
	slices.SortStableFunc(ms, func(a, b switchedMutant) int { return cmp.Compare(a.from, b.from) })
	nulls := []string{w.value()}
	for range mutate.JointNulls {
		nulls = append(nulls, w.value())
	}
	null := strings.Join(nulls, ", ")
	var out bytes.Buffer
	at, added := 0, 0
	for len(ms) > 0 {
		from, to := ms[0].from, ms[0].to
		n := slices.IndexFunc(ms, func(m switchedMutant) bool { return m.from != from })
		if n < 0 {
			n = len(ms)
		}
		if added += (n + 2) * (to - from + 64); added > maxSwitched {
			break
		}
		if ms[0].initial == nil {
			out.Write(s.src[at:from])
			w.head(&out, s, ms[:n], null)
			at = from
		} else if text := w.initials(s, ms[:n], null); text != "" {
			out.Write(s.src[at:from])
			out.WriteString(text)
			at = to
		}
		ms = ms[n:]
	}
	if at == 0 {
		return
	}
	out.Write(s.src[at:])
	w.out.Files[s.path] = out.Bytes()
	w.out.Null[s.path], w.out.Nulls[s.path] = nulls[0], nulls[1:]
}

// head writes the switch that goes in front of a function's body.
func (w *switcher) head(out *bytes.Buffer, s *source, ms []switchedMutant, null string) {
	p, fn := ms[0].c.pkg, ms[0].c.fn
	from, to := bodyOf(p, fn)
	back := "\n"
	if fn.Type.Results == nil || len(fn.Type.Results.List) == 0 {
		back = "\nreturn\n" // a body with results ends in a statement that does not go on
	}
	pos := p.fset.PositionFor(fn.Body.Lbrace, false)
	line := fmt.Sprintf("/*line :%d:%d*/", pos.Line, pos.Column+1)
	variable := "lane" + w.name
	fmt.Fprintf(out, " if *%s != 0 { switch *%s {\n", variable, variable)
	loops := w.loops(p, fn, w.notes(path.Dir(s.path)))
	part := func(from, to int) string { return turning(s.src, loops, from, to, w.turn) }
	body := func(value string, text ...string) {
		fmt.Fprintf(out, "case %s: %s%s%s", value, line, strings.Join(text, ""), back)
	}
	body(null, part(from, to))
	for _, m := range ms {
		v := w.value()
		w.out.Value[m.m.ID] = v
		end := m.m.Offset + m.m.Length
		body(v, part(from, m.m.Offset), string(m.m.Replacement), part(end, to))
	}
	if text := w.recorded(s, ms, loops); text != nil {
		body(w.out.Record, string(text))
	}
	fmt.Fprintf(out, "}};%s", line)
}

// reader is the file that reads the value, before anything of the package runs. It goes to the kernel itself, so that no other package's
// state is touched. A process of the box that cannot have the page that it is to share ends: it would take the original for a mutant.
func (w *switcher) reader(pkg string, n *noted) []byte {
	open, rest := "", ""
	if n.words > 1 {
		open = "if value == " + w.out.Record + " { openID() }\n"
		rest = recorder
	}
	if len(n.turns) > 0 {
		open += "if value != 0 || shared { limitID() }\n"
	}
	imports := ""
	if open != "" {
		imports = "import atomicID \"sync/atomic\"\n"
	}
	text := strings.NewReplacer(
		"PKG", pkg, "ID", w.name, "FILE", strconv.Quote(SwitchFile), "RECORD", strconv.Quote(n.file), "WORDS", strconv.Itoa(n.words),
		"PAGE", strconv.Quote(w.out.Page),
	).Replace(`package PKG

import kernelID "syscall"
import unsafeID "unsafe"
` + imports + `
var laneID = readID()

func readID() *uint32 {
	var value uint32
	fd, err := kernelID.Open(FILE, kernelID.O_RDONLY|kernelID.O_CLOEXEC, 0)
	if err != nil {
		return &value
	}
	var text [16]byte
	n, _ := kernelID.Read(fd, text[:])
	kernelID.Close(fd)
	i := 0
	for ; i < n && text[i] >= '0' && text[i] <= '9'; i++ {
		value = value*10 + uint32(text[i]-'0')
	}
	shared := i < n && text[i] == 's'
	` + open + `
	if shared {
		return shareID(value)
	}
	return &value
}

func shareID(value uint32) *uint32 {
	fd, err := kernelID.Open(PAGE, kernelID.O_RDWR|kernelID.O_CREAT|kernelID.O_EXCL|kernelID.O_CLOEXEC, 0600)
	first := err == nil
	if first {
		err = kernelID.Ftruncate(fd, 4)
	} else {
		fd, err = kernelID.Open(PAGE, kernelID.O_RDWR|kernelID.O_CLOEXEC, 0)
	}
	if err != nil {
		panic(err)
	}
	memory, err := kernelID.Mmap(fd, 0, 4, kernelID.PROT_READ|kernelID.PROT_WRITE, kernelID.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	kernelID.Close(fd)
	at := (*uint32)(unsafeID.Pointer(&memory[0]))
	if first {
		*at = value
	}
	return at
}
` + rest)
	return slices.Concat([]byte(text), []byte(w.bounded(n)), n.functions.Bytes())
}
