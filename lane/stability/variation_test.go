package stability

import (
	"reflect"
	"slices"
	"testing"
	"time"
)

func TestTheFirstRunIsPlainAndTheOthersDiffer(t *testing.T) {
	plan := Plan(10, []string{Order, Timezone, HashSeed}, "seed")
	if len(plan) != 10 || plan[0] != (Variation{}) {
		t.Fatalf("plan %+v", plan)
	}
	seen := map[uint64]bool{}
	for i, v := range plan[1:] {
		if v.Seed == 0 || v.Timezone == "" || v.HashSeed == 0 || seen[v.Seed] {
			t.Errorf("run %d varies too little: %+v", i+2, v)
		}
		seen[v.Seed] = true
		if _, err := time.LoadLocation(v.Timezone); err != nil {
			t.Errorf("run %d: %v", i+2, err)
		}
	}
	if !reflect.DeepEqual(plan, Plan(10, []string{Order, Timezone, HashSeed}, "seed")) {
		t.Error("the same seed gave another plan")
	}
	if reflect.DeepEqual(plan, Plan(10, []string{Order, Timezone, HashSeed}, "other")) {
		t.Error("another seed gave the same plan")
	}
}

func TestOnlyWhatIsAskedForVaries(t *testing.T) {
	for _, v := range Plan(3, []string{Timezone}, "")[1:] {
		if v.Seed != 0 || v.HashSeed != 0 {
			t.Errorf("%+v varies more than the time zone", v)
		}
		if !slices.Equal(v.Env(), []string{"TZ=" + v.Timezone}) || len(v.Facts()) != 1 {
			t.Errorf("%+v: env %v, facts %v", v, v.Env(), v.Facts())
		}
	}
	if got := Plan(0, nil, ""); len(got) != 1 {
		t.Errorf("no runs asked for: %d planned, want the plain one", len(got))
	}
}
