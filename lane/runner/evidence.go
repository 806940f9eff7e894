package runner

import (
	"bytes"
	"slices"
	"strings"
	"syscall"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
)

// Observation puts what was seen into the form that a verdict rests on. Nothing is left out that
// could make it worse.
func (s *Seen) Observation() *assurance.RunObservation {
	b := &s.Box
	o := &assurance.RunObservation{
		End: Ended(b), Exit: max(b.Exit, 0), Problems: s.Session.Problems, Lost: s.Session.Lost,
		Census: census(b.Census), Leaky: len(b.Leaky) > 0, Output: s.Output(), Detail: b.Note,
		WallMS: b.Wall.Milliseconds(), CPUMS: b.CPU.Milliseconds(), PeakMemory: b.PeakMemory,
		Tests: []assurance.TestResult{},
	}
	if o.Detail == "" {
		o.Detail = s.Detail
	}
	if s.Unread != nil {
		o.Lost, o.Detail = true, s.Unread.Error()
	}
	if why := s.Unserved(); why != "" {
		o.End, o.Detail = assurance.EndNoService, why
	}
	if b.Signal != 0 {
		o.Signal = syscall.Signal(b.Signal).String()
	}
	for _, t := range slices.Concat(s.Session.Tests, s.Session.Canaries) {
		o.Tests = append(o.Tests, assurance.TestResult{
			ID: t.ID, Unit: t.Unit, Status: assurance.TestStatus(t.Status), MS: t.Duration.Milliseconds(), Message: message(t),
		})
	}
	unbuilt := s.unbuilt() || s.unloaded()
	for _, u := range s.Session.Units {
		o.Units = append(o.Units, assurance.UnitResult{
			ID: u.ID, Expected: u.Expected, Started: u.Started, Ended: u.Ended, TimedOut: u.TimedOut, Unbuilt: unbuilt && u.Silent(),
		})
	}
	if s.Unbuilt && len(o.Units) == 0 {
		// A reporter that learns from a run which tests there are knows of none that could be silent.
		o.Units = []assurance.UnitResult{{ID: wholeTree, Expected: true, Unbuilt: true}}
	}
	return o
}

// wholeTree stands for all units that a build command did not build.
const wholeTree = "the tree"

// message keeps what a test said where it did not pass.
func message(t observe.Test) string {
	if t.Status == observe.Passed {
		return ""
	}
	return bounded(t.Message, 4<<10)
}

var ends = map[fence.End]assurance.End{
	fence.Exited: assurance.EndExited, fence.Signaled: assurance.EndSignaled, fence.TimedOut: assurance.EndTimeout,
	fence.OutOfCPU: assurance.EndCPU, fence.OutOfMem: assurance.EndMemory, fence.TooMany: assurance.EndProcesses,
	fence.ManyFiles: assurance.EndFiles, fence.DiskFull: assurance.EndDisk, fence.TooMuchOut: assurance.EndDisk, fence.DidNotExit: assurance.EndDidNotExit,
	fence.BoxDied: assurance.EndBoxDied, fence.NotFound: assurance.EndNoCommand, fence.NotStarted: assurance.EndNotStarted,
	fence.Interrupted: assurance.EndInterrupted,
}

// Ended is how a run in a box ended, in the words of a verdict.
func Ended(b *fence.Result) assurance.End {
	end, ok := ends[b.End]
	if !ok {
		end = assurance.EndNotStarted
	}
	return exhausted(end, b)
}

// exhausted names the limit where a command that met one did not end well: its failure is then the
// environment's, and no test's.
func exhausted(end assurance.End, b *fence.Result) assurance.End {
	if len(b.Exhausted) == 0 || (end == assurance.EndExited && b.Exit == 0) {
		return end
	}
	if end == assurance.EndExited || end == assurance.EndSignaled {
		return ends[b.Exhausted[0]]
	}
	return end
}

func census(c fence.Census) assurance.Census {
	out := assurance.Census{Peak: c.Peak, Left: len(c.Left) + c.After, Inconclusive: c.Inconclusive || c.After > 0}
	for _, p := range c.Left {
		if len(out.Names) < 8 {
			out.Names = append(out.Names, p.Name)
		}
	}
	return out
}

// unbuilt reports whether the silence of an expected unit is a failed build: the command said no, and
// the runner's own words name a build. They are never evidence for anything green, and a unit that is
// silent while the command says yes is another matter. Tests may print such words too: where one failed and
// every expected unit reported, they are the test's.
func (s *Seen) unbuilt() bool {
	if s.Unbuilt {
		return true
	}
	if !s.Plan.Builds || s.Box.End != fence.Exited || s.Box.Exit == 0 {
		return false
	}
	if s.Session.Records == 0 && refusedToBuild(s.Box.Stderr.String()) {
		return true
	}
	if s.Session.Expected && !slices.ContainsFunc(s.Session.Units, observe.Unit.Silent) &&
		slices.ContainsFunc(s.Session.Tests, func(t observe.Test) bool { return t.Status == observe.Failed }) {
		return false
	}
	for _, t := range []*fence.Tail{&s.Box.Stdout, &s.Box.Stderr} {
		text := t.String()
		for _, sign := range buildSigns {
			if strings.Contains(text, sign) {
				return true
			}
		}
	}
	return false
}

// unloaded reports whether pytest says that a conftest.py could not be loaded, after which no test file is. A conftest.py is code
// that may refuse to be loaded beside a mutant, so this says nothing of mutants.
func (s *Seen) unloaded() bool {
	return s.Box.End == fence.Exited && s.Box.Exit != 0 && strings.Contains(s.Box.Stderr.String(), "ImportError while loading conftest ")
}

// buildSigns are the Go command's words for a package that could not be built.
var buildSigns = []string{"[build failed]", "[setup failed]", "build constraints exclude all Go files"}

// refusedToBuild reports whether the Go command speaks for itself: it does where go.mod, go.sum or vendor do not fit together,
// and then builds no package at all.
func refusedToBuild(stderr string) bool {
	return strings.HasPrefix(stderr, "go: ") || strings.Contains(stderr, "\ngo: ")
}

// Output is a tail of what the command printed, for people.
func (s *Seen) Output() string {
	var b bytes.Buffer
	b.WriteString(s.Box.Stdout.String())
	if err := s.Box.Stderr.String(); err != "" {
		b.WriteString(err)
	}
	return bounded(b.String(), 8<<10)
}

// bounded keeps the end of a text: the summary of most runners is there.
func bounded(s string, most int) string {
	if len(s) > most {
		s = "…" + strings.ToValidUTF8(s[len(s)-most:], "")
	}
	return s
}
