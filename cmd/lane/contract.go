package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/lane"
	"github.com/vallane/lane/lane/contract"
	"github.com/vallane/lane/lane/report"
)

func (a *app) contractCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "contract",
		Short: "Sign a spec as a contract that no change can weaken; verify, show and compare contracts",
		Long: `A contract is a spec, signed by its author for one base tree, with an end and a nonce. A check under it takes spec,
environment and runner configuration from the contract's side, whatever the change does to them.`,
		Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.contractSignCommand(), a.contractVerifyCommand(), a.contractShowCommand(), a.contractDiffCommand(),
		&cobra.Command{Use: "schema", Short: "Print the JSON Schema of contracts", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return a.bytes(attest.ContractSchema()) }})
	return c
}

func (a *app) contractSignCommand() *cobra.Command {
	var o lane.ContractOptions
	lasts := age(contract.DefaultLasts)
	c := &cobra.Command{
		Use:   "sign --key FILE SPEC",
		Short: "Sign a spec for the tree that its base is now",
		Long: `Sign writes SPEC as an in-toto statement in a DSSE envelope: what it means with every default, the base tree, the
files of that tree that steer a check, an end and a nonce. The key is one of an author; it may sign no verdicts.`,
		Example: "  lane keygen author.key\n  lane contract sign --key author.key --expires 14d specs/cart.toml\n  lane check --contract specs/cart.contract.intoto.json --trust trust.toml specs/cart.toml",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Key == "" {
				return errors.New("sign contract: --key is missing: the file of the author's key, as lane keygen writes it")
			}
			opts, err := a.options()
			if err != nil {
				return err
			}
			if o.Lasts = time.Duration(lasts); o.Lasts == 0 {
				return errors.New("read --expires: a contract that ends at once holds nobody")
			}
			out, c, err := lane.SignContract(cmd.Context(), opts, args[0], o)
			if err != nil {
				return err
			}
			a.out.notice("for the base tree %s, until %s", c.Base.GitTree, c.Expires.Format(time.RFC3339))
			return a.out.result(func(w io.Writer) error {
				_, err := fmt.Fprintln(w, out)
				return err
			})
		},
	}
	c.Flags().StringVar(&o.Key, "key", "", "the file of the author's key, as lane keygen writes it")
	c.Flags().Var(&lasts, "expires", "how long it holds, such as 30d or 12h")
	c.Flags().StringVar(&o.Base, "base", "", "the commit that it is for (default: the tip of the spec's base)")
	c.Flags().StringVar(&o.Hidden, "hidden", "", "an archive of hidden tests, of which the contract gets the digest")
	c.Flags().StringVarP(&o.Out, "out", "o", "", "the file to write (default: lane.contract.intoto.json beside lane.toml)")
	return c
}

func (a *app) contractVerifyCommand() *cobra.Command {
	var trust string
	c := &cobra.Command{
		Use:     "verify --trust FILE CONTRACT",
		Short:   "Verify that a contract is signed by an author who is trusted, and holds now",
		Example: "  lane contract verify --trust trust.toml lane.contract.intoto.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if trust == "" {
				return errors.New("verify contract: --trust is missing: the trust.toml that says whose contracts count")
			}
			s, err := lane.VerifyContract(args[0], trust, time.Now())
			if err != nil {
				return err
			}
			return a.out.result(func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s holds until %s\nsigned by %s\nfor the base tree %s\n", s.Named.Digest, s.Named.Expires.Format(time.RFC3339), s.Named.Key, s.Contract.Base.GitTree)
				return err
			})
		},
	}
	c.Flags().StringVar(&trust, "trust", a.getenv("LANE_TRUST"), "the trust.toml that says whose contracts count (LANE_TRUST)")
	return c
}

func (a *app) contractShowCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "show CONTRACT",
		Short:   "Print what a contract asks for; whether it is signed by whom is for verify to say",
		Example: "  lane contract show lane.contract.intoto.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			c, digest, err := lane.ReadContract(args[0])
			if err != nil {
				return err
			}
			return a.out.result(func(w io.Writer) error {
				if asJSON {
					return printJSON(w, c)
				}
				return report.Contract(w, c, digest, report.Options{Color: a.out.colour, Width: a.out.width})
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) contractDiffCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "diff CONTRACT SPEC|CONTRACT",
		Short: "Say what a spec, as it would be signed now, or another contract asks for differently",
		Long: `Diff compares what two contracts ask for: terms, steering files, base tree and hidden archive. A SPEC stands for the
contract that signing it now would make; a hidden archive is taken over. Signatures, times and nonces are left aside. The exit code
is 0 where nothing differs and 1 where something does.`,
		Example: "  lane contract diff lane.contract.intoto.json lane.toml",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.options()
			if err != nil {
				return err
			}
			found, err := lane.DiffContract(cmd.Context(), o, args[0], args[1])
			if err != nil {
				return err
			}
			if len(found) > 0 {
				a.exit = 1 // as diff has it
			}
			return a.out.result(func(w io.Writer) error {
				if asJSON {
					return printJSON(w, found)
				}
				return report.Differences(w, found)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
