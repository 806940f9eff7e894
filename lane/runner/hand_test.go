package runner

import (
	"slices"
	"testing"
)

func TestByHandNothingReports(t *testing.T) {
	got := unobserved([]string{
		"LANE_EVENTS=3", "GOFLAGS=-mod=vendor -overlay=/lane/go/overlay.json -count=1", "NODE_OPTIONS=--require=/lane/node/observe.js",
		"PYTHONPATH=", "GOCACHE=/cache/go-build", "X=a  b",
	})
	want := []string{"GOFLAGS=-mod=vendor -count=1", "PYTHONPATH=", "GOCACHE=/cache/go-build", "X=a  b"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
