package lane

import (
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
)

// reproductions bounds how many commands a verdict lists per task.
const reproductions = 20

// reproduce notes, for each test that did not pass in some run of head, the command that runs it alone
// under the same variation. The order of all tests is what an order-dependent one needs, so there the
// whole suite is run with the same shuffle.
func (j *job) reproduce(t *task) {
	done := map[string]bool{}
	for i := range t.seen {
		r := &t.seen[i]
		if r.canary {
			continue
		}
		for _, x := range r.seen.Session.Tests {
			if x.Parent != "" || done[x.ID] || x.Status != observe.Failed && x.Status != observe.Unfinished || len(done) >= reproductions {
				continue
			}
			done[x.ID] = true
			o := runner.Order{Env: r.variation.Env(), Seed: r.variation.Seed}
			if o.Seed == 0 && r.seen.Plan.Selectable {
				o.Select = []string{x.ID}
			}
			if words := t.head.Words(o); words != nil {
				j.evidence.Record.Reproduce = append(j.evidence.Record.Reproduce, assurance.Reproduction{Test: x.ID, Command: shell(words)})
			}
		}
	}
}

// shell quotes words for a person's shell.
func shell(words []string) string {
	var out []string
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`|&;<>()*?[]#~!{}^") {
			w = "'" + strings.ReplaceAll(w, "'", "'\\''") + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}
