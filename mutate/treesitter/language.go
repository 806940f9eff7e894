package treesitter

import "embed"

// Language is one of the grammars.
type Language string

// The grammars that are there. Each reads the syntax that its name says and nothing else: TypeScript reads no JSX, JavaScript
// reads JSX.
const (
	JavaScript Language = "javascript"
	TypeScript Language = "typescript"
	TSX        Language = "tsx"
	Rust       Language = "rust"
	Java       Language = "java"
	Ruby       Language = "ruby"
	C          Language = "c"
)

//go:embed grammars/*.wasm
var modules embed.FS

// core is the file of tree-sitter itself, to which a grammar is linked.
const core = "grammars/web-tree-sitter.wasm"

func (l Language) file() string { return "grammars/tree-sitter-" + string(l) + ".wasm" }
