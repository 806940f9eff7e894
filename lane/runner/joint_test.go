package runner

import (
	"slices"
	"testing"
	"time"

	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/mutate"
)

// many is a package whose tests do something else under each value, which stands in a file as a switched program's does.
var many = map[string]string{
	"go.mod": "module many.example/many\n\ngo 1.24\n",
	"value.go": `package many

import (
	"os"
	"strings"
)

const folder = "/cache/go-build/"

func init() {
	text, _ := os.ReadFile("/lane/go/switch")
	if !strings.HasSuffix(string(text), "s") {
		return
	}
	var value byte
	for _, c := range strings.TrimSuffix(string(text), "s") {
		value = value*10 + byte(c-'0')
	}
	os.WriteFile(folder+"page", []byte{value, 0, 0, 0}, 0o600)
	os.WriteFile(folder+"record", make([]byte, 8), 0o600)
	if value == 99 {
		count(1)
	}
}

func value() byte {
	b, _ := os.ReadFile(folder + "page")
	return b[0]
}

func count(at int64) {
	f, err := os.OpenFile(folder+"record", os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	var b [1]byte
	f.ReadAt(b[:], at)
	b[0]++
	f.WriteAt(b[:], at)
}
`,
	"many_test.go": `package many

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestSteady(t *testing.T) { count(2) }

func TestNotices(t *testing.T) {
	t.Run("part", func(t *testing.T) {
		if value() == 7 {
			t.Error("seven")
		}
	})
}

func TestPanics(t *testing.T) {
	if value() == 8 {
		var m map[string]int
		m["x"] = 1
	}
}

func TestElsewhere(t *testing.T) {
	if value() == 9 {
		go panic("elsewhere")
		time.Sleep(time.Minute)
	}
}

func TestSkips(t *testing.T) {
	if value() == 10 {
		t.Skip("ten")
	}
}

var broken bool

func TestBreaks(t *testing.T) {
	if broken = broken || value() == 11; broken {
		t.Error("broken")
	}
}

func TestLeaves(t *testing.T) {
	if value() == 12 {
		os.Exit(1)
	}
}

func ExampleSays() {
	fmt.Println(value() == 13)
	// Output: false
}

func TestWaits(t *testing.T) {
	if value() == 14 {
		select {}
	}
}

var once bool

func TestOnce(t *testing.T) {
	if !once {
		count(3)
	}
	once = true
}

func TestFails(t *testing.T) { t.Error("always") }
`,
}

func TestJointProcesses(t *testing.T) {
	task := goTask(t)
	tree, programs := tree(t, many), t.TempDir()
	own(t, programs)
	stage := task.On(tree, "")
	defer stage.Close()
	id := func(name string) string { return "many.example/many." + name }
	x, err := stage.Switch(t.Context(), []string{id("TestSteady")}, nil, programs)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if !x.Joins() || x.plan.Program(id("TestSteady")) == "" || x.plan.Program("other.example.TestSteady") != "" {
		t.Fatal("programs do not have their names")
	}
	j := Joint{Switched: x, Page: "/cache/go-build/page", Record: "99", Records: []string{"/cache/go-build/record", "/cache/go-build/none"}}
	b := mutate.Bounds{CPU: time.Minute, Wall: time.Minute, Test: 20 * time.Second}

	for _, tt := range []struct {
		name string
		// value and tests of entries
		entries []mutate.JointEntry
		want    []mutate.JointOutcome
	}{
		{"one after another", []mutate.JointEntry{
			{Value: "7", Tests: []string{"TestSteady", "TestNotices"}},
			{Value: "6", Tests: []string{"TestSteady", "TestNotices", "TestPanics"}},
			{Value: "10", Tests: []string{"TestSteady", "TestSkips", "TestNotices"}},
			{Value: "13", Tests: []string{"ExampleSays"}},
			{Value: "7", Tests: []string{"TestNotices"}},
		}, []mutate.JointOutcome{{State: mutate.JointNoticed, Test: 1}, {State: mutate.JointUnnoticed, Test: 2}, {State: mutate.JointUnclear, Test: 1}, {State: mutate.JointNoticed}, {State: mutate.JointNoticed}}},
		{"a panic ends it", []mutate.JointEntry{{Value: "6", Tests: []string{"TestSteady"}}, {Value: "8", Tests: []string{"TestSteady", "TestPanics"}}, {Value: "7", Tests: []string{"TestNotices"}}},
			[]mutate.JointOutcome{{State: mutate.JointUnnoticed}, {State: mutate.JointPanicked, Test: 1}}},
		{"a panic of nobody's", []mutate.JointEntry{{Value: "9", Tests: []string{"TestElsewhere"}}, {Value: "7", Tests: []string{"TestNotices"}}}, []mutate.JointOutcome{{State: mutate.JointEnded}}},
		{"an end in mid-test", []mutate.JointEntry{{Value: "12", Tests: []string{"TestLeaves"}}, {Value: "7", Tests: []string{"TestNotices"}}}, []mutate.JointOutcome{{State: mutate.JointEnded}}},
		{"what stays behind spoils", []mutate.JointEntry{{Value: "11", Tests: []string{"TestBreaks"}}, {Value: "7", Tests: []string{"TestNotices"}}}, []mutate.JointOutcome{{State: mutate.JointSpoiled}}},
		{"a test that fails anyway notices nothing", []mutate.JointEntry{{Value: "7", Tests: []string{"TestFails"}}, {Value: "7", Tests: []string{"TestNotices"}}}, []mutate.JointOutcome{{State: mutate.JointSpoiled}}},
		{"a test that is not there", []mutate.JointEntry{{Value: "7", Tests: []string{"TestGone"}}}, []mutate.JointOutcome{{State: mutate.JointSpoiled}}},
	} {
		var entries []mutate.JointEntry
		for _, e := range tt.entries {
			e.Null = "3" // the same for all, as nothing here looks at it
			for i := range e.Tests {
				e.Tests[i] = id(e.Tests[i])
			}
			entries = append(entries, e)
		}
		seen := map[bool]int{}
		for range 6 { // the mutant goes first or second
			got, spent, err := j.Try(t.Context(), entries, b)
			if tt.name == "a panic ends it" && len(got) == 2 && got[1].State == mutate.JointEnded {
				got[1].State = mutate.JointPanicked // it went first, and nothing was seen before
				seen[false]++
			} else {
				seen[true]++
			}
			if err != nil || !slices.Equal(got, tt.want) || spent.CPU <= 0 {
				t.Errorf("%s: %+v, %v, want %+v (%+v)", tt.name, got, err, tt.want, spent)
			}
		}
		if tt.name == "a panic ends it" && seen[true] == 0 {
			t.Errorf("no panic came after a run without it: %v", seen)
		}
	}

	short := b
	short.Test = 300 * time.Millisecond
	if got, _, err := j.Try(t.Context(), []mutate.JointEntry{{Value: "14", Null: "3", Tests: []string{id("TestWaits")}}}, short); err != nil || !slices.Equal(got, []mutate.JointOutcome{{State: mutate.JointEnded}}) {
		t.Errorf("a test that waits for ever: %+v, %v", got, err)
	}

	unsteady, before, err := j.Repeat(t.Context(), []string{id("TestSteady"), id("TestOnce"), id("TestNotices")}, b)
	if err != nil || !slices.Equal(unsteady, []string{id("TestOnce")}) {
		t.Errorf("unsteady are %q, %v", unsteady, err)
	}
	if r := before.Files["/cache/go-build/record"]; len(r) != 8 || r[1] != 1 || r[2] != 0 || len(before.Files) != 1 {
		t.Errorf("before any test there was %v", before.Files)
	}
	if unsteady, _, err = j.Repeat(t.Context(), []string{id("TestSteady"), id("TestFails"), id("TestOnce")}, b); err != nil || len(unsteady) != 3 {
		t.Errorf("where a test fails, unsteady are %q, %v", unsteady, err)
	}
}

// Which of two values is the mutant's is known to nobody but who judges.
func TestJointOutcomes(t *testing.T) {
	const p, f, s = observe.Passed, observe.Failed, observe.Skipped
	for _, tt := range []struct {
		runs     []observe.Status
		second   bool
		panicked bool
		ended    bool
		want     mutate.JointState
	}{
		{runs: []observe.Status{f, p, f, p}, ended: true, want: mutate.JointNoticed},
		{runs: []observe.Status{p, f, p, f}, ended: true, second: true, want: mutate.JointNoticed},
		{runs: []observe.Status{f, p, f, p}, ended: true, second: true, want: mutate.JointSpoiled},
		{runs: []observe.Status{p, f, p, f}, ended: true, want: mutate.JointSpoiled},
		{runs: []observe.Status{f, f, f, f}, ended: true, want: mutate.JointSpoiled},
		{runs: []observe.Status{f, p, p, p}, ended: true, want: mutate.JointUnclear},
		{runs: []observe.Status{p, f, p, p}, ended: true, second: true, want: mutate.JointUnclear},
		{runs: []observe.Status{f, p, f, f}, ended: true, want: mutate.JointSpoiled},
		{runs: []observe.Status{s, p, s, p}, ended: true, want: mutate.JointUnclear},
		{runs: []observe.Status{p, s, p, s}, ended: true, want: mutate.JointSpoiled},
		{runs: []observe.Status{p, p}, ended: true, want: mutate.JointUnnoticed},
		{runs: []observe.Status{p, p}, ended: true, second: true, want: mutate.JointUnnoticed},
		{runs: []observe.Status{p}, want: mutate.JointEnded},
		{want: mutate.JointEnded},
		{panicked: true, want: mutate.JointEnded},
		{panicked: true, second: true, want: mutate.JointEnded},
		{runs: []observe.Status{p}, panicked: true, second: true, want: mutate.JointPanicked},
		{runs: []observe.Status{p}, panicked: true, want: mutate.JointEnded},
		{runs: []observe.Status{f}, panicked: true, second: true, want: mutate.JointSpoiled},
		{runs: []observe.Status{f, p}, panicked: true, want: mutate.JointPanicked},
		{runs: []observe.Status{f, p, f}, ended: true, want: mutate.JointUnclear},
		{ended: true, want: mutate.JointUnclear},
	} {
		r := observe.JointResult{Begun: true, Ended: tt.ended, Panicked: tt.panicked}
		copy(r.Statuses[:], tt.runs)
		if got := outcome(r, tt.second); got != tt.want {
			t.Errorf("%q, the mutant second: %v, panicked: %v, ended: %v: %d, want %d", tt.runs, tt.second, tt.panicked, tt.ended, got, tt.want)
		}
	}
}
