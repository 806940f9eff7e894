package lane

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/warmup"
)

// planOnly resolves a spec without a run of it: no journal, no verdict.
func (o Options) planOnly(ctx context.Context, s *spec.Spec) (*job, error) {
	file, err := filepath.Abs(s.Name)
	if err != nil {
		return nil, err
	}
	j := newJob(o, s, file, nil)
	if err := j.plan(ctx); err != nil {
		j.close()
		return nil, withExit(err)
	}
	return j, nil
}

// Explain says what a check of the spec would do, without running anything of it.
func Explain(ctx context.Context, o Options, path string) (spec.Resolved, error) {
	s, err := spec.Load(path)
	if err != nil {
		return spec.Resolved{}, err
	}
	r := s.Resolved()
	j, err := o.planOnly(ctx, s)
	if err != nil {
		return r, err
	}
	defer j.close()
	p := &j.evidence.Plan
	r.Authority = spec.Value{Text: string(p.Spec.Authority), Note: authorityNote(p.Spec.Authority)}
	if p.Change.SaidBy == assurance.ByCaller {
		r.Change = spec.Value{Text: p.Change.Kind, Note: "said by the caller"}
	}
	r.Source.Base.Note, r.Source.Head.Note = j.change.Base, j.change.HeadCommit
	r.Source.MergeBase = j.change.BaseCommit
	for i := range r.Closures {
		if err := j.explainClosure(ctx, &r.Closures[i], &r); err != nil {
			return r, err
		}
	}
	for i, t := range s.Tasks {
		switch rep, why, err := choose(t); {
		case err != nil:
		case why != "":
			r.Tasks[i].Reporter.Note = rep.Name() + ", " + why
		default:
			r.Tasks[i].Reporter.Note = "class " + string(rep.Class())
		}
	}
	if p.Subject.Dirty {
		r.Notes = append(r.Notes, "head is a work tree with edits that no commit holds: the level is capped at VAL-0")
	}
	for _, e := range p.Change.Environment {
		if e.ListedBy != "" {
			r.Notes = append(r.Notes, "the change edits "+e.Path+", as the spec accepts: head's closure is used")
			continue
		}
		if e.Brought {
			r.Notes = append(r.Notes, "the change brings "+e.Path+", which base does not have: the level is capped at VAL-0")
			continue
		}
		r.Notes = append(r.Notes, "the change edits "+e.Path+": base's closure is used, and the level is capped at VAL-0")
	}
	return r, nil
}

func authorityNote(a assurance.Authority) string {
	switch a {
	case assurance.ByBase:
		return "base holds this spec unchanged"
	case assurance.ByCaller:
		return "the spec lies outside of the repository"
	case assurance.ByContract:
		return "signed"
	}
	return "the change brings or edits this spec"
}

func (j *job) explainClosure(ctx context.Context, c *spec.ResolvedClosure, r *spec.Resolved) error {
	for _, t := range j.spec.Tasks {
		if t.Flake != c.Flake || j.guests() && t.Module() {
			continue
		}
		src, edits, err := j.environment(t)
		if err != nil {
			return err
		}
		j.evidence.Plan.Change.Environment = append(j.evidence.Plan.Change.Environment, edits...)
		c.Key = src.Key()
		found, err := j.o.closures(nil).Load(ctx, src, warmup.LevelLstat)
		switch {
		case err == nil:
			c.State = "warm, " + found.Digest
			found.Close()
		case errors.As(err, new(*warmup.NotWarm)):
			c.State = "cold: run lane warm"
		default:
			c.State = err.Error()
		}
		return nil
	}
	c.State = noClosure
	return nil
}
