package doctor

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Options say what is examined. Only State, Cache and Modules are required.
type Options struct {
	// State, Cache and Shared are Lane's folders; Specs is the one below State with the specs' statuses.
	State, Cache, Shared, Specs string
	// Modules is the folder of modules compiled for the fence wasi; see wasi.OpenCache.
	Modules string
	// Substituters and TrustedKeys are what Nix may use in a warm-up.
	Substituters, TrustedKeys []string
	// Jobs is how many boxes are at work at once; 0 counts as one.
	Jobs int
	// Built is when this Lane was built; zero where that is not known.
	Built time.Time
}

// State says how a finding bears on a check.
type State string

// The states of a finding.
const (
	OK       State = "ok"
	Degraded State = "degraded" // something is lost, and no level up to VAL-1
	Missing  State = "missing"  // no check can reach VAL-1
)

// Finding is what was seen of one part of the machine.
type Finding struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Saw   string `json:"saw"`             // the fact, as it was seen
	Costs string `json:"costs,omitempty"` // what a check loses by it
	Fix   string `json:"fix,omitempty"`   // the change that would help
}

// Report is all findings, in the order in which a check needs what they are about.
type Report struct {
	// VAL1 says that nothing here keeps a check from VAL-1. Where the local fence is missing, specs of modules (fence = "wasi") may still run.
	VAL1     bool      `json:"val_1"`
	Missing  []string  `json:"missing"` // names of the findings that do
	Findings []Finding `json:"findings"`
}

// Examine looks at everything. It takes seconds where Nix is installed, since Nix then builds something. The only error is
// that ctx was cancelled.
func Examine(ctx context.Context, o Options) (Report, error) {
	var all []Finding
	all = append(all, kernel(), confinement())
	all = append(all, fenceFindings(ctx)...)
	all = append(all, guestFinding(ctx, o))
	all = append(all, nixFindings(ctx, o)...)
	all = append(all, gitFinding(ctx), stateFolder(o), cacheFolder(o), memory(o), clock(o), leftovers(o))
	r := Report{Findings: all, VAL1: true, Missing: []string{}}
	for _, f := range all {
		if f.State == Missing {
			r.VAL1, r.Missing = false, append(r.Missing, f.Name)
		}
	}
	return r, ctx.Err()
}

// Print writes the report for people.
func (r Report) Print(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%-9s %-16s %s\n", f.State, f.Name, f.Saw)
		for _, more := range []struct{ what, text string }{{"costs", f.Costs}, {"fix", f.Fix}} {
			if more.text != "" {
				fmt.Fprintf(&b, "%26s  %s: %s\n", "", more.what, more.text)
			}
		}
	}
	if r.VAL1 {
		b.WriteString("a check can reach VAL-1 here\n")
	} else {
		fmt.Fprintf(&b, "no check can reach VAL-1 here: %s\n", strings.Join(r.Missing, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
