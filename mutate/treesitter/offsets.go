package treesitter

import (
	"unicode/utf16"
	"unicode/utf8"
)

// offsets leads from tree-sitter's places, which count units of UTF-16, back to bytes. nil: they are the same.
type offsets []int32

// encode returns a source as tree-sitter reads it. ok is false where it is no UTF-8.
func encode(src []byte) (units []uint16, at offsets, ok bool) {
	if !utf8.Valid(src) {
		return nil, nil, false
	}
	units = make([]uint16, 0, len(src))
	ascii := true
	for _, c := range src {
		ascii = ascii && c < utf8.RuneSelf
	}
	if ascii {
		for _, c := range src {
			units = append(units, uint16(c))
		}
		return units, nil, true
	}
	at = make(offsets, 0, len(src)+1)
	for i, r := range string(src) {
		before := len(units)
		units = utf16.AppendRune(units, r)
		for range len(units) - before {
			at = append(at, int32(i))
		}
	}
	return units, append(at, int32(len(src))), true
}

func (o offsets) byte(unit uint32) int {
	if o == nil {
		return int(unit)
	}
	return int(o[min(int(unit), len(o)-1)])
}
