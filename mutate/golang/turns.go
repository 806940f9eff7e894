package golang

import (
	le "encoding/binary"
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/mutate"
)

// A loop of a mutant's body that goes round maxTurns times as often as in all tests on the original, and leastTurns times at least, is
// taken for one that does not end.
const (
	maxTurns   = 100
	leastTurns = 10_000_000
)

// TurnsFile is the beginning of the names under which the program finds how often the loops of a package may go round.
const TurnsFile = "/lane/go/turns"

// loop is a for statement of a package; range statements end by themselves.
type loop struct {
	after  int // the place behind its brace
	number int // in the package
	word   int // of the record, in which it is counted
}

// loops numbers the loops of a function.
func (w *switcher) loops(p *pkg, fn *ast.FuncDecl, n *noted) (out []loop) {
	ast.Inspect(fn.Body, func(x ast.Node) bool {
		if f, ok := x.(*ast.ForStmt); ok {
			out = append(out, loop{after: p.fset.PositionFor(f.Body.Lbrace, false).Offset + 1, number: len(n.turns)})
			n.turns = append(n.turns, 0)
		}
		return true
	})
	slices.SortFunc(out, func(a, b loop) int { return a.after - b.after })
	return out
}

// turning is the source of a range with a call in each loop whose brace lies in it.
func turning(src []byte, loops []loop, from, to int, call func(loop) string) string {
	var b strings.Builder
	for _, l := range loops {
		if from < l.after && l.after <= to {
			b.Write(src[from:l.after])
			b.WriteString(" " + call(l) + ";")
			from = l.after
		}
	}
	b.Write(src[from:to])
	return b.String()
}

// turn is the call by which a mutant's loops are bounded.
func (w *switcher) turn(l loop) string { return fmt.Sprintf("turn%s(%d)", w.name, l.number) }

// Limit returns what every run of a mutant has to find in its box, by absolute path, so that its loops are ended: how often they may
// go round, by how often they did in what was recorded. A loop that nobody counted has no bound.
func (s *Switched) Limit(records []mutate.Record) map[string][]byte {
	out := map[string][]byte{}
	for _, p := range s.turns {
		text := make([]byte, 4*len(p.turns))
		for k, word := range p.turns {
			if most := turns(p.file, word, records); word > 0 && most >= 0 {
				le.LittleEndian.PutUint32(text[4*k:], uint32(min(max(maxTurns*most, leastTurns), 1<<31)))
			}
		}
		out[p.limits] = text
	}
	return out
}

// turns is the largest count of a loop in any record, and -1 where there is none.
func turns(file string, word int, records []mutate.Record) int64 {
	most := int64(-1)
	for _, r := range records {
		if data := r.Files[file]; 4*word+4 <= len(data) {
			most = max(most, int64(le.LittleEndian.Uint32(data[4*word:])))
		}
	}
	return most
}

// bounded is the part of a package's file that ends a mutant's run. Who reads the mark knows it for a loop's end, whatever becomes of the
// process, and of those that started it.
func (w *switcher) bounded(n *noted) string {
	if len(n.turns) == 0 {
		return ""
	}
	return strings.NewReplacer("ID", w.name, "TURNS", strconv.Itoa(len(n.turns)), "LIMITS", strconv.Quote(n.limits), "ENDED", strconv.Quote(w.out.Ended)).Replace(`
var turnsID, mostID [TURNS]uint32
var sinceID uint32 // the value for which they are counted

func limitID() {
	fd, err := kernelID.Open(LIMITS, kernelID.O_RDONLY|kernelID.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	var text [4 * TURNS]byte
	n, _ := kernelID.Read(fd, text[:])
	kernelID.Close(fd)
	for i := 0; 4*i+4 <= n; i++ {
		mostID[i] = uint32(text[4*i]) | uint32(text[4*i+1])<<8 | uint32(text[4*i+2])<<16 | uint32(text[4*i+3])<<24
	}
}

func turnID(loop int) {
	if now := atomicID.LoadUint32(laneID); atomicID.LoadUint32(&sinceID) != now && atomicID.SwapUint32(&sinceID, now) != now {
		for i := range turnsID {
			atomicID.StoreUint32(&turnsID[i], 0)
		}
	}
	if most := mostID[loop]; most > 0 && atomicID.AddUint32(&turnsID[loop], 1) > most {
		fd, _ := kernelID.Open(ENDED, kernelID.O_WRONLY|kernelID.O_CREAT|kernelID.O_CLOEXEC, 0600)
		kernelID.Close(fd)
		kernelID.Exit(1)
	}
}
`)
}
