package mutate_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/golang"
)

// project is a Go project with everything that an engine wants to know about it.
type project struct {
	*goRunner
	engine  mutate.Engine
	mutants []mutate.Mutant
}

// loadCovered is load, and each test alone for its coverage: then the engine uses T1.
func loadCovered(t *testing.T, dir string, passing ...string) *project {
	t.Helper()
	p := load(t, dir, passing...)
	p.engine.Select, p.engine.Reach = true, &mutate.Reach{}
	for i, ct := range p.engine.Clean {
		p.engine.Clean[i].CPU, p.engine.Clean[i].Wall = p.cover(ct.ID)
	}
	return p
}

// load makes all mutants of a project and an engine for it, which uses T0. The tests named are those that pass on the
// clean tree, by import path and name.
func load(t *testing.T, dir string, passing ...string) *project {
	t.Helper()
	p := &project{goRunner: newGoRunner(t, dir)}
	p.engine = mutate.Engine{
		Runner: p,
		Source: func(name string) ([]byte, error) {
			b, err := os.ReadFile(filepath.Join(p.dir, name))
			if errors.Is(err, os.ErrNotExist) {
				return nil, nil
			}
			return b, err
		},
		Canary: golang.Canary,
	}
	for _, id := range passing {
		p.engine.Clean = append(p.engine.Clean, mutate.CleanTest{ID: "example.org/" + id, Status: mutate.Passed})
	}
	var files []string
	_ = filepath.WalkDir(p.dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(p.dir, name)
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	found, err := golang.Mutants(t.Context(), golang.Options{Tree: os.DirFS(p.dir)}, files)
	if err != nil {
		t.Fatal(err)
	}
	p.mutants = found.Mutants
	return p
}

func (p *project) cover(id string) (cpu, wall time.Duration) {
	for i, pkg := range p.packages {
		run := p.pattern(pkg, []string{id})
		if run == "" {
			continue
		}
		bin := filepath.Join(p.dir, fmt.Sprintf("cover%d.test", i))
		if _, err := os.Stat(bin); err != nil {
			if out, err := p.goCommand(context.Background(), pkg.Dir, "test", "-c", "-cover", "-coverpkg=./...", "-o", bin, ".").CombinedOutput(); err != nil {
				p.t.Fatalf("build %s: %v\n%s", pkg.ImportPath, err, out)
			}
		}
		profile := filepath.Join(p.t.TempDir(), "profile")
		res := mutate.TrialResult{Tests: map[string]mutate.Status{}}
		start := time.Now()
		trial := mutate.Trial{CPU: time.Minute, Wall: time.Minute}
		if err := p.exec(context.Background(), trial, pkg, bin, run, &res, "-test.coverprofile="+profile); err != nil {
			p.t.Fatal(err)
		}
		cpu, wall = res.CPU, time.Since(start)
		f, err := os.Open(profile)
		if err != nil {
			p.t.Fatalf("coverage of %s: %v\n%s", id, err, res.Output)
		}
		if err := golang.Profile(p.engine.Reach, os.DirFS(p.dir), id, f); err != nil {
			p.t.Fatal(err)
		}
		f.Close()
	}
	return cpu, wall
}

func (p *project) run(t *testing.T, plan mutate.Plan) *mutate.Report {
	t.Helper()
	rep, err := p.engine.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rep.Results {
		t.Logf("%-10s %s %s %v %s", r.Verdict, r.Mutant.String(), r.Tier, r.Killers, r.Reason)
	}
	return rep
}
