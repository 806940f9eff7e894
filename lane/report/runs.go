package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vallane/lane/assurance"
)

// runs prints what each run took, and what held its limits, for those who want all of it.
func (p *page) runs(v assurance.Verdict) {
	if !p.o.Verbose || v.Evidence == nil || len(v.Evidence.Plan.Runs) == 0 {
		return
	}
	p.head("runs")
	list := slices.SortedFunc(slices.Values(v.Evidence.Plan.Runs), func(a, b assurance.PlannedRun) int { return strings.Compare(a.ID, b.ID) })
	for _, r := range list {
		p.line(2, plain, pad(cut(Line(r.ID), 18), 18)+"  "+taken(v.Evidence.Observations[r.ID].Run))
	}
	for _, b := range v.Evidence.Plan.Boxes {
		if o := v.Evidence.Observations[b.ID].Box; o != nil && len(o.Limits) > 0 {
			p.prose(4, "  ", "limits of task "+Line(b.Task)+": "+heldBy(o.Limits))
		}
	}
}

// taken is how a run ended and what it used.
func taken(o *assurance.RunObservation) string {
	if o == nil {
		return "not run"
	}
	end := string(o.End)
	switch {
	case o.End == assurance.EndExited:
		end = fmt.Sprintf("exit %d", o.Exit)
	case o.Signal != "":
		end += " " + Line(o.Signal)
	}
	return fmt.Sprintf("%s  %7s  cpu %7s  %5d MiB  %3d processes", pad(end, 9), duration(o.WallMS), duration(o.CPUMS),
		(o.PeakMemory+1<<20-1)>>20, o.Census.Peak)
}

// heldBy says what holds each limit.
func heldBy(limits map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		out = append(out, Line(name)+" by "+Line(limits[name]))
	}
	return strings.Join(out, ", ")
}
