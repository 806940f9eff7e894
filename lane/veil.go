package lane

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/vallane/lane/assurance"
)

// veil gives names of hidden tests other ones, by a key that is drawn for one check and kept nowhere: who reads two verdicts cannot tell
// which test is which.
type veil struct{ key [32]byte }

func newVeil() veil { return veil{randomSeed()} }

func (v veil) of(name string) string {
	sum := hmac.New(sha256.New, v.key[:])
	sum.Write([]byte(name))
	return "h-" + hex.EncodeToString(sum.Sum(nil)[:8])
}

// over returns an observation without words: how it ended, and which tests came to what, under other names, which names then explains. Order
// and times, which could tell one test from another, are left out too.
func (v veil) over(o *assurance.RunObservation, names map[string]string) *assurance.RunObservation {
	called := func(name string) string {
		out := v.of(name)
		names[out] = name
		return out
	}
	out := &assurance.RunObservation{End: o.End, Exit: o.Exit, Signal: o.Signal, Lost: o.Lost, Leaky: o.Leaky, Tests: []assurance.TestResult{},
		Census: assurance.Census{Peak: o.Census.Peak, Left: o.Census.Left, Inconclusive: o.Census.Inconclusive}}
	for range o.Problems {
		out.Problems = append(out.Problems, "a contradiction; what it is about is hidden")
	}
	for _, t := range o.Tests {
		out.Tests = append(out.Tests, assurance.TestResult{ID: called(t.ID), Unit: called(t.Unit), Status: t.Status})
	}
	for _, u := range o.Units {
		u.ID, u.Message = called(u.ID), ""
		out.Units = append(out.Units, u)
	}
	slices.SortFunc(out.Tests, func(a, b assurance.TestResult) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(out.Units, func(a, b assurance.UnitResult) int { return strings.Compare(a.ID, b.ID) })
	return out
}
