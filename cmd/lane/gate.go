package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/gate"
	"github.com/vallane/lane/lane/report"
	"github.com/vallane/lane/lane/signing"
)

func (a *app) gateCommand() *cobra.Command {
	var o gate.Options
	var least int
	var format, trust, contract string
	c := &cobra.Command{
		Use:   "gate VERDICT",
		Short: "Let a verdict pass, or stop it: judge its evidence again and compare its level",
		Long: `Gate reads a verdict, judges its evidence again and takes the lower result. A signed one (verdict.intoto.json) is
looked into only when its signature is by a key that the trust.toml lets sign verdicts; it counts up to that key's
max_val. Gate works offline, prints every clause also where it passes, and fails closed.`,
		Example: "  lane gate --min-val 1 --trust trust.toml verdict.intoto.json\n  lane gate --min-val 1 --allow-unsigned verdict.json\n  lane gate --min-val 0 --allow-unsigned --commit \"$(git rev-parse HEAD)\" verdict.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.MinVAL, o.Now = assurance.Level(least), time.Now()
			if format != "human" && format != "json" {
				return fmt.Errorf("read --format: %q is not there; use human or json", format)
			}
			for _, name := range []string{"commit", "tree", "sha256", "trust", "contract"} {
				// A shell that fails to find the commit gives nothing; that must not open the gate.
				if f := cmd.Flags().Lookup(name); f.Changed && f.Value.String() == "" {
					return fmt.Errorf("read --%s: it is empty; leave it out where the reader asks for nothing there", name)
				}
			}
			data, err := os.ReadFile(args[0])
			if err != nil {
				return fmt.Errorf("read verdict: %w", err)
			}
			if trust != "" {
				if o.Trust, _, err = signing.ReadTrust(trust); err != nil {
					return err
				}
			}
			if contract != "" {
				if o.Contract, err = os.ReadFile(contract); err != nil {
					return fmt.Errorf("read contract: %w", err)
				}
			}
			d, err := gate.Check(o, data)
			if err != nil {
				return err
			}
			a.exit = int(d.Exit)
			return a.out.result(func(w io.Writer) error {
				if format == "json" {
					return report.GateJSON(w, d)
				}
				return report.Gate(w, d, report.Options{Color: a.out.colour, Width: a.out.width})
			})
		},
	}
	c.Flags().IntVar(&least, "min-val", 0, "the lowest level that passes, 0 to 3")
	c.Flags().StringVar(&trust, "trust", a.getenv("LANE_TRUST"), "the trust.toml that says whose signatures count (LANE_TRUST)")
	c.Flags().StringVar(&contract, "contract", "", "the signed contract that the verdict has to be made under")
	c.Flags().BoolVar(&o.AllowUnsigned, "allow-unsigned", false, "let a verdict without a signature pass")
	c.Flags().DurationVar(&o.MaxAge, "max-age", 0, "how old a verdict may be, such as 24h; 0 is any age")
	c.Flags().StringVar(&o.Subject.Commit, "commit", "", "the commit that the verdict has to be about")
	c.Flags().StringVar(&o.Subject.GitTree, "tree", "", "the git tree that it has to be about")
	c.Flags().StringVar(&o.Subject.TreeSHA256, "sha256", "", "the SHA-256 of the tree that it has to be about")
	c.Flags().StringVar(&format, "format", "human", "human or json")
	return c
}
