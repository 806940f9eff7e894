package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/door"
	"github.com/vallane/lane/lane/egress"
	"github.com/vallane/lane/lane/egress/address"
	"github.com/vallane/lane/lane/fence"
)

// Variables that commands of a target find. The challenge is for up alone.
const (
	NameVariable      = "LANE_TARGET_NAME"
	LabelVariable     = "LANE_TARGET_LABEL"
	URLVariable       = "LANE_TARGET_URL"
	ChallengeVariable = "LANE_CHALLENGE"
)

const (
	defaultTimeout = time.Minute
	askEvery       = 100 * time.Millisecond
	lifetime       = 24 * time.Hour   // of up, which Lane ends long before
	upTime         = 30 * time.Second // for up to end once it was told to
	goneTime       = 5 * time.Second  // for the last question to the target's address
)

// Target is a disposable target in boxes of Lane's own.
type Target struct {
	Plan assurance.PlannedTarget
	// Box is what both of its boxes are made of: closure, tree, limits. Env is added to the commands' environment.
	Box fence.Config
	Env []string
	// Timeout bounds build, check and down, each, and the time from up to the first answer; 0 means 1 minute.
	Timeout time.Duration
	// Runs are what tests the target beside Check: those on the stub first, and then the others, one after the other, while it is alive.
	Runs []Run
	// Log opens the full log of a command, named build, up, blank, check or down; nil for none.
	Log func(name string) (io.WriteCloser, error)
	// Note is told what is made before any command of it starts, and once it is gone; nil for nobody.
	Note func(made Made, gone bool)
}

// Run is one more run against the target.
type Run struct {
	ID   string
	Stub bool // against the stub of Lane's, before the target is put up
	// Do carries it out, in boxes of its own. What listens in them at the target's address is handed to serve, which returns at once. The error says that
	// Lane could not run it, or was stopped.
	Do func(ctx context.Context, serve func(net.Listener)) (fence.Result, error)
}

// life is a target while it is up.
type life struct {
	*Target
	at     netip.AddrPort
	box    *fence.Box // of the target
	last   *fence.Way // asks when everything is over
	asker  *fence.Box // of the check
	door   *door.Door
	health Health
	o      *assurance.TargetObservation

	stop  context.CancelFunc // ends up
	ended chan ended         // what came of up
	up    *ended             // once it was taken from the channel
}

type ended struct {
	receipt *assurance.Receipt
	result  fence.Result
	err     error
}

// Live puts the target up, sees it alive, runs the check, and tears it down, which happens whatever else does. The observation holds what was
// seen, also beside an error, which says that Lane could not go on or was stopped.
func (t *Target) Live(ctx context.Context) (o assurance.TargetObservation, err error) {
	at, err := netip.ParseAddrPort(t.Plan.Address)
	if err != nil {
		return o, fmt.Errorf("put up the target: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &life{Target: t, at: at, o: &o, door: &door.Door{}}
	if err := l.open(ctx); err != nil {
		return o, fmt.Errorf("put up the target: %w", err)
	}
	defer func() { err = errors.Join(err, l.tearDown()) }()
	err = l.live(ctx)
	return o, err
}

// open opens the two boxes.
func (l *life) open(ctx context.Context) (err error) {
	config := l.Box
	config.Ways = true
	if l.box, err = fence.Open(ctx, config); err != nil {
		return err
	}
	if l.last, err = l.box.Way(); err != nil {
		l.box.Close()
		return err
	}
	config = l.Box
	config.Listen = []string{l.at.String()}
	if l.asker, err = fence.Open(ctx, config); err != nil {
		l.last.Close()
		l.box.Close()
		return err
	}
	go l.door.Serve(l.asker.Listeners()[0])
	l.note(false)
	return nil
}

func (l *life) note(gone bool) {
	if l.Note != nil {
		l.Note(madeOf(l.Plan.Name, l.Plan.Label, l.box.PID()), gone)
	}
}

// live goes through the life of the target as far as it goes well: what was not seen counts as not run.
func (l *life) live(ctx context.Context) error {
	l.health = Health{URL: "http://" + l.at.String() + l.Plan.Health, Dialer: egress.Dialer{Addresses: address.Rules{Loopback: true}}, Box: l.dial}
	if err := l.health.Pin(ctx); err != nil {
		return err
	}
	err := refusal(l.dial(ctx, l.at))
	l.o.Free = errors.Is(err, syscall.ECONNREFUSED)
	if len(l.Plan.Build) > 0 {
		if l.o.Build, _, err = l.run(ctx, l.box, "build", l.command(l.Plan.Build)); err != nil || l.o.Build.Exit != 0 || l.o.Build.End != assurance.EndExited {
			return err
		}
	}
	l.door.Lead(blank(ctx))
	if l.o.Blank, err = l.ask(ctx, "blank", l.Plan.Check); err != nil {
		return err
	}
	if err := l.runAll(ctx, true); err != nil {
		return err
	}
	l.start(ctx)
	if l.o.Alive = l.wait(ctx); l.o.Alive == nil || l.o.Alive.Detail != "" || l.o.Alive.Status >= 300 {
		return ctx.Err()
	}
	l.door.Lead(door.Carry(ctx, func(ctx context.Context) (net.Conn, error) { return l.dial(ctx, l.at) }, &door.Traffic{}))
	if l.o.Check, err = l.ask(ctx, "check", l.Plan.Check); err != nil {
		return err
	}
	if err := l.runAll(ctx, false); err != nil {
		return err
	}
	still := l.health.Ask(ctx)
	l.o.Still = &still
	l.o.Down, err = l.ask(ctx, "down", l.Plan.Down)
	return err
}

// runAll carries out the runs on the stub, or those on the target.
func (l *life) runAll(ctx context.Context, stub bool) error {
	for _, r := range l.Runs {
		if r.Stub != stub {
			continue
		}
		started := time.Now().UTC()
		result, err := r.Do(ctx, func(box net.Listener) { go l.door.Serve(box) })
		l.saw(result)
		if err != nil {
			return err
		}
		if !stub {
			l.o.Runs = append(l.o.Runs, assurance.TargetReceipt{Run: r.ID, Started: started, Ended: time.Now().UTC()})
		}
	}
	return nil
}

// command is one of the target's own commands.
func (l *life) command(argv []string) fence.Command {
	return fence.Command{Argv: argv, Timeout: cmp.Or(l.Timeout, defaultTimeout),
		Env: slices.Concat(l.Env, []string{NameVariable + "=" + l.Plan.Name, LabelVariable + "=" + l.Plan.Label})}
}

// ask runs a command in the box from which the target can be reached; no receipt where there is none.
func (l *life) ask(ctx context.Context, name string, argv []string) (*assurance.Receipt, error) {
	if len(argv) == 0 {
		return nil, nil
	}
	c := l.command(argv)
	c.Env = append(c.Env, URLVariable+"=http://"+l.at.String())
	r, result, err := l.run(ctx, l.asker, name, c)
	l.saw(result)
	return r, err
}

// saw notes the interfaces that a command had.
func (l *life) saw(r fence.Result) {
	for _, i := range r.Facts.Interfaces {
		l.o.Interfaces = append(l.o.Interfaces, i.Name)
	}
	slices.Sort(l.o.Interfaces)
	l.o.Interfaces = slices.Compact(l.o.Interfaces)
}

// dial connects to an address in the target's box.
func (l *life) dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	w, err := l.box.Way()
	if err != nil {
		return nil, err
	}
	return w.Dial(ctx, to)
}

// refusal is why there is no connection; one that there is all the same is closed.
func refusal(c net.Conn, err error) error {
	if err == nil {
		c.Close()
	}
	return err
}

// start starts up, which goes on until stop is called.
func (l *life) start(ctx context.Context) {
	ctx, l.stop = context.WithCancel(ctx)
	l.ended = make(chan ended, 1)
	c := l.command(l.Plan.Up)
	c.Timeout, c.Keep = lifetime, len(l.Plan.Build) > 0
	c.Env = append(c.Env, ChallengeVariable+"="+l.Plan.Challenge)
	go func() {
		r, result, err := l.run(ctx, l.box, "up", c)
		l.ended <- ended{r, result, err}
	}()
}

// wait asks until there is an answer that waiting does not better, the time is over, or up has ended. It is the last answer.
func (l *life) wait(ctx context.Context) *assurance.TargetAnswer {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(l.Timeout, defaultTimeout))
	defer cancel()
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		a := l.health.Ask(ctx)
		if settled(a) {
			return &a
		}
		select {
		case e := <-l.ended:
			l.up = &e
			a.Detail = cmp.Or(a.Detail, "it does not answer as a target that is alive") + "; the command that puts it up has ended"
			return &a
		case <-ctx.Done():
			a.Detail = cmp.Or(a.Detail, "it does not answer as a target that is alive")
			return &a
		case <-tick.C:
		}
	}
}

// upEnded waits for the command that puts the target up. Where nobody ends it in time, its box is closed, which ends every process in it.
func (l *life) upEnded() *ended {
	select {
	case e := <-l.ended:
		return &e
	case <-time.After(upTime):
		l.box.Close()
	}
	e := <-l.ended
	return &e
}

// tearDown ends everything that was made and looks whether it is gone. No command can keep it from that, and no context.
func (l *life) tearDown() error {
	l.door.Shut()
	l.asker.Close()
	gone := &assurance.TargetGone{}
	var err error
	if l.stop != nil {
		l.stop()
		if l.up == nil {
			l.up = l.upEnded()
		}
		l.o.Up, gone.Left = l.up.receipt, l.up.result.Census.After
		l.saw(l.up.result)
		if !errors.Is(l.up.err, context.Canceled) {
			err = l.up.err
		}
	}
	l.box.Close() // returns when the kernel has let go of the last process
	ctx, cancel := context.WithTimeout(context.Background(), goneTime)
	defer cancel()
	gone.Refused = errors.Is(refusal(l.last.Dial(ctx, l.at)), syscall.ECONNREFUSED)
	gone.At = time.Now().UTC()
	l.o.Gone = gone
	l.note(true)
	return err
}
