package python

import (
	"embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path"

	"github.com/vallane/lane/mutate"
)

//go:embed forked/*.py
var forked embed.FS

// Forked is what a loaded test session needs to become any of some mutants.
type Forked struct {
	Module string            // absolute path in the box of the script that the session calls
	Files  map[string][]byte // to lie at their absolute paths, all of them below /lane
	Value  map[string]string // by mutant's id: makes the session that mutant; one that is not in it has no code to swap
	Null   map[string]string // by file: gives its functions other code that does the same
	Canary map[string]string // by mutant's id: gives the function that holds it code which nothing survives that calls it
	// Record makes the session code that does the same and notes at Sites, in the one record Records names, what mutants would make of
	// values.
	Record  string
	Records []string
	Sites   []mutate.Site
}

const noted = "values"

const swapModule = boxDir + "lane_swap.py"

// swapMutant is a mutant as the script reads it.
type swapMutant struct {
	Off   int    `json:"off"`
	Len   int    `json:"len"`
	Text  []byte `json:"text"`
	Reach [2]int `json:"reach"`
	Salt  uint32 `json:"salt"`
	At    int    `json:"at"` // its first word in the record
}

// Fork makes what a loaded session needs for those mutants that are edits of files which were read. Which of them it can become only
// the session can tell. The seed chooses values and what null mutants do, so that code cannot tell one from a mutant.
func (r *Result) Fork(ms []*mutate.Mutant, seed [32]byte) (*Forked, error) {
	out := &Forked{Module: swapModule, Files: map[string][]byte{}, Value: map[string]string{}, Null: map[string]string{}, Canary: map[string]string{}}
	rng := rand.New(rand.NewChaCha8(seed))
	plan := map[string][3]any{}
	put := func(kind, file string, mutants any) string {
		for {
			v := fmt.Sprintf("%016x", rng.Uint64())
			if _, taken := plan[v]; !taken {
				plan[v] = [3]any{kind, file, mutants}
				return v
			}
		}
	}
	all, held := map[string][]swapMutant{}, map[holder][]swapMutant{}
	var files []string
	var functions []holder
	var record [][2]any
	for _, m := range ms {
		if m.Kind != mutate.Edit || !r.Read(m.File) {
			continue
		}
		site := mutate.Site{Record: noted, At: len(out.Sites) * (mutate.SiteHead + 1), Mutants: []string{m.ID}}
		out.Sites = append(out.Sites, site)
		s := swapMutant{m.Offset, m.Length, []byte(m.Replacement), [2]int{m.Reach.Start, m.Reach.End}, rng.Uint32(), site.At}
		out.Value[m.ID] = put("mutant", m.File, []swapMutant{s})
		f := functionOf(m)
		if all[m.File] == nil {
			files = append(files, m.File)
		}
		if held[f] == nil {
			functions = append(functions, f)
		}
		all[m.File], held[f] = append(all[m.File], s), append(held[f], s)
	}
	for _, file := range files {
		out.Null[file] = put("null", file, all[file])
		record = append(record, [2]any{file, all[file]})
	}
	if len(record) > 0 {
		out.Record, out.Records = put("record", "", record), []string{noted}
	}
	canary := map[holder]string{}
	for _, f := range functions {
		canary[f] = put("canary", f.file, held[f])
	}
	for _, m := range ms {
		if out.Value[m.ID] != "" {
			out.Canary[m.ID] = canary[functionOf(m)]
		}
	}
	return out, out.lay(plan)
}

type holder struct{ file, name string }

// functionOf names the function that holds a mutant. Those that have no name are told apart by the mutant.
func functionOf(m *mutate.Mutant) holder {
	if m.Func == "" {
		return holder{m.File, m.ID}
	}
	return holder{m.File, m.Func}
}

// lay writes the files.
func (f *Forked) lay(plan map[string][3]any) (err error) {
	if f.Files[boxDir+"swap.json"], err = json.Marshal(plan); err != nil {
		return fmt.Errorf("write mutants for a loaded session: %w", err)
	}
	for _, name := range []string{"lane_swap.py", "lane_values.py", "lane_evaluate.py"} {
		if f.Files[boxDir+name], err = forked.ReadFile(path.Join("forked", name)); err != nil {
			return err
		}
	}
	for _, name := range []string{"lane_compile.py", "lane_text.py"} {
		if f.Files[boxDir+name], err = box.ReadFile(path.Join("box", name)); err != nil {
			return err
		}
	}
	return nil
}

// Keep leaves out the mutants whose values a session cannot become, and says of each reason how many mutants it leaves out.
func (f *Forked) Keep(left map[string]string) (reasons map[string]int) {
	reasons = map[string]int{}
	for id, v := range f.Value {
		if why, ok := left[v]; ok {
			reasons[why]++
			delete(f.Value, id)
			delete(f.Canary, id)
		}
	}
	return reasons
}
