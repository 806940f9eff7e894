package objects

import (
	"bufio"
	"io"
)

// ReadFromPack reads an object of one pack without the retries of a Store.
func ReadFromPack(path string, id ID) (kind Type, data []byte, err error) {
	index, err := readPackIndex(path + ".idx")
	if err != nil {
		return 0, nil, err
	}
	p := &pack{path: path, index: index}
	defer p.close()
	at, ok := p.index.offset(id)
	if !ok {
		return 0, nil, errNotHere
	}
	in := &inflater{buffer: bufio.NewReaderSize(nil, 16<<10)}
	err = p.read(in, at, &baseCache{}, func(k Type, _ int64, content io.Reader) error {
		kind = k
		data, err = io.ReadAll(io.LimitReader(content, 1<<20))
		return err
	})
	return kind, data, err
}
