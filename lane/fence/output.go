package fence

import (
	"fmt"
	"io"
	"sync"
)

// A Tail keeps the beginning and the end of a stream of any length.
type Tail struct {
	Head  []byte // the first bytes
	End   []byte // the last bytes that are not in Head
	Total int64  // bytes of the whole stream
}

// Cut is the number of bytes between Head and End that were not kept.
func (t Tail) Cut() int64 { return t.Total - int64(len(t.Head)) - int64(len(t.End)) }

// String joins both parts, with a line that says what is missing between them.
func (t Tail) String() string {
	if cut := t.Cut(); cut > 0 {
		return fmt.Sprintf("%s\n[... %d bytes not kept ...]\n%s", t.Head, cut, t.End)
	}
	return string(t.Head) + string(t.End)
}

// tail collects a Tail: limit bytes of the beginning and a ring of as many.
type tail struct {
	limit int
	head  []byte
	ring  []byte
	next  int // where the ring is written next, once it is full
	total int64
}

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	t.total += int64(n)
	if room := t.limit - len(t.head); room > 0 {
		k := min(room, len(p))
		t.head = append(t.head, p[:k]...)
		p = p[k:]
	}
	if len(p) > t.limit {
		p = p[len(p)-t.limit:]
	}
	if room := t.limit - len(t.ring); room > 0 {
		k := min(room, len(p))
		t.ring = append(t.ring, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		k := copy(t.ring[t.next:], p)
		p = p[k:]
		t.next = (t.next + k) % t.limit
	}
	return n, nil
}

func (t *tail) result() Tail {
	end := make([]byte, 0, len(t.ring))
	end = append(end, t.ring[t.next:]...)
	end = append(end, t.ring[:t.next]...)
	return Tail{Head: t.head, End: end, Total: t.total}
}

// output is what both streams of a run go through: it bounds the log, counts,
// and asks once for the run's end when there is too much.
type output struct {
	mu       sync.Mutex
	log      io.Writer
	logRoom  int64
	logCut   bool
	logErr   error
	live     [2]io.Writer // of stdout and stderr, nil for none
	total    int64
	limit    int64 // 0 means none
	tooMuch  func()
	reported bool
}

// keep stores p in t and passes it on to the stream's own reader and to the log.
func (o *output) keep(stream int, t *tail, p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = t.Write(p)
	if live := o.live[stream]; live != nil {
		if _, err := live.Write(p); err != nil {
			o.live[stream] = nil
		}
	}
	o.total += int64(len(p))
	if o.limit > 0 && o.total > o.limit && !o.reported {
		o.reported = true
		o.tooMuch()
	}
	if o.log == nil || o.logErr != nil {
		return
	}
	if int64(len(p)) > o.logRoom {
		p = p[:o.logRoom]
		o.logCut = true
	}
	if len(p) == 0 {
		return
	}
	o.logRoom -= int64(len(p))
	_, o.logErr = o.log.Write(p)
}
