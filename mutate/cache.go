package mutate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Cache lets an engine take verdicts of earlier runs in place of trials.
//
// A verdict is found by the mutant (its edit and the text of its function) and by Base, and is taken only where the code of every
// test that ran for it is what it was. So an edit to one function costs the mutants of that function, and those for which a test
// ran that may run the edited function.
//
// Only killed, survived and unviable are kept; uncovered and what is known without a run are found anew each time. What was never
// clear (hung, exhausted, crashed, flaky, not-run) is always tried again.
type Cache struct {
	Store Store
	// Base is a digest of whatever is the same for all mutants and tests: toolchain, command, environment, limits, every file of
	// the tree that Test does not answer for, and the engine itself.
	Base string
	// Tree is a digest of all code and tests.
	Tree string
	// Test returns a digest of all code that a top-level test may run, with any mutant of it, and of the test's own files; "" =
	// nobody can tell, Tree stands for it. nil = so for all tests.
	Test func(id string) string
}

// Store keeps what is remembered, by keys that tell nothing. It has to be safe for concurrent use. One that lost something, or does
// not believe what it finds, has not got it.
type Store interface {
	Load(key string) (Remembered, bool)
	Save(key string, r Remembered)
}

// Remembered is the verdict of a mutant with what it rests on.
type Remembered struct {
	Verdict Verdict       `json:"verdict"`
	Reason  string        `json:"reason,omitempty"`
	Tier    Tier          `json:"tier"`
	Killers []string      `json:"killers,omitempty"`
	CPU     time.Duration `json:"cpu_ns"`
	Wall    time.Duration `json:"wall_ns"`
	// Tests holds the digests of the top-level tests that ran for it, by id; nil = it rests on Tree.
	Tests map[string]string `json:"tests,omitempty"`
	Tree  string            `json:"tree,omitempty"`
	// Settled says that the run in which it was found came to its end, with audit and controls. What is not is the beginning of a
	// run that was cut off: it goes on where it was, and is audited like the rest.
	Settled  bool `json:"settled"`
	Inferred bool `json:"inferred,omitempty"`
}

// keeps reports whether a verdict may be taken in a later run.
func (v Verdict) keeps() bool { return v == Killed || v == Survived || v == Unviable }

// key finds the verdict of a mutant. "" = it has none that could be kept.
func (c *Cache) key(m *Mutant, src []byte) string {
	h := sha256.New()
	put := func(parts ...string) {
		for _, s := range parts {
			fmt.Fprintf(h, "%d:%s;", len(s), s)
		}
	}
	put("1", c.Base, m.File, m.ID, string(m.Kind), string(m.Replacement), m.Mode.String(), m.To, m.Func)
	text, at := around(m, src)
	put(string(text), strconv.Itoa(at), strconv.Itoa(m.Length))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// around is the text of the function that holds the whole edit, with the edit's place in it; else that of the file.
func around(m *Mutant, src []byte) (text []byte, at int) {
	if m.Func == "" || m.Reach.Start < 1 || m.Kind != Edit {
		return src, m.Offset
	}
	lines := offsets(splitLines(src))
	if m.Reach.End >= len(lines) {
		return src, m.Offset
	}
	from, to := lines[m.Reach.Start-1], lines[m.Reach.End]
	if m.Offset < from || m.Offset+m.Length > to {
		return src, m.Offset
	}
	return src[from:to], m.Offset - from
}

func (c *Cache) test(id string) string {
	if c.Test != nil {
		if d := c.Test(id); d != "" {
			return d
		}
	}
	return c.Tree
}

// recall takes the verdict of an earlier run for a mutant of which it is known which tests are asked.
func (r *run) recall(res *Result) bool {
	if r.Cache == nil {
		return false
	}
	key := r.cacheKey(&res.Mutant)
	was, ok := r.Cache.Store.Load(key)
	if key == "" || !ok || !was.Verdict.keeps() || r.Tier != "" && r.Tier != was.Tier || !r.holds(&was, res) {
		return false
	}
	res.Verdict, res.Reason, res.Tier, res.Killers = was.Verdict, was.Reason, was.Tier, was.Killers
	res.CPU, res.Wall, res.Cached = was.CPU, was.Wall, true
	res.Inferred = was.Inferred && !was.Settled
	if !was.Settled && !was.Inferred {
		res.Trials = 1 // it belongs to this run, which began earlier
	}
	for t := range was.Tests {
		if was.Verdict != Unviable && !slices.Contains(was.Killers, t) {
			r.matrix.set(t, res.Mutant.ID, CellPassed)
		}
	}
	for _, k := range was.Killers {
		r.matrix.set(k, res.Mutant.ID, CellKilled)
		r.matrix.set(r.suite.top(k), res.Mutant.ID, CellKilled)
	}
	r.remember(&res.Mutant, was.Killers)
	return true
}

func (r *run) cacheKey(m *Mutant) string {
	src, err := r.Source(m.File)
	if err != nil {
		return ""
	}
	return r.Cache.key(m, src)
}

// holds reports whether a verdict is still true: nothing that it rests on has changed, and who noticed is still asked.
func (r *run) holds(was *Remembered, res *Result) bool {
	if was.Tests == nil || res.Mutant.Origin != Own || was.Verdict == Unviable {
		// The text of base may call what nobody calls today, and whether a mutant builds depends on all of its package.
		if was.Tree != r.Cache.Tree {
			return false
		}
	}
	for t, digest := range was.Tests {
		if r.Cache.test(t) != digest {
			return false
		}
	}
	asked := func(t string) bool { return res.Asked == nil || slices.Contains(res.Asked, t) }
	switch was.Verdict {
	case Killed:
		return slices.ContainsFunc(topsOf(was.Killers, r.suite.top), func(t string) bool {
			return r.suite.canKill(t) && !r.suite.tests[t].Flipped && asked(t)
		})
	case Survived:
		for _, t := range res.Asked {
			if _, ran := was.Tests[t]; !ran && was.Tests != nil {
				return false
			}
		}
		return res.Asked != nil || was.Tests == nil
	}
	return true
}

// keep stores a verdict that may be taken later. settled is as in Remembered.
func (r *run) keep(res *Result, settled bool) {
	if r.Cache == nil || res.Mutant.Known != "" || res.Trials == 0 && !res.Inferred {
		return
	}
	key := r.cacheKey(&res.Mutant)
	if key == "" {
		return
	}
	if !res.Verdict.keeps() || res.Verdict == Survived && res.Reason != "" && !res.Inferred {
		if settled {
			r.Cache.Store.Save(key, Remembered{Verdict: NotRun}) // what was found before the end does not stand
		}
		return
	}
	was := Remembered{
		Verdict: res.Verdict, Reason: res.Reason, Tier: res.Tier, Killers: res.Killers, CPU: res.CPU, Wall: res.Wall, Tree: r.Cache.Tree, Settled: settled,
		Inferred: res.Inferred,
	}
	if res.Asked != nil {
		was.Tests = r.ranFor(res)
	}
	r.Cache.Store.Save(key, was)
}

// ranFor lists the top-level tests that ran on a mutant, with their digests.
func (r *run) ranFor(res *Result) map[string]string {
	r.mu.Lock()
	ids := r.matrix.asked(res.Mutant.ID)
	r.mu.Unlock()
	out := map[string]string{}
	for _, t := range topsOf(slices.Concat(ids, res.Killers), r.suite.top) {
		out[t] = r.Cache.test(t)
	}
	if res.Verdict == Survived {
		for _, t := range res.Asked {
			out[t] = r.Cache.test(t)
		}
	}
	return out
}

// settle marks the verdicts of a run that came to its end, and takes back those that did not stand.
func (r *run) settle(ctx context.Context) {
	if r.Cache == nil || r.stop(ctx) != "" {
		return
	}
	for i := range r.results {
		r.keep(&r.results[i], true)
	}
}

// Digest is a digest of named parts, in the order of their names.
func Digest(parts map[string]string) string {
	h := sha256.New()
	for _, k := range slices.Sorted(maps.Keys(parts)) {
		fmt.Fprintf(h, "%d:%s;%d:%s;", len(k), k, len(parts[k]), parts[k])
	}
	return hex.EncodeToString(h.Sum(nil))
}
