//go:build linux

package nodetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/observe"
)

// In a real box: what each test file reaches, in all of its processes, whatever the encoding of a source. A file that tells nothing
// may reach anything.
func TestCover(t *testing.T) {
	tests := []string{"test/one.test.js > negative", "test/two.test.js > positive", "test/two.test.js > in another process", "test/three.test.mjs > module",
		"test/silent.test.js > ends without a word"}
	got := map[string][]string{}
	known, err := stage(t, "reaches", []string{"node", "--test"}).Cover(t.Context(), tests, 1, nil, func(test string, reach observe.Reach) error {
		for file, lines := range reach {
			if strings.HasPrefix(file, "lib/") {
				got[test] = append(got[test], fmt.Sprint(file, lines))
			}
		}
		slices.Sort(got[test])
		return nil
	})
	if err != nil || !known {
		t.Fatalf("known %v, %v", known, err)
	}
	both := "[lib/a.js[{1 2} {5 6} {8 10} {12 12} {14 14}]]"
	for test, want := range map[string]string{
		tests[0]: "[lib/a.js[{1 4} {6 6} {8 8} {10 10} {12 12} {14 14}]]", tests[1]: both, tests[2]: both, tests[3]: "[lib/b.mjs[{1 5}]]", tests[4]: "[]",
	} {
		if fmt.Sprint(got[test]) != want {
			t.Errorf("%s: %v, want %s", test, got[test], want)
		}
	}
}

// A child that holds the output of its file keeps nobody waiting.
func TestCoverOfAFileWhoseOutputIsHeld(t *testing.T) {
	known, err := stage(t, "child_holds_stdout", []string{"node", "--test"}).Cover(t.Context(), []string{"a.test.js > x"}, 1, nil, func(string, observe.Reach) error { return nil })
	if err != nil || !known {
		t.Errorf("known %v, %v", known, err)
	}
}

func TestFlagsOfATestFile(t *testing.T) {
	c, _ := parseCommand(strings.Fields("node --test --test-concurrency 2 --no-warnings --test-force-exit --experimental-test-coverage --import ./x.mjs a.test.js"))
	if got := strings.Join(c.withoutRunner(), " "); got != "--no-warnings --test-force-exit --import ./x.mjs" {
		t.Errorf("%s", got)
	}
}

func TestHostileReach(t *testing.T) {
	for _, profile := range []string{"", "[]", `{"units":{"a.js":{"b.js":[[2,1]]}}}`, `{"units":{"a.js":{"b.js":[[0,1]]}}}`} {
		if _, err := parseReach([]byte(profile), []string{"a.js > t"}); err == nil {
			t.Errorf("%q: no error", profile)
		}
	}
}
