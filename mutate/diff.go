package mutate

import "bytes"

// hunk is one change between two texts: lines [aStart, aEnd) of the first became lines [bStart, bEnd) of the second,
// counted from 0.
type hunk struct{ aStart, aEnd, bStart, bEnd int }

// splitLines cuts b into lines that keep their terminators, so that joining them gives b again.
func splitLines(b []byte) [][]byte {
	var lines [][]byte
	for len(b) > 0 {
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			n = len(b)
		}
		lines = append(lines, b[:n])
		b = b[n:]
	}
	return lines
}

// diffLines returns the hunks that turn a into b, in order: Myers' linear-space variation of "An O(ND) Difference
// Algorithm and Its Variations" (1986) over interned lines.
func diffLines(a, b [][]byte) []hunk {
	ids := map[string]int{}
	intern := func(lines [][]byte) []int {
		out := make([]int, len(lines))
		for i, l := range lines {
			id, ok := ids[string(l)]
			if !ok {
				id = len(ids)
				ids[string(l)] = id
			}
			out[i] = id
		}
		return out
	}
	d := differ{a: intern(a), b: intern(b)}
	d.gone, d.come = make([]bool, len(a)), make([]bool, len(b))
	d.compare(0, len(a), 0, len(b))
	var hunks []hunk
	for i, j := 0, 0; i < len(a) || j < len(b); {
		if i < len(a) && j < len(b) && !d.gone[i] && !d.come[j] {
			i, j = i+1, j+1
			continue
		}
		h := hunk{aStart: i, bStart: j}
		for i < len(a) && d.gone[i] {
			i++
		}
		for j < len(b) && d.come[j] {
			j++
		}
		h.aEnd, h.bEnd = i, j
		hunks = append(hunks, h)
	}
	return hunks
}

// maxCost bounds the work of one middle-snake search. Beyond it two texts have so little in common that the stretch
// between them is one hunk: still a correct diff, only a coarser one.
const maxCost = 4096

type differ struct {
	a, b       []int
	gone, come []bool // lines of a that are not in b, lines of b that are not in a
}

func (d *differ) compare(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && d.a[a0] == d.b[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && d.a[a1-1] == d.b[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	x, y, ok := 0, 0, false
	if a0 < a1 && b0 < b1 {
		x, y, ok = d.middle(a0, a1, b0, b1)
	}
	// A split at a corner would not make the problem smaller.
	if !ok || (x == a0 && y == b0) || (x == a1 && y == b1) {
		for i := a0; i < a1; i++ {
			d.gone[i] = true
		}
		for j := b0; j < b1; j++ {
			d.come[j] = true
		}
		return
	}
	d.compare(a0, x, b0, y)
	d.compare(x, a1, y, b1)
}

// middle finds a point on a shortest edit path by searching from both ends until the paths meet.
func (d *differ) middle(a0, a1, b0, b1 int) (x, y int, ok bool) {
	n, m := a1-a0, b1-b0
	limit := min((n+m+1)/2, maxCost)
	off := limit + 1
	fwd, bwd := make([]int, 2*off+1), make([]int, 2*off+1)
	delta := n - m
	odd := delta%2 != 0
	for k := 0; k <= limit; k++ {
		for diag := -k; diag <= k; diag += 2 {
			x := step(fwd, off, diag, k)
			for x < n && x-diag < m && x-diag >= 0 && d.a[a0+x] == d.b[b0+x-diag] {
				x++
			}
			fwd[off+diag] = x
			back := delta - diag
			if odd && back >= -(k-1) && back <= k-1 && x+bwd[off+back] >= n && inside(x, x-diag, n, m) {
				return a0 + x, b0 + x - diag, true
			}
		}
		for diag := -k; diag <= k; diag += 2 {
			x := step(bwd, off, diag, k)
			for x < n && x-diag < m && x-diag >= 0 && d.a[a1-1-x] == d.b[b1-1-(x-diag)] {
				x++
			}
			bwd[off+diag] = x
			front := delta - diag
			if !odd && front >= -k && front <= k && x+fwd[off+front] >= n && inside(x, x-diag, n, m) {
				return a1 - x, b1 - (x - diag), true
			}
		}
	}
	return 0, 0, false
}

// step moves to diagonal diag in the k-th round, from the neighbour that is further along.
func step(v []int, off, diag, k int) int {
	switch {
	case k == 0:
		return 0
	case diag == -k || (diag != k && v[off+diag-1] < v[off+diag+1]):
		return v[off+diag+1]
	}
	return v[off+diag-1] + 1
}

func inside(x, y, n, m int) bool { return x >= 0 && x <= n && y >= 0 && y <= m }

// mergeNear joins hunks with at most gap unchanged lines between them.
func mergeNear(hs []hunk, gap int) []hunk {
	var out []hunk
	for _, h := range hs {
		if n := len(out); n > 0 && h.aStart-out[n-1].aEnd <= gap {
			out[n-1].aEnd, out[n-1].bEnd = h.aEnd, h.bEnd
			continue
		}
		out = append(out, h)
	}
	return out
}

// isBinary guesses as git does: a NUL byte in the first 8,000.
func isBinary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 }

// ChangedLines returns the lines of head that differ from base. A deletion is an empty range before the line that
// follows it.
func ChangedLines(base, head []byte) []Range {
	if isBinary(base) || isBinary(head) {
		if bytes.Equal(base, head) {
			return nil
		}
		return []Range{{1, max(1, len(splitLines(head)))}}
	}
	var out []Range
	for _, h := range hunksOf(base, head) {
		out = append(out, Range{h.bStart + 1, h.bEnd})
	}
	return out
}

// hunksOf is the one definition of a changed hunk. Edits with one or two unchanged lines between them are one hunk:
// they seldom make sense apart.
func hunksOf(base, head []byte) []hunk {
	return mergeNear(diffLines(splitLines(base), splitLines(head)), 2)
}
