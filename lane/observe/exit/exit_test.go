package exit

import (
	"testing"

	"github.com/vallane/lane/lane/observe"
)

func TestExit(t *testing.T) {
	for _, x := range []struct {
		name   string
		end    observe.End
		want   observe.Status
		broken bool
	}{
		{"ends well", observe.End{Exited: true}, observe.Passed, false},
		{"says no", observe.End{Exited: true, Code: 3}, observe.Failed, false},
		{"is ended by a signal or a limit", observe.End{}, observe.Failed, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			p, err := Reporter{}.Instrument(observe.Request{Name: "unit", Argv: []string{"make", "check"}})
			if err != nil {
				t.Fatal(err)
			}
			r, err := p.Read(observe.Remains{End: x.end})
			if err != nil {
				t.Fatal(err)
			}
			c := p.Collector()
			c.Replay(r)
			s := c.Session()
			if len(s.Tests) != 1 || s.Tests[0].ID != "unit" || s.Tests[0].Status != x.want {
				t.Errorf("%+v, want unit to be %s", s.Tests, x.want)
			}
			if len(s.Units) != 1 || s.Units[0].Ended == x.broken || len(s.Problems) > 0 || len(s.Contradictions(x.end)) > 0 {
				t.Errorf("units %+v, problems %q, contradictions %v", s.Units, s.Problems, s.Contradictions(x.end))
			}
		})
	}
}

func TestPlan(t *testing.T) {
	p, err := Reporter{}.Instrument(observe.Request{Argv: []string{"make", "check"}})
	if err != nil || p.Expected[0] != "make check" || p.Class != observe.Forgeable {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := (Reporter{}).Instrument(observe.Request{Argv: []string{"make"}, Select: []string{"make"}}); err == nil {
		t.Error("a part of a command was selected")
	}
	if (Reporter{}).Claims([]string{"true"}) {
		t.Error("a command was claimed")
	}
}
