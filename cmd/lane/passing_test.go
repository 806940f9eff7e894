package main

import "testing"

// F14: what a command prints has no effect on the terminal.
func TestControlCharactersAreShown(t *testing.T) {
	for in, want := range map[string]string{
		"ok  \tpkg\t0.1s\r\n":       "ok  \tpkg\t0.1s\r\n",
		"\x1b[2J\x1b]0;x\a\x7f\x00": "^[[2J^[]0;x^G^?^@",
		"hidden\rshown\n":           "hidden^Mshown\n",
		"é \u009b31m ¢ 中\xff":       "é ?31m ¢ 中\xff",
	} {
		var w passing
		whole := string(w.shown([]byte(in)))
		var pieces []byte
		var p passing
		for i := range len(in) {
			pieces = append(pieces, p.shown([]byte{in[i]})...)
		}
		if whole != want {
			t.Errorf("%q is shown as %q, want %q", in, whole, want)
		}
		if in[len(in)-2:] != "\r\n" && string(pieces) != want {
			t.Errorf("%q in pieces is shown as %q, want %q", in, pieces, want)
		}
	}
}
