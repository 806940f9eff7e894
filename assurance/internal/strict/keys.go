package strict

import (
	"encoding/json"
	"errors"
)

// Keys returns the values of an object's own keys, as they stand there. It finds its way and no more: what it returns for JSON that is
// not valid is for Read to refuse.
func Keys(data []byte) (map[string]json.RawMessage, error) {
	broken := errors.New("it is no JSON object")
	w := walker{data: data}
	if w.next() != '{' {
		return nil, broken
	}
	keys := map[string]json.RawMessage{}
	w.at++
	for {
		switch w.next() {
		case '}':
			return keys, nil
		case ',':
			w.at++
			continue
		case '"':
		default:
			return nil, broken
		}
		from := w.at
		w.scalar('"')
		if w.at > len(data) || w.at-from < 2 {
			return nil, broken
		}
		var key string
		if err := json.Unmarshal(data[from:w.at], &key); err != nil {
			return nil, broken
		}
		if w.next() != ':' {
			return nil, broken
		}
		w.at++
		w.next()
		from = w.at
		w.skip()
		if w.at > len(data) || w.at == from {
			return nil, broken
		}
		keys[key] = data[from:w.at]
	}
}

// skip passes over one value, however deep.
func (w *walker) skip() {
	for depth := 0; w.at < len(w.data); {
		switch c := w.data[w.at]; c {
		case '"':
			w.scalar(c)
		case '{', '[':
			depth++
			w.at++
			continue
		case '}', ']':
			if depth == 0 {
				return // of what is around
			}
			depth--
			w.at++
		case ' ', '\t', '\r', '\n', ',', ':':
			if depth == 0 {
				return
			}
			w.at++
			continue
		default:
			w.scalar(c)
		}
		if depth == 0 {
			return
		}
	}
}
