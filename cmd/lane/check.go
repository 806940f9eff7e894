package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane"
	"github.com/vallane/lane/lane/deploy"
	"github.com/vallane/lane/lane/report"
	"github.com/vallane/lane/lane/spec"
)

func (a *app) checkCommand() *cobra.Command {
	var asJSON, verbose, again, disposable bool
	var change, key, contract, trust, hidden, cluster string
	var downstream, words []string
	c := &cobra.Command{
		Use:   "check [SPEC...]",
		Short: "Verify the change that each spec names",
		Long: `Check runs what each spec asks for and prints the verdict. Without a SPEC it takes lane.toml, or
every specs/*.toml. Several specs run side by side; one that fails does not stop the others. Where the last verdict of a
spec says passed, is less than a day old, and spec, trees, closures and Lane are the same, it is shown again.`,
		Example: `  lane check
  lane check specs/cart.toml --json > verdicts.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.options()
			if err != nil {
				return err
			}
			specs, err := lane.Find(args)
			if err != nil {
				return err
			}
			if change != "" && !slices.Contains(spec.Changes(), change) {
				return fmt.Errorf("read --change: %q is no kind of change; use one of %s", change, strings.Join(spec.Changes(), ", "))
			}
			for _, name := range []string{"contract", "trust", "hidden", "cluster"} {
				// A shell that fails to find the file gives nothing; that must not make a check without a contract.
				if f := cmd.Flags().Lookup(name); f.Changed && f.Value.String() == "" {
					return fmt.Errorf("read --%s: it is empty; leave it out where there is none", name)
				}
			}
			o.Change, o.Reuse, o.Contract, o.Trust, o.Hidden = change, !again, contract, trust, hidden
			if o.ProductionWords, err = a.productionWords(words); err != nil {
				return err
			}
			o.Cluster = lane.Cluster{Kubeconfig: cluster, Disposable: disposable,
				Programs: deploy.Programs{APIServer: a.getenv("LANE_KUBE_APISERVER"), Etcd: a.getenv("LANE_ETCD")}}
			if o.Downstream, err = downstreamFolders(downstream); err != nil {
				return err
			}
			o.Events = newProgress(a.out, a.quiet, len(specs) > 1).show
			results, err := lane.CheckAll(cmd.Context(), o, specs)
			if err != nil {
				return err
			}
			verdicts := make([]assurance.Verdict, len(results))
			for i, r := range results {
				verdicts[i] = r.Verdict
			}
			a.exit = assurance.Combine(verdicts)
			err = a.out.result(func(w io.Writer) error {
				if asJSON {
					return report.JSON(w, verdicts)
				}
				return a.print(w, verdicts, verbose)
			})
			for _, r := range results {
				if !r.Earlier.IsZero() {
					a.out.notice("%s: nothing has changed since this verdict of %s ago; --again runs it anew", r.Verdict.Spec.ID, age(time.Since(r.Earlier)).round())
				}
			}
			if key == "" || err != nil {
				return err
			}
			return a.sign(cmd.Context(), key, results)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the verdicts as JSON")
	c.Flags().BoolVar(&again, "again", false, "run it anew, also where nothing has changed since a verdict that passed within a day")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "print every clause, not only those that do not hold")
	c.Flags().StringVar(&key, "key", a.getenv("LANE_KEY"), "sign each verdict with this key, by a process of its own (LANE_KEY)")
	c.Flags().StringVar(&contract, "contract", "", "run the spec as this contract has it (default with --trust: the one beside the spec, where there is one)")
	c.Flags().StringVar(&trust, "trust", a.getenv("LANE_TRUST"), "the trust.toml that says whose contracts count (LANE_TRUST)")
	c.Flags().StringVar(&hidden, "hidden", a.getenv("LANE_HIDDEN"), "the archive of hidden tests that the contract names (LANE_HIDDEN)")
	c.Flags().StringVar(&cluster, "cluster", a.getenv("LANE_CLUSTER"), "ask the API server of this kubeconfig about the manifests of [deploy] (LANE_CLUSTER)")
	c.Flags().BoolVar(&disposable, "disposable", false, "that server is there for this alone; without --cluster, start one of LANE_KUBE_APISERVER and LANE_ETCD")
	c.Flags().StringArrayVar(&downstream, "downstream", nil, "run the suite of a user that [[downstream]] names: `NAME=FOLDER`, a git repository that has its commit; may be given again")
	c.Flags().StringArrayVar(&words, "production-word", nil, "refuse a target whose name has this word or fits this pattern, too (again for more; $LANE_PRODUCTION_WORDS)")
	c.Flags().StringVar(&change, "change", "", "what the caller says the change is: feature, fix, refactor, removal or tree")
	return c
}

// downstreamFolders reads what --downstream gives: each user once, with a folder.
func downstreamFolders(given []string) (map[string]string, error) {
	out := map[string]string{}
	for _, g := range given {
		name, folder, _ := strings.Cut(g, "=")
		switch {
		case name == "" || folder == "":
			return nil, fmt.Errorf("read --downstream %q: write NAME=FOLDER, a user of the spec and a git repository", g)
		case out[name] != "":
			return nil, fmt.Errorf("read --downstream: %s is given twice", name)
		}
		out[name] = folder
	}
	return out, nil
}

// productionWords reads the words of variable and flags. Both count: whoever gives a flag takes away nothing that the machine's administrator said.
func (a *app) productionWords(flags []string) (out []string, err error) {
	for i, s := range slices.Concat(strings.Fields(a.getenv("LANE_PRODUCTION_WORDS")), flags) {
		word, err := assurance.ReadProductionWord(s)
		if err != nil {
			from := "--production-word"
			if i < len(strings.Fields(a.getenv("LANE_PRODUCTION_WORDS"))) {
				from = "LANE_PRODUCTION_WORDS"
			}
			return nil, fmt.Errorf("read %s: %w", from, err)
		}
		out = append(out, word)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func (a *app) print(w io.Writer, verdicts []assurance.Verdict, verbose bool) error {
	o := report.Options{Color: a.out.colour, Width: a.out.width, Verbose: verbose}
	for _, v := range verdicts {
		if err := report.Terminal(w, v, o); err != nil {
			return err
		}
	}
	if len(verdicts) > 1 {
		return report.Summary(w, verdicts, o)
	}
	return nil
}
