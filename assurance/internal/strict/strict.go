// Package strict reads the JSON of verdicts and envelopes so that no two readers can disagree about what it says, and the TOML of readers so that
// no key of theirs goes unread.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// MaxSize bounds what is read, in bytes.
const MaxSize = 256 << 20

// Read reads JSON into x, which points to a struct; what names it in errors. It refuses everything about which two readers could
// disagree: keys that are not exactly those of the struct (encoding/json takes other cases too), keys that
// occur twice (it takes the last one), data after the end, text that is no UTF-8, null where a value belongs.
func Read(data []byte, what string, x any) error {
	switch {
	case len(data) > MaxSize:
		return fmt.Errorf("it is longer than %d bytes", MaxSize)
	case !utf8.Valid(data):
		return errors.New("it is not UTF-8")
	}
	if err := json.Unmarshal(data, x); err != nil {
		return fmt.Errorf("it is no JSON of %s: %v", what, err)
	}
	w := walker{data: data, fields: map[reflect.Type]map[string]reflect.Type{}}
	return w.value(reflect.TypeOf(x).Elem(), what)
}

// walker compares the keys of JSON with the type that it was read into. It relies on the data being valid,
// which encoding/json has checked, and so only has to find its way.
type walker struct {
	data   []byte
	at     int
	fields map[reflect.Type]map[string]reflect.Type
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// next skips white space and returns the byte there, 0 at the end.
func (w *walker) next() byte {
	for w.at < len(w.data) {
		switch c := w.data[w.at]; c {
		case ' ', '\t', '\n', '\r':
			w.at++
		default:
			return c
		}
	}
	return 0
}

func (w *walker) value(t reflect.Type, where string) error {
	c := w.next()
	if t.Kind() == reflect.Pointer && c != 'n' {
		t = t.Elem()
	}
	if t == reflect.TypeFor[json.RawMessage]() { // whoever reads it on does so strictly
		w.skip()
		return nil
	}
	whole := reflect.PointerTo(t).Implements(unmarshaler)
	switch {
	case c == '{' && t.Kind() == reflect.Map:
		return w.object(where, func(string) (reflect.Type, bool) { return t.Elem(), true })
	case c == '{' && t.Kind() == reflect.Struct && !whole:
		fields := w.named(t)
		return w.object(where, func(key string) (reflect.Type, bool) { f, ok := fields[key]; return f, ok })
	case c == '[' && t.Kind() == reflect.Slice && !whole:
		w.at++
		for w.next() != ']' {
			if err := w.value(t.Elem(), where); err != nil {
				return err
			}
			if w.next() == ',' {
				w.at++
			}
		}
		w.at++
		return nil
	case c == 'n' && t.Kind() != reflect.Slice && t.Kind() != reflect.Map && t.Kind() != reflect.Pointer:
		return fmt.Errorf("%s holds null in a place for a %s", where, t.Kind())
	case c == '{', c == '[', c == 0:
		return fmt.Errorf("%s holds something else than a %s", where, t.Kind())
	}
	w.scalar(c)
	return nil
}

func (w *walker) object(where string, field func(string) (reflect.Type, bool)) error {
	seen := map[string]bool{}
	w.at++
	for w.next() != '}' {
		key, err := w.key()
		if err != nil {
			return fmt.Errorf("%s has a key that cannot be read: %v", where, err)
		}
		t, ok := field(key)
		if !ok {
			return fmt.Errorf("%s has the unknown key %q", where, key)
		}
		if seen[key] {
			return fmt.Errorf("%s has the key %q twice", where, key)
		}
		seen[key] = true
		w.next()
		w.at++ // the colon
		if err := w.value(t, key); err != nil {
			return err
		}
		if w.next() == ',' {
			w.at++
		}
	}
	w.at++
	return nil
}

func (w *walker) key() (key string, err error) {
	from := w.at
	w.scalar('"')
	raw := w.data[from:w.at]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	err = json.Unmarshal(raw, &key)
	return key, err
}

// scalar skips a string, number, true, false or null.
func (w *walker) scalar(c byte) {
	if c != '"' {
		for w.at < len(w.data) && strings.IndexByte(" \t\r\n,]}:", w.data[w.at]) < 0 {
			w.at++
		}
		return
	}
	for w.at++; w.at < len(w.data) && w.data[w.at] != '"'; w.at++ {
		if w.data[w.at] == '\\' {
			w.at++
		}
	}
	w.at++
}

// named returns the fields of a struct by their exact JSON names.
func (w *walker) named(t reflect.Type) map[string]reflect.Type {
	if w.fields[t] == nil {
		m := map[string]reflect.Type{}
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
				m[name] = t.Field(i).Type
			}
		}
		w.fields[t] = m
	}
	return w.fields[t]
}
