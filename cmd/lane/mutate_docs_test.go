package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// docs/mutation.md has a row for each flag and each format of lane mutate.
func TestMutateIsDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/mutation.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(data), "## Flags")
	c := &cobra.Command{}
	(&mutateFlags{}).register(c)
	flags := regexp.MustCompile(`(?m)^ +--([a-z-]+)`).FindAllStringSubmatch(c.Flags().FlagUsages(), -1)
	if len(flags) < 10 {
		t.Fatalf("found flags %v", flags)
	}
	for _, f := range flags {
		if !strings.Contains(rows, "`--"+f[1]+"`") && !strings.Contains(rows, "`--"+f[1]+" ") {
			t.Errorf("docs/mutation.md has no row for --%s", f[1])
		}
	}
	for _, format := range mutateFormats {
		if !strings.Contains(string(data), "\n| `"+format+"` |") {
			t.Errorf("docs/mutation.md has no row for the format %s", format)
		}
	}
}
