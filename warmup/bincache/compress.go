package bincache

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// maxWindow bounds the memory that an archive can ask its reader for: zstd --long=27 is the most that is in use.
const maxWindow = 128 << 20

// decompress reads what from holds; closing the result closes from.
func decompress(from io.ReadCloser, compression string) (io.ReadCloser, error) {
	switch compression {
	case "none":
		return from, nil
	case "zstd":
		r, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("read zstd: %w", err)
		}
		return &decompressed{r, func() error { r.Close(); return from.Close() }}, nil
	case "xz":
		r, err := xz.ReaderConfig{DictCap: maxWindow}.NewReader(bufio.NewReader(from))
		if err != nil {
			return nil, fmt.Errorf("read xz: %w", err)
		}
		return &decompressed{r, from.Close}, nil
	case "bzip2":
		return &decompressed{bzip2.NewReader(from), from.Close}, nil
	case "gzip":
		r, err := gzip.NewReader(from)
		if err != nil {
			return nil, fmt.Errorf("read gzip: %w", err)
		}
		return &decompressed{r, from.Close}, nil
	}
	return nil, fmt.Errorf("the archive is compressed by %q, and Lane reads none, zstd, xz, bzip2 and gzip", compression)
}

type decompressed struct {
	io.Reader
	close func() error
}

func (d *decompressed) Close() error { return d.close() }
