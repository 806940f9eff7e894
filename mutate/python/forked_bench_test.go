//go:build linux

package python_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vallane/lane/internal/testbox"
	"github.com/vallane/lane/internal/testsource"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/python"
)

const mutatedFile = "toolz/itertoolz.py"

// toolz is a project with a suite, an engine for the mutants of one file, and where its sources lie.
func toolz(b *testing.B, tests, file string) (e mutate.Engine, found *python.Result, dir string, bare func(dir string) (exit int)) {
	src := testsource.Debian(b, "toolz", "0.12.0-1", "toolz_0.12.0.orig.tar.gz", "04d555d7ccb3c84301eaad310dd27ba511ae3dcf331ada5828d7cc03942f2c2e")
	dir, cache := project(b, nil), project(b, nil)
	if err := os.CopyFS(dir, os.DirFS(src)); err != nil {
		b.Fatal(err)
	}
	testbox.Give(b, dir)
	argv := []string{"python3", "-m", "pytest", "-q", tests, "--deselect=toolz/tests/test_inspect_args.py::test_inspect_wrapped_property"}
	task := closure(b, argv...)
	cold := task.On(dir, "")
	if err := cold.Warm(b.Context(), cache); err != nil {
		b.Fatal(err)
	}
	cold.Close()
	e, found = engine(b, task, dir, cache, file)
	e.Judge = nil
	var interpreter string
	for _, m := range task.Store {
		if rest, ok := strings.CutPrefix(task.Path[0]+"/python3", m.Box); ok {
			interpreter = m.Host + rest
		}
	}
	return e, found, dir, func(dir string) int {
		ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, interpreter, append([]string{"-m", "pytest", "-x", "-p", "no:cacheprovider"}, argv[3:]...)...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + filepath.Dir(interpreter), "HOME=" + dir, "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0"}
		err := cmd.Run()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			b.Fatal(err)
		}
		return cmd.ProcessState.ExitCode()
	}
}

// BenchmarkForked tries all mutants of a module of toolz in forked sessions, and a sample of them by one process of pytest each, two
// at once in both, and says how often the verdicts agree.
func BenchmarkForked(b *testing.B) {
	e, found, dir, bare := toolz(b, "toolz", mutatedFile)
	for b.Loop() {
		var judged time.Duration
		start := time.Now()
		e.OnEvent = func(ev mutate.Event) {
			if ev.Kind == mutate.EventMutant && ev.Done == ev.Total && judged == 0 {
				judged = time.Since(start)
			}
		}
		rep := mutants(b, e, found)
		all := time.Since(start)
		var tried []mutate.Result
		tiers, spent := map[mutate.Tier]int{}, map[mutate.Verdict]time.Duration{}
		for _, r := range rep.Results {
			if r.Trials > 0 {
				tried = append(tried, r)
				tiers[r.Tier]++
				spent[r.Verdict] += r.CPU
			}
		}
		b.Logf("%d mutants, by tier %v, %v, CPU time by verdict %v, audited %d\n%s",
			len(tried), tiers, rep.Score, spent, len(rep.Audit), strings.Join(rep.Facts, "\n"))
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(tried), func(i, j int) { tried[i], tried[j] = tried[j], tried[i] })
		sample := tried[:min(len(tried), 40)]
		start = time.Now()
		agree := byProcesses(b, dir, sample, bare)
		each := time.Since(start) / time.Duration(len(sample))
		n := time.Duration(len(tried))
		b.ReportMetric(float64(n)/judged.Seconds(), "forked/s")
		b.ReportMetric(float64(n)/all.Seconds(), "audited/s")
		b.ReportMetric(1/each.Seconds(), "processes/s")
		b.ReportMetric(float64(each*n)/float64(judged), "x-before-audit")
		b.ReportMetric(float64(each*n)/float64(all), "x-with-audit")
		b.ReportMetric(100*float64(agree)/float64(len(sample)), "%agree")
	}
}

// byProcesses tries each mutant by a process of its own on a copy of the project, two at once, and counts those that get the same
// verdict.
func byProcesses(b *testing.B, dir string, sample []mutate.Result, bare func(string) int) int {
	var agree atomic.Int64
	next := make(chan mutate.Result)
	var wg sync.WaitGroup
	for range 2 {
		at := b.TempDir()
		if err := os.CopyFS(at, os.DirFS(dir)); err != nil {
			b.Fatal(err)
		}
		src, err := os.ReadFile(filepath.Join(at, mutatedFile))
		if err != nil {
			b.Fatal(err)
		}
		wg.Go(func() {
			for r := range next {
				text, err := r.Mutant.Apply(src)
				if err == nil {
					err = os.WriteFile(filepath.Join(at, mutatedFile), text, 0o644)
				}
				if err != nil {
					b.Error(err)
					continue
				}
				exit := bare(at)
				if killed := exit == 1; killed == (r.Verdict == mutate.Killed) {
					agree.Add(1)
				} else {
					b.Logf("%s: %s at %s (%s), exit status %d in a process of its own", &r.Mutant, r.Verdict, r.Tier, r.Reason, exit)
				}
			}
		})
	}
	for _, r := range sample {
		next <- r
	}
	close(next)
	wg.Wait()
	return int(agree.Load())
}

// BenchmarkForkedVerdicts tries all mutants of two modules in forked sessions, and again by the whole command each (T0), and lists
// those whose verdicts differ.
func BenchmarkForkedVerdicts(b *testing.B) {
	for _, name := range []string{"dicttoolz", "itertoolz"} {
		b.Run(name, func(b *testing.B) {
			e, found, _, _ := toolz(b, "toolz/tests/test_"+name+".py", "toolz/"+name+".py")
			e.SwitchAll = true
			for b.Loop() {
				compare(b, e, found)
			}
		})
	}
}

func compare(b *testing.B, e mutate.Engine, found *python.Result) {
	forked := mutants(b, e, found)
	e.Tier = mutate.T0
	whole := mutants(b, e, found)
	differ, compared := 0, 0
	for i, r := range forked.Results {
		w := whole.Results[i]
		if r.Tier != mutate.T3 {
			continue
		}
		if compared++; w.Verdict != r.Verdict {
			differ++
			b.Logf("%s: %s at T3 (%s), %s at T0 (%s)", &r.Mutant, r.Verdict, r.Reason, w.Verdict, w.Reason)
		}
	}
	b.ReportMetric(float64(compared), "compared")
	b.ReportMetric(float64(differ), "differ")
}

// BenchmarkInferredVerdicts tries those mutants of modules of toolz by the whole command (T0) that need no run of their own because of
// what was recorded: how many they are, and how many verdicts differ. The others are not run at all.
func BenchmarkInferredVerdicts(b *testing.B) {
	for _, name := range []string{"dicttoolz", "functoolz", "itertoolz"} {
		b.Run(name, func(b *testing.B) {
			whole, found, _, _ := toolz(b, "toolz/tests/test_"+name+".py", "toolz/"+name+".py")
			for b.Loop() {
				e := whole
				e.SwitchAll, e.Runner = true, withoutMutants{e.Runner}
				rep := mutants(b, e, found)
				again := python.Result{}
				forked := 0
				for _, r := range rep.Results {
					if r.Tier == mutate.T3 || strings.HasPrefix(r.Reason, "the runner could not") {
						forked++
					}
					if r.Inferred {
						again.Mutants = append(again.Mutants, r.Mutant)
					}
				}
				b.Logf("%d of %d mutants need no run\n%s", len(again.Mutants), forked, strings.Join(rep.Facts, "\n"))
				e = whole
				e.Tier = mutate.T0
				differ := 0
				for _, r := range mutants(b, e, &again).Results {
					if r.Verdict != mutate.Survived {
						differ++
						b.Errorf("%s: never differs, %s at T0 (%s %v)", &r.Mutant, r.Verdict, r.Reason, r.Killers)
					}
				}
				b.ReportMetric(float64(len(again.Mutants)), "compared")
				b.ReportMetric(float64(differ), "differ")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// withoutMutants runs everything but mutants, until the engine gives up on them.
type withoutMutants struct{ mutate.Runner }

func (r withoutMutants) Run(ctx context.Context, t mutate.Trial) (mutate.TrialResult, error) {
	if t.Purpose == mutate.ForMutant {
		return mutate.TrialResult{}, errors.New("not asked")
	}
	return r.Runner.Run(ctx, t)
}
