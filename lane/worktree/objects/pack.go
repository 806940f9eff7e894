package objects

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/klauspost/compress/zlib"
)

// pack reads objects of one pack. It is the short way for what a checkout asks for: go-git decodes the
// index into maps once per goroutine and holds every object in memory before it hands it out, which
// made a checkout take twice as long as git's. What is not simple here (deltas of large files) is
// left to go-git. Any number of goroutines may read at once.
type pack struct {
	path  string // without .idx or .pack
	index packIndex

	mu   sync.Mutex
	file *os.File
}

// maxDelta is the largest object, in bytes, that is put together in memory from deltas.
const maxDelta = 4 << 20

var (
	errBadPack = errors.New("pack is malformed")
	errNotHere = errors.New("left to go-git")
)

// packIndex is a version 2 index as it lies on disk.
type packIndex struct {
	data  []byte
	count int
}

const indexHeader = 8 + 256*4

func readPackIndex(path string) (packIndex, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return packIndex{}, err
	}
	x := packIndex{data: data}
	if len(data) < indexHeader || !bytes.HasPrefix(data, []byte("\xfftOc\x00\x00\x00\x02")) {
		return x, errNotHere
	}
	x.count = int(binary.BigEndian.Uint32(data[indexHeader-4:]))
	if len(data) < indexHeader+x.count*(20+4+4)+40 {
		return x, errBadPack
	}
	return x, nil
}

// offset finds where in the pack an object begins.
func (x *packIndex) offset(id ID) (int64, bool) {
	fan := func(b int) int { return int(binary.BigEndian.Uint32(x.data[8+4*b:])) }
	low, high := 0, min(fan(int(id[0])), x.count)
	if id[0] > 0 {
		low = fan(int(id[0]) - 1)
	}
	names := x.data[indexHeader:]
	for low < high {
		mid := (low + high) / 2
		switch bytes.Compare(id[:], names[20*mid:20*mid+20]) {
		case 0:
			return x.offsetAt(mid)
		case -1:
			high = mid
		default:
			low = mid + 1
		}
	}
	return 0, false
}

func (x *packIndex) offsetAt(i int) (int64, bool) {
	offsets := x.data[indexHeader+x.count*(20+4):]
	short := binary.BigEndian.Uint32(offsets[4*i:])
	if short&(1<<31) == 0 {
		return int64(short), true
	}
	long := int(short&^(1<<31)) * 8
	table := offsets[4*x.count:]
	if long+8 > len(table)-40 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(table[long:]) &^ (1 << 63)), true
}

// open opens the pack. It stays open, so that it can be read also after git has removed it.
func (p *pack) open() (*os.File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		f, err := os.Open(p.path + ".pack")
		if err != nil {
			return nil, err
		}
		p.file = f
	}
	return p.file, nil
}

func (p *pack) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file != nil {
		p.file.Close()
		p.file = nil
	}
}

// Kinds of entries in a pack, beside those that Type names.
const (
	offsetDelta = plumbing.OFSDeltaObject
	nameDelta   = plumbing.REFDeltaObject
)

// inflater is what reading one entry needs, to be used again.
type inflater struct {
	buffer *bufio.Reader
	zlib   io.ReadCloser
}

// header reads the kind and size of the entry at an offset, and for a delta where its base is. The
// entry's deflated content follows in in.buffer.
func (in *inflater) header(f *os.File, p *pack, at int64) (kind Type, size int64, base int64, err error) {
	in.buffer.Reset(io.NewSectionReader(f, at, 1<<62))
	c, err := in.buffer.ReadByte()
	if err != nil {
		return 0, 0, 0, err
	}
	kind, size = Type(c>>4&7), int64(c&15)
	for shift := 4; c&0x80 != 0; shift += 7 {
		if c, err = in.buffer.ReadByte(); err != nil || shift > 50 {
			return 0, 0, 0, errBadPack
		}
		size |= int64(c&0x7f) << shift
	}
	switch kind {
	case offsetDelta:
		back := int64(0)
		for n := 0; ; n++ {
			if c, err = in.buffer.ReadByte(); err != nil || n > 8 {
				return 0, 0, 0, errBadPack
			}
			back = back<<7 | int64(c&0x7f)
			if c&0x80 == 0 {
				break
			}
			back++
		}
		if base = at - back; back <= 0 || base <= 0 {
			return 0, 0, 0, errBadPack
		}
	case nameDelta:
		var id ID
		if _, err := io.ReadFull(in.buffer, id[:]); err != nil {
			return 0, 0, 0, errBadPack
		}
		var ok bool
		if base, ok = p.index.offset(id); !ok {
			return 0, 0, 0, errNotHere
		}
	case Commit, Tree, Blob, Tag:
	default:
		return 0, 0, 0, errBadPack
	}
	return kind, size, base, nil
}

// content starts to inflate what follows the header.
func (in *inflater) content() (io.Reader, error) {
	if in.zlib == nil {
		z, err := zlib.NewReader(in.buffer)
		in.zlib = z
		return z, err
	}
	return in.zlib, in.zlib.(zlib.Resetter).Reset(in.buffer, nil)
}

// read hands an object to visit as a stream, or returns errNotHere.
func (p *pack) read(in *inflater, at int64, bases *baseCache, visit func(kind Type, size int64, content io.Reader) error) error {
	f, err := p.open()
	if err != nil {
		return err
	}
	kind, size, _, err := in.header(f, p, at)
	if err != nil {
		return err
	}
	if kind != offsetDelta && kind != nameDelta {
		content, err := in.content()
		if err != nil {
			return err
		}
		return visit(kind, size, io.LimitReader(content, size+1)) // one more shows where there is more
	}
	kind, data, err := p.resolve(in, f, at, bases, 0)
	if err != nil {
		return err
	}
	return visit(kind, int64(len(data)), bytes.NewReader(data))
}

// resolve puts an object together from its deltas.
func (p *pack) resolve(in *inflater, f *os.File, at int64, bases *baseCache, depth int) (Type, []byte, error) {
	if b, ok := bases.get(p, at); ok {
		return b.kind, b.data, nil
	}
	if depth > 4096 { // git's own bound on the length of a chain is 4095
		return 0, nil, errBadPack
	}
	kind, size, base, err := in.header(f, p, at)
	if err != nil {
		return 0, nil, err
	}
	if size > maxDelta {
		return 0, nil, errNotHere
	}
	content, err := in.content()
	if err != nil {
		return 0, nil, err
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(content, data); err != nil {
		return 0, nil, fmt.Errorf("%w: %v", errBadPack, err)
	}
	if kind == offsetDelta || kind == nameDelta {
		if deltaResult(data) > maxDelta {
			return 0, nil, errNotHere
		}
		baseKind, baseData, err := p.resolve(in, f, base, bases, depth+1)
		if err != nil {
			return 0, nil, err
		}
		if len(baseData) == 0 {
			return 0, nil, errNotHere
		}
		if data, err = packfile.PatchDelta(baseData, data); err != nil {
			return 0, nil, fmt.Errorf("%w: %v", errBadPack, err)
		}
		kind = baseKind
	}
	if depth > 0 {
		bases.put(p, at, kind, data)
	}
	return kind, data, nil
}

// deltaResult is the size of what a delta makes, its second number.
func deltaResult(delta []byte) uint64 {
	_, n := binary.Uvarint(delta)
	if n <= 0 {
		return 0
	}
	size, _ := binary.Uvarint(delta[n:])
	return size
}

// baseCache keeps the bases of deltas: neighbours in a tree often have the same ones.
type baseCache struct {
	size    int
	entries map[baseKey]base
}

type baseKey struct {
	p  *pack
	at int64
}

type base struct {
	kind Type
	data []byte
}

func (c *baseCache) get(p *pack, at int64) (base, bool) {
	b, ok := c.entries[baseKey{p, at}]
	return b, ok
}

// put makes room by forgetting all: what is needed again soon is here again soon.
func (c *baseCache) put(p *pack, at int64, kind Type, data []byte) {
	if len(data) > cacheSize/4 {
		return
	}
	if c.size += len(data); c.size > cacheSize || c.entries == nil {
		c.entries, c.size = map[baseKey]base{}, len(data)
	}
	c.entries[baseKey{p, at}] = base{kind, data}
}
