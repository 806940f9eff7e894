package nar

import (
	"errors"
	"fmt"
	"strings"
)

// alphabet is Nix's: the digits and the lower-case letters without e, o, u, t.
const alphabet = "0123456789abcdfghijklmnpqrsvwxyz"

func encodedLen(n int) int { return (n*8 + 4) / 5 }

// EncodeBase32 writes b in Nix's base 32. It is not RFC 4648's: the digits run
// from the last five bits to the first, counted from the low bit of byte 0.
func EncodeBase32(b []byte) string {
	out := make([]byte, 0, encodedLen(len(b)))
	for n := encodedLen(len(b)) - 1; n >= 0; n-- {
		bit := n * 5
		i, shift := bit/8, bit%8
		c := b[i] >> shift
		if i+1 < len(b) {
			c |= b[i+1] << (8 - shift)
		}
		out = append(out, alphabet[c&31])
	}
	return string(out)
}

// DecodeBase32 reads what EncodeBase32 wrote, and refuses any other spelling
// of the same bytes.
func DecodeBase32(s string) ([]byte, error) {
	size := len(s) * 5 / 8
	if encodedLen(size) != len(s) {
		return nil, fmt.Errorf("no bytes have a base 32 form of %d digits", len(s))
	}
	out := make([]byte, size)
	for n := range len(s) {
		digit := strings.IndexByte(alphabet, s[len(s)-1-n])
		if digit < 0 {
			return nil, fmt.Errorf("%q is no digit of Nix's base 32", s[len(s)-1-n])
		}
		bit := n * 5
		i, shift := bit/8, bit%8
		out[i] |= byte(digit << shift)
		spill := digit >> (8 - shift)
		if i+1 < size {
			out[i+1] |= byte(spill)
		} else if spill != 0 {
			return nil, errors.New("bits are set beyond the last byte")
		}
	}
	return out, nil
}
