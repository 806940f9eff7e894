package worktree

import (
	"bufio"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/vallane/lane/lane/worktree/objects"
)

// mergeBase finds the commit at which two histories part. It paints the ancestors of one red and of
// the other blue, newest first; a commit that gets both colours is a common one, and all behind it is
// of no further interest. This is git's own algorithm, and visits no more history than it must.
// Where there are several, it is the one that `git merge-base` prints: the newest.
func (r *Repo) mergeBase(ctx context.Context, base, head objects.ID) (objects.ID, error) {
	if base == head {
		return base, nil
	}
	shallow, err := r.shallow()
	if err != nil {
		return objects.ID{}, err
	}
	g := &graph{r: r, shallow: shallow, commits: map[objects.ID]objects.CommitInfo{}}
	common, err := g.paint(ctx, base, head)
	if err != nil {
		return objects.ID{}, err
	}
	// With clocks that were wrong a common commit may be found before one of its children that is common
	// too. Those behind another are no merge bases.
	var best objects.ID
	for _, candidate := range common {
		behind := false
		for _, other := range common {
			if other == candidate {
				continue
			}
			meet, err := g.paint(ctx, candidate, other)
			if err != nil {
				return objects.ID{}, err
			}
			behind = behind || len(meet) == 1 && meet[0] == candidate
		}
		if !behind && (best.IsZero() || g.commits[candidate].Time.After(g.commits[best].Time)) {
			best = candidate
		}
	}
	if !best.IsZero() {
		return best, nil
	}
	if len(shallow) > 0 {
		return best, refuse(ShallowHistory, "git fetch --unshallow, or in CI a checkout with its full history (fetch-depth: 0)", "compare %s with %s: what they have in common is not in this shallow clone", short(base), short(head))
	}
	return best, refuse(UnrelatedHistories, "name a base that head was made from", "compare %s with %s: their histories have no commit in common", short(base), short(head))
}

func short(id objects.ID) string { return id.String()[:12] }

type graph struct {
	r       *Repo
	shallow map[objects.ID]bool
	commits map[objects.ID]objects.CommitInfo
}

func (g *graph) read(ctx context.Context, id objects.ID) (objects.CommitInfo, error) {
	if c, ok := g.commits[id]; ok {
		return c, nil
	}
	c, err := g.r.store.ReadCommit(ctx, id)
	if err != nil {
		return c, translate(err, "read the history")
	}
	if g.shallow[id] {
		c.Parents = nil
	}
	g.commits[id] = c
	return c, nil
}

const (
	red uint8 = 1 << iota
	blue
	stale  // behind a common commit
	result // already counted as common
)

// paint returns the commits at which the ancestors of one and of two meet, a and b themselves included.
func (g *graph) paint(ctx context.Context, one, two objects.ID) ([]objects.ID, error) {
	colours := map[objects.ID]uint8{}
	queue := &byTime{}
	push := func(id objects.ID, colour uint8) error {
		was := colours[id]
		if was&colour == colour {
			return nil
		}
		c, err := g.read(ctx, id)
		if err != nil {
			return err
		}
		colours[id] = was | colour
		heap.Push(queue, queued{id, c.Time})
		return nil
	}
	if err := push(one, red); err != nil {
		return nil, err
	}
	if err := push(two, blue); err != nil {
		return nil, err
	}
	var common []objects.ID
	for queue.anyFresh(colours) {
		id := heap.Pop(queue).(queued).id
		colour := colours[id] & (red | blue | stale)
		if colour == red|blue {
			if colours[id]&result == 0 {
				colours[id] |= result
				common = append(common, id)
			}
			colour |= stale
		}
		for _, parent := range g.commits[id].Parents {
			if err := push(parent, colour); err != nil {
				return nil, err
			}
		}
	}
	kept := common[:0]
	for _, id := range common {
		if colours[id]&stale == 0 {
			kept = append(kept, id)
		}
	}
	return kept, nil
}

type queued struct {
	id objects.ID
	at time.Time
}

// byTime is a heap, newest commit first.
type byTime struct{ items []queued }

func (q *byTime) Len() int           { return len(q.items) }
func (q *byTime) Less(i, j int) bool { return q.items[i].at.After(q.items[j].at) }
func (q *byTime) Swap(i, j int)      { q.items[i], q.items[j] = q.items[j], q.items[i] }
func (q *byTime) Push(x any)         { q.items = append(q.items, x.(queued)) }
func (q *byTime) Pop() any {
	last := q.items[len(q.items)-1]
	q.items = q.items[:len(q.items)-1]
	return last
}

// anyFresh tells whether something in the queue is still worth a visit.
func (q *byTime) anyFresh(colours map[objects.ID]uint8) bool {
	for _, item := range q.items {
		if colours[item.id]&stale == 0 {
			return true
		}
	}
	return false
}

// shallow lists the commits whose parents were not cloned.
func (r *Repo) shallow() (map[objects.ID]bool, error) {
	f, err := os.Open(filepath.Join(r.at.commonDir, "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the history: %v", err)
	}
	defer f.Close()
	cut := map[objects.ID]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); isFullID(line) {
			cut[plumbing.NewHash(line)] = true
		}
	}
	return cut, lines.Err()
}
