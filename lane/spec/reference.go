package spec

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

//go:embed example.toml
var example string

// Example returns a spec that spells out what most specs hold.
func Example() string { return example }

const referenceHead = `# The spec

<!-- Made from the table of settings in lane/spec; a test holds it fresh: go test ./lane/spec -update -->

A spec is one TOML file that says what Lane verifies: which change, against which criteria, by which tasks, to which
assurance level. ` + "`lane check FILE`" + ` takes any file; ` + "`lane check`" + ` alone takes lane.toml, or else every specs/*.toml.
` + "`lane spec explain FILE`" + ` prints what a spec comes to, with its defaults marked.

The smallest spec:

` + "```toml" + `
id = "first"

[[task]]
name = "unit"
run = ["go", "test", "./..."]
` + "```" + `

One that spells out more:

`

const referenceRules = `## Rules

Every problem of a file is reported at once, as FILE:LINE:COLUMN. Lines and columns count from 1; columns count Unicode
code points. An unknown key is an error that names the key that was probably meant.

A file is UTF-8, with or without a byte order mark, with lines that end in LF or CR LF, and has at most 1 MiB. No
environment variable changes what a spec says.

An id names files: it ` + idWords + `. Ids that differ in case only count as the same.

Paths and patterns are relative to the root of the tree, separated by slashes; absolute ones and those with ` + "`..`" + ` are
refused. Text has no control characters, nor any that hide or reorder what stands around them.

Which tests are required: those that a criterion, a task or ` + "`[tests]`" + ` names. Where none is named, every test that passes on
base and every test that the change adds.
`

// Reference returns the reference page of the spec, in Markdown.
func Reference() []byte {
	var b bytes.Buffer
	b.WriteString(referenceHead)
	b.WriteString("```toml\n" + example + "```\n\n## Keys\n")
	settings := Settings()
	writeKeys(&b, settings, "", "At the top of the file", "")
	for _, s := range settings {
		if s.isTable() {
			writeKeys(&b, settings, s.Key, "`"+label(s.Key)+"`", s.Doc)
		}
	}
	b.WriteString("\n## Types\n\n| type | takes |\n|---|---|\n")
	types := kinds()
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if k := types[name]; k.doc != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", name, cell(k.doc))
		}
	}
	b.WriteString("\n" + referenceRules)
	b.WriteString("\n## Variables that a task may not set\n\n| variables | because |\n|---|---|\n")
	for _, group := range closed() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(group.names, " ", "` `"), cell(group.reason))
	}
	return b.Bytes()
}

func writeKeys(b *bytes.Buffer, settings []Setting, table, title, doc string) {
	fmt.Fprintf(b, "\n### %s\n\n", title)
	if doc != "" {
		fmt.Fprintf(b, "%s\n\n", doc)
	}
	b.WriteString("| key | type | default | meaning |\n|---|---|---|---|\n")
	for _, s := range settings {
		if s.Table() != table || s.isTable() {
			continue
		}
		standard := ""
		switch {
		case s.Required:
			standard = "required"
		case s.Default != "":
			standard = "`" + s.Default + "`"
		}
		meaning := s.Doc
		if len(s.Enum) > 0 {
			meaning = "`" + strings.Join(s.Enum, "`, `") + "`. " + meaning
		}
		if s.Type == "integer" {
			meaning += fmt.Sprintf(" From %d to %d.", s.Min, s.Max)
		}
		if s.Env != "" {
			meaning += " Environment: `" + s.Env + "`."
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", s.Name(), s.Type, cell(standard), cell(meaning))
	}
}

// cell makes a text fit into one cell of a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
