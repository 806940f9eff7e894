package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFoldersAreWrittenTo(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]State{
		dir: OK, filepath.Join(dir, "not/yet/there"): OK, file: Missing, filepath.Join(file, "below"): Missing, "/proc/nothing": Missing,
	} {
		f := folder("state", name, "no verdict can be written", "LANE_STATE")
		if f.State == Degraded { // a disk that is nearly full
			f.State = OK
		}
		if f.State != want || want == Missing && (f.Costs == "" || !strings.Contains(f.Fix, "LANE_STATE")) {
			t.Errorf("%s: %+v, want %s", name, f, want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".lane*")); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

func TestClockBeforeTheBuild(t *testing.T) {
	o := Options{State: t.TempDir(), Built: time.Now().Add(time.Hour)}
	if f := clock(o); f.State != Degraded || f.Fix == "" {
		t.Errorf("%+v", f)
	}
	o.Built = time.Now().Add(-time.Hour)
	if f := clock(o); f.State != OK {
		t.Errorf("%+v", f)
	}
}

func TestKernelsByVersion(t *testing.T) {
	for _, c := range []struct {
		a, b [2]int
		want bool
	}{{[2]int{5, 10}, leastKernel, true}, {[2]int{5, 12}, leastKernel, false}, {[2]int{6, 1}, fullKernel, true}, {[2]int{10, 0}, fullKernel, false}} {
		if older(c.a, c.b) != c.want {
			t.Errorf("%v before %v: want %v", c.a, c.b, c.want)
		}
	}
}
