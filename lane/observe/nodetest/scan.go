package nodetest

import (
	"bytes"
	"io"
	"os"
)

// contains reports whether a file holds a text. It is read in pieces: a program may be large.
func contains(name, text string) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	buf := make([]byte, 1<<20)
	kept := 0
	for {
		n, err := f.Read(buf[kept:])
		if bytes.Contains(buf[:kept+n], []byte(text)) {
			return true, nil
		}
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		keep := min(len(text)-1, kept+n)
		copy(buf, buf[kept+n-keep:kept+n])
		kept = keep
	}
}
