package golang

import "bytes"

// Canary returns a Go file in a form that builds and that no program survives which has it linked in, for the engine: a
// run that does not notice it does not use the file. A build that merely compiles the file is no use of it, so the
// canary waits for the start of the program. It knows Go files only.
func Canary(p string, src []byte) ([]byte, bool) {
	if !IsSource(p) {
		return nil, false
	}
	return append(bytes.Clone(src), "\n\nfunc init() { panic(\"canary\") }\n"...), true
}
