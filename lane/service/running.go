package service

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/vallane/lane/lane/door"
	"github.com/vallane/lane/lane/fence"
)

const (
	askEvery    = 50 * time.Millisecond
	lifetime    = 24 * time.Hour // of Up, which Lane ends long before
	dialTime    = 5 * time.Second
	endTime     = 30 * time.Second // for Up to end once it was told to
	outputBytes = 2 << 10          // of Seen.Detail, from each stream
)

// An Ask runs a command in the box of the tests, for at most so long.
type Ask func(ctx context.Context, argv []string, most time.Duration) (fence.Result, error)

// Running is a service in its box.
type Running struct {
	service Service
	box     *fence.Box
	door    *door.Door
	traffic *door.Traffic
	seen    Seen

	stop  context.CancelFunc // ends Up; nil where it was not started
	ended chan ended
	over  *ended // taken from ended
}

type ended struct {
	result fence.Result
	err    error
}

// Start opens a box of that configuration and starts the service in it. d is where its tests find it. The error says that Lane could
// not; a service that does not start has none. Stop it, whatever else.
func Start(ctx context.Context, s Service, config fence.Config, d *door.Door) (*Running, error) {
	r := &Running{service: s, door: d, traffic: &door.Traffic{}, seen: Seen{Name: s.Name}}
	config.Ways = true
	var err error
	if r.box, err = fence.Open(ctx, config); err != nil {
		return nil, fmt.Errorf("open a box for the service %s: %w", s.Name, err)
	}
	if len(s.Prepare) > 0 {
		res, err := r.box.Run(ctx, fence.Command{Argv: s.Prepare, Timeout: s.timeout()})
		if err != nil {
			r.Stop()
			return nil, fmt.Errorf("prepare the service %s: %w", s.Name, err)
		}
		if res.End != fence.Exited || res.Exit != 0 {
			r.seen.Detail = "its prepare command " + ending(res)
			return r, nil
		}
	}
	ctx, r.stop = context.WithCancel(ctx)
	r.ended = make(chan ended, 1)
	go func() {
		res, err := r.box.Run(ctx, fence.Command{Argv: s.Up, Timeout: lifetime, Keep: len(s.Prepare) > 0})
		r.ended <- ended{res, err}
	}()
	return r, nil
}

// Ready waits until the service is, or cannot be any more. What passes until then is not counted. The error says that Lane could not
// ask.
func (r *Running) Ready(ctx context.Context, ask Ask) (bool, error) {
	if r.stop == nil {
		return false, nil
	}
	r.door.Lead(door.Carry(ctx, r.dial, &door.Traffic{}))
	defer r.door.Lead(nil)
	end := time.Now().Add(r.service.timeout())
	why := ""
	for {
		if r.gone() {
			return false, nil
		}
		left := time.Until(end)
		if left <= 0 {
			r.seen.Detail = fmt.Sprintf("it is not ready within %s: %s", r.service.timeout(), why)
			return false, nil
		}
		now, cut, err := r.ready(ctx, ask, left)
		if err != nil || now == "" {
			r.seen.Healthy = err == nil
			return r.seen.Healthy, err
		}
		if !cut || why == "" { // what the health command said before the time was up says more than that it was
			why = now
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-time.After(askEvery):
		}
	}
}

// ready says why the service is not ready, "" where it is, and whether that is no more than the end of the time that was left.
func (r *Running) ready(ctx context.Context, ask Ask, left time.Duration) (why string, cut bool, err error) {
	if err := r.knock(ctx); err != nil {
		return "it takes no connection at " + r.service.Address().String() + ": " + err.Error(), false, nil
	}
	if len(r.service.Health) == 0 {
		return "", false, nil
	}
	res, err := ask(ctx, r.service.Health, left)
	if err != nil {
		return "", false, fmt.Errorf("ask whether the service %s is ready: %w", r.service.Name, err)
	}
	if res.End == fence.Exited && res.Exit == 0 {
		return "", false, nil
	}
	return "its health command " + ending(res), res.End == fence.TimedOut, nil
}

// Open lets the tests talk to the service, and counts from now on. Where spoil is set, no answer reaches them as it was.
func (r *Running) Open(ctx context.Context, spoil bool) {
	r.traffic = &door.Traffic{Spoil: spoil}
	r.door.Lead(door.Carry(ctx, r.dial, r.traffic))
}

// Look sees whether the service is alive, and counts no longer.
func (r *Running) Look(ctx context.Context) {
	r.door.Lead(nil)
	r.seen.Connections, r.seen.Asked, r.seen.Answered, r.seen.Spoilt = r.traffic.Connections(), r.traffic.Asked(), r.traffic.Answered(), r.traffic.Spoilt()
	if r.gone() {
		return
	}
	if err := r.knock(ctx); err != nil {
		r.seen.Detail = "it takes no connection any more: " + err.Error()
		return
	}
	r.seen.Alive = true
}

// Stop ends everything in the service's box, and says what was seen of it.
func (r *Running) Stop() Seen {
	r.door.Lead(nil)
	if r.stop != nil {
		r.stop()
		if r.over == nil {
			r.over = r.end()
		}
		if (!r.seen.Healthy || !r.seen.Alive) && r.over.result.End == fence.Interrupted {
			r.seen.Detail += printed(r.over.result)
		}
	}
	r.box.Close()
	return r.seen
}

// end waits for Up, which was told to end. Where it does not in time, its box is closed, which ends every process in it.
func (r *Running) end() *ended {
	select {
	case e := <-r.ended:
		return &e
	case <-time.After(endTime):
		r.box.Close()
	}
	e := <-r.ended
	return &e
}

// gone reports whether Up has ended, and notes how.
func (r *Running) gone() bool {
	if r.over == nil {
		select {
		case e := <-r.ended:
			r.over = &e
		default:
			return false
		}
	}
	r.seen.Detail = "its command " + ending(r.over.result)
	if r.over.err != nil {
		r.seen.Detail = "its box gave out: " + r.over.err.Error()
	}
	return true
}

// knock connects to the service and hangs up.
func (r *Running) knock(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	c, err := r.dial(ctx)
	if err != nil {
		return err
	}
	return c.Close()
}

func (r *Running) dial(ctx context.Context) (net.Conn, error) {
	w, err := r.box.Way()
	if err != nil {
		return nil, err
	}
	return w.Dial(ctx, r.service.Address())
}

// ending says in a sentence how a command ended, and what it said.
func ending(res fence.Result) string {
	how := "ended as " + string(res.End)
	switch res.End {
	case fence.Exited:
		how = fmt.Sprintf("exited with %d", res.Exit)
	case fence.Signaled:
		how = fmt.Sprintf("was ended by signal %d", res.Signal)
	}
	if res.Note != "" {
		how += " (" + res.Note + ")"
	}
	return how + printed(res)
}

// printed is the end of what a command printed, for a sentence.
func printed(res fence.Result) string {
	var said []string
	for _, t := range []fence.Tail{res.Stdout, res.Stderr} {
		text := strings.TrimSpace(t.String())
		if len(text) > outputBytes {
			text = "…" + strings.ToValidUTF8(text[len(text)-outputBytes:], "")
		}
		if text != "" {
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "; it printed: " + strings.Join(said, "\n")
}
