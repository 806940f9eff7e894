//go:build amd64 || arm64

package fence

import (
	"context"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// Inspect says what a process of the box is, by the kernel's word on a thread that is locked down
// like any command: it needs no program in the box. Facts.Processes is pid 1's own limit, since that
// of a command is set once it runs. Runs see nothing of it.
func (b *Box) Inspect(ctx context.Context) (Facts, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone() {
		return Facts{}, fmt.Errorf("inspect box: %w", ErrClosed)
	}
	if err := b.wire.send(message{Inspect: true}); err != nil {
		return Facts{}, fmt.Errorf("inspect box: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = b.cmd.Process.Kill() })
	defer stop()
	var answer reply
	if err := b.answer(&answer); err != nil {
		return Facts{}, fmt.Errorf("inspect box: %w", err)
	}
	if answer.Failed != nil {
		return Facts{}, fmt.Errorf("inspect box: %w", answer.Failed)
	}
	if answer.Seen == nil {
		return Facts{}, fmt.Errorf("inspect box: the box answered something else")
	}
	f := *answer.Seen
	b.addBoxFacts(&f)
	return f, nil
}

// addBoxFacts fills in what is the same for every process of the box.
func (b *Box) addBoxFacts(f *Facts) {
	f.Interfaces, f.Mounts, f.ReplacesFolders = b.facts.Interfaces, b.facts.Mounts, b.facts.ReplacesFolders
	f.MemoryBy, f.ProcessesBy = b.facts.MemoryBy, b.facts.ProcessesBy
}

// inspect reads the facts of a thread from pid 1's other threads, which may look into /proc.
func (b *boxInit) inspect() reply {
	tid, read, done := make(chan int), make(chan error), make(chan error)
	var facts Facts
	go func() { done <- b.locked(true, func() error { tid <- unix.Gettid(); return <-read }) }()
	select {
	case id := <-tid:
		var err error
		facts, err = threadFacts(id)
		read <- err
		if err := <-done; err != nil {
			return reply{Failed: fail("read facts", err)}
		}
	case err := <-done:
		return reply{Failed: fail("lock inspector down", err)}
	}
	return reply{Seen: &facts}
}

func threadFacts(tid int) (Facts, error) {
	return factsOf("/proc/self/task/"+strconv.Itoa(tid)+"/status", tid)
}
