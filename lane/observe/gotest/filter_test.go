package gotest

import (
	"slices"
	"strings"
	"testing"
)

// TestFilter holds what a command is known to let run; what cannot be known is not claimed.
func TestFilter(t *testing.T) {
	names := strings.Fields("TestA TestAB TestB FuzzA ExampleA")
	for command, want := range map[string]string{
		"go test ./...":                    "TestA TestAB TestB FuzzA ExampleA",
		"go test -run TestA ./...":         "TestA TestAB",
		"go test -run=^TestA$|B ./...":     "TestA TestAB TestB",
		"go test -skip AB -run Test ./...": "TestA TestB",
		"go test -run TestA/x ./...":       "",
		"go test -run ( ./...":             "",
		"go test -fuzz FuzzA .":            "",
		"go test -list . ./...":            "",
		"go test . -args -test.run=TestA":  "",
		"make test":                        "",
	} {
		if got := filterOf(strings.Fields(command)).surely(names); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", command, got, want)
		}
	}
}
