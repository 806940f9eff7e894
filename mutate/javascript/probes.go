package javascript

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/treesitter"
)

// Probes is source text that tells where it is reached: each file has a place 0, which is reached when the file is loaded, and one for
// each function whose body can begin with a call.
type Probes struct {
	Files map[string][]byte // to be laid over the tree, by path

	pieces map[string][][]mutate.Block // by file and place: the stretches that belong to the body of one function and to none within it
}

// Probe puts calls into the files that were read. A call tells the function laneReached of the process the file and the number of the
// place, once for each test file: by the name under which vitest keeps the test file at hand, or else by the expectations of jest.
// The seed chooses names.
func (r *Result) Probe(ctx context.Context, seed [32]byte) (out *Probes, err error) {
	name := fmt.Sprintf("lane%016x", rand.New(rand.NewChaCha8(seed)).Uint64())
	out = &Probes{Files: map[string][]byte{}, pieces: map[string][][]mutate.Block{}}
	parsers := treesitter.Parsers{}
	defer func() { err = errors.Join(err, parsers.Close(ctx)) }()
	for file := range r.lines {
		src, err := fs.ReadFile(r.opts.Tree, file)
		if err != nil {
			return nil, fmt.Errorf("find what tests reach: %w", err)
		}
		root, err := parsers.Of(grammarOf(file)).Parse(ctx, src)
		if err != nil {
			return nil, fmt.Errorf("find what tests reach in %s: %w", file, err)
		}
		bodies := bodiesOf(grammarOf(file), src, root)
		slices.SortFunc(bodies, func(a, b *body) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
		out.pieces[file] = pieces(src, bodies)
		out.Files[file] = probed(file, name, src, root, bodies)
	}
	return out, nil
}

// probed is a source with a call at its beginning and at that of each body.
func probed(file, name string, src []byte, root *node, bodies []*body) []byte {
	at, head := top(src, root)
	typ := ""
	if grammarOf(file) != treesitter.JavaScript {
		typ = ":any"
	}
	inserts := []insert{{at: at, text: head + strings.NewReplacer("ID", name, "TYPE", typ, "FILE", strconv.Quote(file)).Replace(
		`var IDsTYPE,IDtTYPE;function ID(nTYPE)TYPE{var gTYPE=globalThis,wTYPE=g.__vitest_worker__,tTYPE=w?w.filepath:1;if(!IDs||t!==IDt){IDt=t;IDs=[]}`+
			`if(!IDs[n]){IDs[n]=1;var pTYPE="";try{p=w?t:g.expect.getState().testPath}catch(e){}try{g.process.laneReached(FILE,n,p)}catch(e){}}}ID(0);`)}}
	var ends []insert
	for i, b := range bodies {
		call := fmt.Sprintf("%s(%d)", name, i+1)
		switch {
		case b.expression:
			inserts = append(inserts, insert{at: b.start, text: "(" + call + ","})
			ends = append(ends, insert{at: b.end, text: ")"})
		case b.directive:
			inserts = append(inserts, insert{at: b.start, text: ";" + call + ";"})
		default:
			inserts = append(inserts, insert{at: b.start, text: call + ";"})
		}
	}
	slices.Reverse(ends) // where two bodies end in one place, the inner one ends first
	out, _ := inserted(src, append(ends, inserts...))
	return out
}

// pieces divides a file among its places: itself, and its bodies, which are sorted, the outer ones first.
func pieces(src []byte, bodies []*body) [][]mutate.Block {
	out := make([][]mutate.Block, 1+len(bodies))
	in := []int{0} // the places whose bodies are open
	at := 0
	to := func(end int) {
		if end > at {
			place := in[len(in)-1]
			out[place] = append(out[place], block(src, at, end))
			at = end
		}
	}
	end := func(place int) int { return bodies[place-1].end }
	for i, b := range bodies {
		for len(in) > 1 && end(in[len(in)-1]) <= b.start {
			to(end(in[len(in)-1]))
			in = in[:len(in)-1]
		}
		to(b.start)
		in = append(in, i+1)
	}
	for len(in) > 1 {
		to(end(in[len(in)-1]))
		in = in[:len(in)-1]
	}
	to(len(src))
	return out
}

// block says where some bytes of a source stand.
func block(src []byte, start, end int) mutate.Block {
	var b mutate.Block
	b.StartLine, b.StartCol = position(src, start)
	b.EndLine, b.EndCol = position(src, end)
	return b
}

func position(src []byte, at int) (line, col int) {
	return 1 + bytes.Count(src[:at], newline), at - bytes.LastIndexByte(src[:at], '\n')
}

// Holds reports whether a file has a place.
func (p *Probes) Holds(file string, place int) bool { return place >= 0 && place < len(p.pieces[file]) }

// Add tells a reach map that tests came by a place of a file. A place that the file does not have is nothing.
func (p *Probes) Add(reach *mutate.Reach, file string, place int, tests []string) {
	if !p.Holds(file, place) {
		return
	}
	for _, t := range tests {
		reach.Add(t, file, p.pieces[file][place]...)
	}
}

// Declare makes all places of a file known to a reach map. Call it for files that were seen to be loaded: of others nothing is known.
func (p *Probes) Declare(reach *mutate.Reach, file string) {
	for _, blocks := range p.pieces[file] {
		reach.Known(file, blocks...)
	}
}
