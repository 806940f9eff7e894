package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane"
	"github.com/vallane/lane/lane/report"
)

// mutateFlags are the flags of lane mutate that are texts until they are read.
type mutateFlags struct {
	lane.MutateOptions
	spec, format, shard, sample, tier string
	show, merge                       []string
	operators, update                 bool
	reason, author, expires           string
}

var mutateFormats = []string{"text", "json", "schema", "sarif", "github"}

// read turns the texts into options.
func (f *mutateFlags) read() (err error) {
	if !slices.Contains(mutateFormats, f.format) {
		return fmt.Errorf("read --format: %q is none; use %s", f.format, strings.Join(mutateFormats, ", "))
	}
	if f.Budget < 0 {
		return fmt.Errorf("read --budget: %s is negative; write a time such as 10m", f.Budget)
	}
	if err := lane.ParseShard(f.shard, &f.Choice); err != nil {
		return err
	}
	if err := lane.ParseSample(f.sample, &f.Choice); err != nil {
		return err
	}
	if f.Tier, err = lane.ParseTier(f.tier); err != nil {
		return err
	}
	if len(f.show) > 0 {
		f.List, f.IDs = true, f.show
	}
	return f.readAcceptance()
}

func (f *mutateFlags) readAcceptance() error {
	if !f.update {
		if f.reason != "" || f.author != "" || f.expires != "" {
			return fmt.Errorf("read flags: --reason, --author and --expires belong to --update-baseline")
		}
		return nil
	}
	if f.List {
		return fmt.Errorf("read flags: --update-baseline needs a run, and --list and --show try nothing")
	}
	f.Accept = &lane.Acceptance{Reason: f.reason, Author: f.author}
	if f.expires != "" {
		day, err := time.Parse(time.DateOnly, f.expires)
		if err != nil {
			return fmt.Errorf("read --expires: %q is no day; write 2027-06-30", f.expires)
		}
		f.Accept.Expires = day
	}
	return nil
}

func (a *app) mutateCommand() *cobra.Command {
	var f mutateFlags
	c := &cobra.Command{
		Use:   "mutate [PATH...]",
		Short: "Put faults into the code at hand and see whether the tests notice",
		Long: `Mutate takes the tasks of lane.toml (lane init writes one) and the work tree as it lies there, runs the tests in their
boxes, and then again with one small fault at a time in the files named, or in all code. Faults that no test notices are printed as
diffs. Nothing is written into the tree, and no verdict is made. Of each line one fault is tried first; --all tries every one. What
earlier runs found is not tried again where nothing that it rests on has changed. The exit code is 0 where every fault was noticed
or is accepted, 4 where one was not or there was none to try, and 1 where the tests fail as they are.`,
		Example: "  lane mutate --diff main\n  lane mutate src/cart --list\n  lane mutate --run 3f2a",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.operators {
				return a.listOperators()
			}
			if err := f.read(); err != nil {
				return err
			}
			if len(f.merge) > 0 {
				return a.mergeMutations(&f)
			}
			return a.mutate(cmd, &f, args)
		},
	}
	f.register(c)
	return c
}

func (f *mutateFlags) register(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.spec, "spec", "", "the spec whose tasks run the tests (lane.toml)")
	s.StringVar(&f.Diff, "diff", "", "only what differs from this branch or commit")
	s.BoolVar(&f.All, "all", false, "every mutant, in place of one of each line")
	s.BoolVar(&f.List, "list", false, "list the mutants and try none")
	s.StringSliceVar(&f.show, "show", nil, "print the mutants with these ids as diffs and try none")
	s.StringSliceVar(&f.IDs, "run", nil, "try only the mutants with these ids, or beginnings of ids")
	s.StringVar(&f.sample, "sample", "", "draw so many mutants (200), or such a share of them (10%)")
	s.Uint64Var(&f.Choice.Seed, "seed", 1, "of the draw; the same seed draws the same")
	s.StringVar(&f.shard, "shard", "", "one part of the plan (2/5), for several machines")
	s.StringSliceVar(&f.merge, "merge", nil, "put the JSON results of all parts together and print them")
	s.StringVar(&f.tier, "tier", "", "the only tier to use: T0, T1, T2 or T3 (the quickest for each mutant)")
	s.BoolVar(&f.Matrix, "matrix", false, "ask every test of every mutant that it reaches, and say what each test is worth")
	s.DurationVar(&f.Budget, "budget", 0*time.Second, "end after this long; what is left is not-run (the spec's budget)")
	s.BoolVar(&f.NoCache, "no-cache", false, "take no verdict of an earlier run, and keep none")
	s.StringVar(&f.Baseline, "baseline", "", "the file of accepted survivors (the spec's, else lane.mutants.toml beside it)")
	s.BoolVar(&f.update, "update-baseline", false, "accept the survivors of this run, with --reason and --author")
	s.StringVar(&f.reason, "reason", "", "why the survivors are accepted")
	s.StringVar(&f.author, "author", "", "who accepts them")
	s.StringVar(&f.expires, "expires", "", "the last day on which that counts, such as 2027-06-30 (180 days from now)")
	s.StringSliceVar(&f.Operators, "operators", nil, "only faults of these kinds, as --list-operators names them")
	s.BoolVar(&f.operators, "list-operators", false, "list what kinds of faults are put in, by language")
	s.StringVar(&f.format, "format", "text", "text, json, schema (mutation-testing-elements), sarif or github")
}

func (a *app) mutate(cmd *cobra.Command, f *mutateFlags, paths []string) error {
	o, err := a.options()
	if err != nil {
		return err
	}
	if f.spec == "" {
		found, err := lane.Find(nil)
		if err != nil {
			return err
		}
		f.spec = found[0]
	}
	f.Paths, f.Diffs = paths, f.format == "json"
	o.Events = newProgress(a.out, a.quiet, false).show
	found, err := lane.Mutate(cmd.Context(), o, f.spec, f.MutateOptions)
	if err != nil {
		return err
	}
	if !f.List && !found.Noticed() {
		a.exit = int(assurance.ExitShort)
	}
	return a.printMutation(found, f)
}

func (a *app) mergeMutations(f *mutateFlags) error {
	var parts []*lane.Mutation
	for _, name := range f.merge {
		data, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("merge results: %w", err)
		}
		part := &lane.Mutation{}
		if err := json.Unmarshal(data, part); err != nil {
			return fmt.Errorf("merge results: %s is no result of lane mutate --format json: %v", name, err)
		}
		parts = append(parts, part)
	}
	all, err := lane.Merge(parts)
	if err != nil {
		return err
	}
	if !all.Noticed() {
		a.exit = int(assurance.ExitShort)
	}
	return a.printMutation(all, f)
}

func (a *app) listOperators() error {
	return a.out.result(func(w io.Writer) error {
		language := ""
		for _, o := range lane.Operators() {
			if o.Language != language {
				language = o.Language
				fmt.Fprintln(w, language)
			}
			named := ""
			if o.Named {
				named = " (only with --operators)"
			}
			if _, err := fmt.Fprintf(w, "  %-12s %s%s\n", o.Name, o.Doc, named); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a *app) printMutation(m *lane.Mutation, f *mutateFlags) error {
	o := report.Options{Color: a.out.colour, Width: a.out.width}
	r := report.MutationRun{Plan: &m.Plan, Results: m.Results, Score: m.Score, Diffs: m.Diffs, Tests: m.Tests, Facts: m.Facts, Whole: f.Matrix}
	return a.out.result(func(w io.Writer) error {
		switch f.format {
		case "json":
			return printJSON(w, m)
		case "schema":
			dir := filepath.Dir(f.spec)
			return report.MutationSchema(w, m.Results, func(file string) string {
				data, _ := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
				return string(data)
			})
		case "sarif":
			return report.MutationSARIF(w, r, version)
		case "github":
			return report.MutationGitHub(w, m.Results)
		}
		if len(f.show) > 0 {
			return report.Mutants(w, m.Results, m.Diffs, o)
		}
		return report.Mutation(w, r, o)
	})
}
