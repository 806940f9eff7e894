package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane"
	"github.com/vallane/lane/lane/report"
)

func (a *app) showCommand() *cobra.Command {
	var asJSON, verbose, asStatus bool
	c := &cobra.Command{
		Use:   "show [SPEC|VERDICT...]",
		Short: "Print the newest verdict of specs, or verdict files",
		Long: `Show prints the newest verdict of each spec again, without running anything. A file that ends in .json
is taken for a verdict itself. --status prints where each spec stands instead.`,
		Example: "  lane show specs/cart.toml --verbose\n  lane show --status",
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.options()
			if err != nil {
				return err
			}
			if asStatus {
				return a.showStatus(o, asJSON)
			}
			names, err := lane.Find(args)
			if err != nil {
				return err
			}
			var verdicts []assurance.Verdict
			for _, name := range names {
				v, err := readVerdict(o, name)
				if err != nil {
					return err
				}
				verdicts = append(verdicts, v)
			}
			return a.out.result(func(w io.Writer) error {
				if asJSON {
					return report.JSON(w, verdicts)
				}
				return a.print(w, verdicts, verbose)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "print every clause")
	c.Flags().BoolVar(&asStatus, "status", false, "print where every spec of this user stands")
	return c
}

func readVerdict(o lane.Options, name string) (v assurance.Verdict, err error) {
	file := name
	if filepath.Ext(name) != ".json" {
		if file, err = lane.VerdictFile(o, name); err != nil {
			return v, err
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return v, fmt.Errorf("read verdict: %w", err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return v, fmt.Errorf("read verdict %s: %v", file, err)
	}
	return v, nil
}

func (a *app) showStatus(o lane.Options, asJSON bool) error {
	all, err := lane.Statuses(o)
	if err != nil {
		return err
	}
	return a.out.result(func(w io.Writer) error {
		if asJSON {
			return printJSON(w, all)
		}
		for _, s := range all {
			what := string(s.State) + " " + s.Phase
			if s.State.Terminal() {
				what = fmt.Sprintf("%s %s %s, exit %d", s.State, s.Outcome, s.Level, s.Exit)
			}
			fmt.Fprintf(w, "%s  attempt %d  %s  %s\n", s.Spec, s.Attempt, what, s.Source)
		}
		return nil
	})
}
