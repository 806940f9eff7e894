package objects

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
)

// NewPack is a pack that is being written: whole objects, no deltas. The same objects in the same order give the same
// bytes. It is not safe for more than one goroutine.
type NewPack struct {
	file  *os.File
	end   int64 // where the next object goes
	index idxfile.Writer
	known map[ID]bool
}

// packHeader is the length in bytes of what stands before the first object.
const packHeader = 12

// CreatePack begins a pack in an empty file that can be read, too.
func CreatePack(file *os.File) *NewPack {
	return &NewPack{file: file, end: packHeader, known: map[ID]bool{}}
}

// Copy takes an object of the store into the pack, unless it is there.
func (p *NewPack) Copy(ctx context.Context, s *Store, id ID, kind Type) error {
	if p.known[id] {
		return nil
	}
	var end int64
	var crc uint32
	err := s.Visit(ctx, id, kind, func(size int64, content io.Reader) (err error) {
		end, crc, err = p.write(kind, size, content) // over what an earlier try wrote
		return err
	})
	if err != nil {
		return err
	}
	p.index.Add(id, uint64(p.end), crc)
	p.known[id], p.end = true, end
	return nil
}

// write puts one object behind those that are there.
func (p *NewPack) write(kind Type, size int64, content io.Reader) (end int64, crc uint32, err error) {
	sum := crc32.NewIEEE()
	out := &counted{to: io.MultiWriter(io.NewOffsetWriter(p.file, p.end), sum)}
	if _, err := out.Write(objectHeader(kind, size)); err != nil {
		return 0, 0, err
	}
	z := zlib.NewWriter(out)
	if _, err := io.Copy(z, content); err != nil {
		return 0, 0, err
	}
	if err := z.Close(); err != nil {
		return 0, 0, err
	}
	return p.end + out.n, sum.Sum32(), nil
}

// objectHeader is the kind in three bits and the size in groups of four, seven, seven... bits, the lowest first.
func objectHeader(kind Type, size int64) (h []byte) {
	b := byte(kind)<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		h = append(h, b|0x80)
		b = byte(size & 127)
	}
	return append(h, b)
}

type counted struct {
	to io.Writer
	n  int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// Finish writes header and checksum. It returns the pack's name and its index.
func (p *NewPack) Finish() (name ID, index []byte, err error) {
	head := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(p.known)))
	if _, err := p.file.WriteAt(head, 0); err != nil {
		return name, nil, err
	}
	if err := p.file.Truncate(p.end); err != nil {
		return name, nil, err
	}
	sum := sha1.New()
	if _, err := io.Copy(sum, io.NewSectionReader(p.file, 0, p.end)); err != nil {
		return name, nil, err
	}
	name = ID(sum.Sum(nil))
	if _, err := p.file.WriteAt(name[:], p.end); err != nil {
		return name, nil, err
	}
	if err := p.index.OnFooter(name); err != nil {
		return name, nil, fmt.Errorf("index pack %s: %v", name, err)
	}
	table, err := p.index.Index()
	if err != nil {
		return name, nil, fmt.Errorf("index pack %s: %v", name, err)
	}
	var b bytes.Buffer
	_, err = idxfile.NewEncoder(&b).Encode(table)
	return name, b.Bytes(), err
}
