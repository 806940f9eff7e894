package runner

import (
	"strings"
	"testing"

	"github.com/vallane/lane/lane/fence"
)

// The result of several guests is that of one run: the first bad end, the worst exit status, the sum of what they used.
func TestResultsOfGuestsAreSummedUp(t *testing.T) {
	sum := fence.Result{End: fence.Exited}
	for _, r := range []fence.Result{
		{End: fence.Exited, CPU: 1, Wall: 2, PeakMemory: 5, Facts: fence.Facts{UID: 7, MemoryBy: "x"}, Census: fence.Census{Peak: 1}},
		{End: fence.Exited, Exit: 2, CPU: 1, Wall: 2, PeakMemory: 3, Facts: fence.Facts{MemoryBy: "y"}, Census: fence.Census{Peak: 1}},
	} {
		merge(&sum, &r)
	}
	if sum.End != fence.Exited || sum.Exit != 2 || sum.CPU != 2 || sum.Wall != 4 || sum.PeakMemory != 5 || sum.Facts.UID != 7 || sum.Census.Peak != 1 {
		t.Errorf("%+v", sum)
	}
	merge(&sum, &fence.Result{End: fence.OutOfMem, Exit: 1, Exhausted: []fence.End{fence.OutOfMem}, Note: "why"})
	merge(&sum, &fence.Result{End: fence.Exited, EventsLost: true, Census: fence.Census{Inconclusive: true}})
	if sum.End != fence.OutOfMem || len(sum.Exhausted) != 1 || sum.Note != "why" || !sum.EventsLost || !sum.Census.Inconclusive {
		t.Errorf("%+v", sum)
	}
}

func TestStreamsOfGuestsFollowEachOther(t *testing.T) {
	a := joinTails(fence.Tail{}, fence.Tail{Head: []byte("one\n"), Total: 4})
	a = joinTails(a, fence.Tail{Head: []byte("FAIL\n")})
	if a.String() != "one\nFAIL\n" || a.Cut() != 0 {
		t.Errorf("%q, %d bytes cut", a, a.Cut())
	}
	long := fence.Tail{Head: []byte(strings.Repeat("x", tailOfRun)), End: []byte("end\n"), Total: tailOfRun + 4}
	a = joinTails(a, long)
	if len(a.Head) != tailOfRun || string(a.End) != "end\n" || a.Cut() != 9 {
		t.Errorf("%d bytes, then %q, %d bytes cut", len(a.Head), a.End, a.Cut())
	}
}
