package syntax

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Canary returns a source in a form that no program survives which uses it, for the engine: a run that does not notice it does not use the
// file. Where the language has a way to say so, the program ends as it starts; a build that merely compiles the file is no use of it. It
// knows files of these languages only.
func Canary(p string, src []byte) ([]byte, bool) {
	if !IsSource(p) {
		return nil, false
	}
	eol := "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		eol = "\r\n"
	}
	switch path.Ext(p) {
	case ".rb":
		return atTop(src, "Kernel.exit!(86)"+eol), true
	case ".java":
		return inClass(src), true
	}
	out := slices.Clone(src)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, eol...)
	}
	ending := cCanary
	if path.Ext(p) == ".rs" {
		ending = rustCanary
	}
	return append(out, strings.ReplaceAll(ending, "\n", eol)...), true
}

const (
	// Both run before main. A compiler that knows no such thing refuses it, which is noticed, too; tcc would pass over it.
	cCanary    = "#ifdef __TINYC__\n#error canary\n#endif\n__attribute__((constructor)) static void lane_canary(void) { *(volatile int *)0 = 86; }\n"
	rustCanary = "#[used]\n#[link_section = \".init_array\"]\nstatic LANE_CANARY: extern \"C\" fn() = {\n    extern \"C\" fn end() { ::std::process::abort() }\n    end\n};\n"
)

// atTop puts a line behind the lines of comment with which a script begins: the first names its interpreter, others its encoding.
func atTop(src []byte, line string) []byte {
	at := 0
	for at < len(src) && src[at] == '#' {
		end := bytes.IndexByte(src[at:], '\n')
		if end < 0 {
			return append(slices.Clone(src), "\n"+line...)
		}
		at += end + 1
	}
	return slices.Concat(src[:at], []byte(line), src[at:])
}

var classBody = regexp.MustCompile(`(?m)^[^\n*/"]*\b(class|record)\s+\w[^;{}"]*\{`)

// inClass ends the program where the first class of a file is loaded. A file without one is broken for the compiler.
func inClass(src []byte) []byte {
	at := classBody.FindIndex(src)
	if at == nil {
		return append(slices.Clone(src), "}"...)
	}
	return slices.Concat(src[:at[1]], []byte(" static { Runtime.getRuntime().halt(86); } "), src[at[1]:])
}
