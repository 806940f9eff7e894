package gotest

import "strings"

// seedImports are the packages of the standard library that tests and what they test use most; each brings
// its own dependencies. What is missing here (net/http, say) is compiled once per tree: a longer list would
// make everybody's first check pay for what few need. runtime/coverage is what each program that measures coverage has in it: some
// twenty packages, which are compiled again for each build where no layer below has them.
var seedImports = strings.Fields(`bufio bytes context encoding/json errors flag fmt io log math os os/exec path/filepath reflect regexp runtime/coverage
	sort strconv strings sync time`)

// Seed is a module whose test imports the common part of the standard library.
func (Reporter) Seed() map[string]string {
	var b strings.Builder
	b.WriteString("package seed\n\nimport (\n\t\"testing\"\n")
	for _, p := range seedImports {
		b.WriteString("\t_ \"" + p + "\"\n")
	}
	b.WriteString(")\n\nfunc TestSeed(t *testing.T) {}\n")
	return map[string]string{
		"go.mod":       "module lane.invalid/seed\n\ngo 1.21\n",
		"seed.go":      "package seed\n",
		"seed_test.go": b.String(),
	}
}
