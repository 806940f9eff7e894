package target_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/target"
)

const appStore = "/nix/store/00000000000000000000000000000000-app"

// newTarget is a target whose commands are those of the app.
func newTarget(up, check, down string) *target.Target {
	words := func(line string) []string {
		if line == "" {
			return nil
		}
		return append([]string{"app"}, strings.Fields(line)...)
	}
	const label = "lane-0123456789ab"
	return &target.Target{
		Plan: assurance.PlannedTarget{ID: at.Target, Name: "sums-" + label, Label: label, Context: assurance.ContextBox,
			Challenge: strings.Repeat("5e", 16), Address: "127.0.0.1:8080", Health: "/healthz", Up: words(up), Check: words(check), Down: words(down)},
		Box: fence.Config{
			StorePaths: []fence.Mount{{Host: os.Getenv(appEnv), Box: appStore}}, Path: []string{appStore + "/bin"},
			Time: time.Unix(1_700_000_000, 0), Cache: filepath.Join(os.Getenv(appEnv), fmt.Sprint("zones-", os.Geteuid())),
		},
	}
}

// clauses are those of a target that do not hold.
func clauses(p assurance.PlannedTarget, o assurance.TargetObservation) (off string, why []string) {
	e := at.Good()
	e.Plan.Target = &p
	e.Observations[p.ID] = assurance.Observation{Target: &o}
	var out []string
	for _, c := range assurance.Judge(e).Clauses {
		switch c.ID {
		case assurance.TargetMade, assurance.Challenge, assurance.NotProduction:
			if !c.Holds() {
				out, why = append(out, fmt.Sprintf("%s=%s", c.ID, c.State)), append(why, c.Reason)
			}
		}
	}
	return strings.Join(out, " "), why
}

// Each way to fake a target costs the clause that it fakes, and every target is gone in the end.
func TestTargets(t *testing.T) {
	const unmade, both = "target-made=failed", "target-made=failed challenge=failed"
	for _, c := range []struct {
		up, check, down, build string
		off, why               string
		waits                  bool // for an answer, until its time is over
		heard                  bool // perhaps, until it is ended: the challenge may be held
	}{
		{up: "serve good", check: "check sum"},
		{up: "serve good", check: "check alone"},
		{up: "serve body", check: "check sum"},
		{up: "serve there", check: "check sum"},
		{up: "serve good", check: "check sum", down: "down"},
		{up: "serve built", check: "check sum", build: "build"},
		{up: "serve stubborn", check: "check sum"},

		{up: "serve built", check: "check sum", off: both, why: "has ended"},
		{up: "serve good", check: "check sum", build: "false", off: "target-made=failed challenge=not-run not-production=not-run", why: "build command"},
		{up: "serve good", check: "check sum", build: "none", off: "target-made=failed challenge=not-run not-production=not-run", why: "build command"},
		{up: "serve nothing", check: "check sum", off: both, why: "has ended"},
		{up: "none", check: "check sum", off: both, why: "has ended"},
		{up: "serve daemon", check: "check sum", off: unmade, heard: true}, // its child answers for as long as it takes to end it
		{up: "serve sleeper", check: "check sum", off: both, waits: true},
		{up: "serve dies", check: "check sum", off: both},
		{up: "serve wrong", check: "check sum", off: unmade, why: "the check of the target exited with 1"},
		{up: "serve good", check: "check no", off: unmade, why: "the check of the target exited with 1"},
		{up: "serve good", check: "check yes", off: unmade, why: "against a stub"},
		{up: "serve always-200", check: "check any-200", off: unmade + " challenge=failed", why: "against a stub"},
		{up: "serve always-200", check: "check sum", off: "challenge=failed", why: "answers with \"\""},
		{up: "serve echo", check: "check sum", off: "challenge=failed"},
		{up: "serve stale", check: "check sum", off: "challenge=failed", why: "abab"},
		{up: "serve twice", check: "check sum", off: "challenge=failed", why: "answers with \"\""},
		{up: "serve good", check: "check sum", down: "false", off: unmade, why: "takes the target down exited with 1"},
		{up: "serve good", check: "check sum", down: "true"}, // Lane takes it down itself

		{up: "serve metadata", check: "check sum", off: both, why: "link-local"},
		{up: "serve elsewhere", check: "check sum", off: both, why: "not followed"},
		{up: "serve round", check: "check sum", off: both, why: "more than 3 times"},
		{up: "serve endless", check: "check sum", off: both, why: "longer than"},
		{up: "serve head", check: "check sum", off: both, waits: true},
		{up: "serve slow", check: "check sum", off: both, waits: true},
		{up: "serve loris", check: "check sum", off: both, waits: true},
		{up: "serve sick", check: "check sum", off: both, waits: true},
	} {
		if os.Geteuid() != 0 && c.off != "" && os.Getenv(againEnv) != "" {
			continue // what is judged is the same for every user
		}
		t.Run(strings.Join([]string{c.build, c.up, c.check, c.down}, ","), func(t *testing.T) {
			t.Parallel()
			x := newTarget(c.up, c.check, c.down)
			if c.waits {
				x.Timeout = 2 * time.Second
			}
			if c.build != "" {
				x.Plan.Build = []string{"app", c.build}
				if c.build == "none" {
					x.Plan.Build = []string{"none"}
				}
			}
			if c.up == "none" {
				x.Plan.Up = []string{"none"}
			}
			var mu sync.Mutex
			notes := map[bool]target.Made{}
			x.Note = func(m target.Made, gone bool) {
				mu.Lock()
				defer mu.Unlock()
				notes[gone] = m
			}
			o, err := x.Live(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			off, why := clauses(x.Plan, o)
			if c.heard {
				off = strings.TrimSuffix(off, " challenge=failed")
			}
			if off != c.off || !strings.Contains(strings.Join(why, "\n"), c.why) {
				t.Errorf("%s, want %s\n%s\n%+v", off, c.off, strings.Join(why, "\n"), o)
			}
			if o.Gone == nil || !o.Gone.Refused || o.Gone.Left != 0 {
				t.Errorf("it is not gone: %+v", o.Gone)
			}
			if m := notes[false]; m.PID == 0 || m.Start == 0 || notes[true].PID != m.PID {
				t.Errorf("noted as %+v", notes)
			} else if _, err := os.Stat(fmt.Sprint("/proc/", m.PID, "/ns")); err == nil {
				t.Errorf("process %d is still there", m.PID)
			}
		})
	}
}

// What stops Lane in the middle of a check leaves no target behind.
func TestStopped(t *testing.T) {
	x := newTarget("serve good", "check hang", "")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("no more")
	x.Log = func(name string) (io.WriteCloser, error) {
		if name == "check" {
			time.AfterFunc(300*time.Millisecond, func() { cancel(why) })
		}
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	o, err := x.Live(ctx)
	if !errors.Is(err, why) || o.Alive == nil || o.Gone == nil || !o.Gone.Refused {
		t.Errorf("%v, %+v", err, o.Gone)
	}
}

// Other runs talk to the stub before the target is put up, and to it while it is alive, each in a box of its own that reaches nothing else.
func TestRuns(t *testing.T) {
	x := newTarget("serve good", "", "")
	var seen []string
	run := func(id string, stub bool, argv ...string) target.Run {
		return target.Run{ID: id, Stub: stub, Do: func(ctx context.Context, serve func(net.Listener)) (fence.Result, error) {
			config := x.Box
			config.Listen = []string{x.Plan.Address}
			b, err := fence.Open(ctx, config)
			if err != nil {
				return fence.Result{}, err
			}
			defer b.Close()
			serve(b.Listeners()[0])
			r, err := b.Run(ctx, fence.Command{Argv: argv, Timeout: time.Minute, Env: []string{target.URLVariable + "=http://" + x.Plan.Address}})
			seen = append(seen, fmt.Sprint(id, r.Exit))
			return r, err
		}}
	}
	x.Runs = []target.Run{run("live", false, "app", "check", "alone"), run("again", false, "app", "check", "sum"), run("stub", true, "app", "check", "sum"),
		run("careless", true, "app", "check", "any-200")}
	o, err := x.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(seen, " "); got != "stub1 careless0 live0 again0" {
		t.Errorf("the runs came to %s", got)
	}
	if o.Check != nil || o.Blank != nil || len(o.Runs) != 2 || o.Runs[0].Run != "live" || o.Runs[0].Started.Before(o.Alive.At) || o.Still.At.Before(o.Runs[1].Ended) || !o.Gone.Refused {
		t.Errorf("observed %+v", o)
	}

	// What goes wrong in one of them ends the life of the target, which is gone all the same.
	why := errors.New("no more")
	x.Runs[0].Do = func(context.Context, func(net.Listener)) (fence.Result, error) { return fence.Result{}, why }
	if o, err = x.Live(t.Context()); !errors.Is(err, why) || len(o.Runs) != 0 || o.Still != nil || o.Gone == nil || !o.Gone.Refused {
		t.Errorf("%v, %+v", err, o)
	}
}
