package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/vallane/lane/internal/flock"
)

// Run is one attempt at a spec, from Begin to Finish. Its methods may be called from several
// goroutines at once.
type Run struct {
	// Dir is the spec's folder; Attempt folder files go to Out.
	Dir string
	// Out is the folder of this attempt: runs/N below Dir.
	Out string

	mu     sync.Mutex
	status Status
	ledger *os.File
	lock   *flock.Lock
}

// Busy says that another process holds the spec's lock.
type Busy struct{ Spec, Dir string }

func (b *Busy) Error() string {
	return fmt.Sprintf("start %s: another lane is running this spec", b.Spec)
}

// Hint says what to do about it.
func (b *Busy) Hint() string {
	return "wait for it, or end it; its state is in " + filepath.Join(b.Dir, "status.json")
}

// Begin takes the lock of the spec whose folder is dir, gives a stranded earlier run its terminal
// status and opens the next attempt. The error is *Busy where another process runs the spec.
func Begin(dir, spec, source string) (*Run, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make state folder: %w", err)
	}
	l, err := flock.Try(filepath.Join(dir, "lock"), flock.Exclusive)
	if errors.Is(err, flock.ErrHeld) {
		return nil, &Busy{Spec: spec, Dir: dir}
	}
	if err != nil {
		return nil, err
	}
	r, err := begin(dir, spec, source, l)
	if err != nil {
		l.Release()
		return nil, err
	}
	return r, nil
}

func begin(dir, spec, source string, l *flock.Lock) (*Run, error) {
	last, err := settle(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	now := time.Now().UTC()
	r := &Run{Dir: dir, lock: l, status: Status{
		Schema: 1, Spec: spec, Source: source, Attempt: last.Attempt + 1,
		State: Planned, Phase: "plan", Started: now, Updated: now,
	}}
	r.Out = filepath.Join(dir, "runs", strconv.Itoa(r.status.Attempt))
	if err := os.MkdirAll(r.Out, 0o755); err != nil {
		return nil, err
	}
	if r.ledger, err = openLedger(dir); err != nil {
		return nil, err
	}
	r.Event("begin", map[string]any{"source": source})
	if err := write(dir, r.status); err != nil {
		r.ledger.Close()
		return nil, err
	}
	return r, nil
}

// openLedger opens the ledger for more lines. One that a crash cut short is ended first: the next would be lost with it.
func openLedger(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "ledger.jsonl"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	var last [1]byte
	if end, err := f.Seek(0, io.SeekEnd); err == nil && end > 0 {
		if _, err := f.ReadAt(last[:], end-1); err == nil && last[0] != '\n' {
			f.Write([]byte("\n"))
		}
	}
	return f, nil
}

// Attempt is the number of this run, from 1.
func (r *Run) Attempt() int { return r.status.Attempt }

// Phase records that the run has reached the named phase.
func (r *Run) Phase(name string) error {
	r.Event("phase", map[string]any{"name": name})
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status.State.Terminal() {
		return nil
	}
	r.status.State, r.status.Phase, r.status.Updated = Running, name, time.Now().UTC()
	return write(r.Dir, r.status)
}

// Event appends one line to the ledger. Values must be marshalable; one that is not is written as
// its error, since losing the line would be worse.
func (r *Run) Event(kind string, fields map[string]any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ledger != nil {
		appendLine(r.ledger, r.status.Attempt, kind, fields)
	}
}

func appendLine(f *os.File, attempt int, kind string, fields map[string]any) {
	line := map[string]any{"time": time.Now().UTC().Format(time.RFC3339Nano), "attempt": attempt, "event": kind}
	for k, v := range fields {
		line[k] = v
	}
	data, err := json.Marshal(line)
	if err != nil {
		data, _ = json.Marshal(map[string]any{"attempt": attempt, "event": kind, "unwritable": err.Error()})
	}
	f.Write(append(data, '\n')) // one write per line: O_APPEND keeps lines whole
}

// Finish makes the run terminal with what end says, and frees the lock. The fields that Begin set
// stay as they are. Called twice, the second call changes nothing.
func (r *Run) Finish(end Status) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ledger == nil {
		return nil
	}
	s := r.status
	s.State, s.Outcome, s.Level, s.Exit = end.State, end.Outcome, end.Level, end.Exit
	s.Reason, s.Verdict = end.Reason, end.Verdict
	if end.Phase != "" {
		s.Phase = end.Phase
	}
	if !s.State.Terminal() {
		s.State = Failed
	}
	s.Finished = time.Now().UTC()
	s.Updated = s.Finished
	r.status = s
	err := write(r.Dir, s)
	appendLine(r.ledger, s.Attempt, "end", map[string]any{"state": s.State, "outcome": s.Outcome, "level": s.Level, "exit": s.Exit})
	err = errors.Join(err, r.ledger.Sync(), r.ledger.Close())
	r.ledger = nil
	r.lock.Release()
	return err
}
