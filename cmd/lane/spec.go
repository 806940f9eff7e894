package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/lane"
	"github.com/vallane/lane/lane/spec"
)

func (a *app) specCommand() *cobra.Command {
	c := &cobra.Command{Use: "spec", Short: "Explain specs, and print their JSON Schema and reference",
		Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(a.explainCommand(),
		&cobra.Command{Use: "schema", Short: "Print the JSON Schema of specs", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return a.bytes(spec.Schema()) }},
		&cobra.Command{Use: "reference", Short: "Print the reference of every key of a spec, in Markdown", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return a.bytes(spec.Reference()) }},
	)
	return c
}

func (a *app) bytes(data []byte) error {
	return a.out.result(func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

func (a *app) explainCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "explain [SPEC...]",
		Short:   "Print what a check of a spec would do: commits, closure, tasks, tests, authority, scope",
		Example: "  lane spec explain specs/cart.toml",
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.options()
			if err != nil {
				return err
			}
			names, err := lane.Find(args)
			if err != nil {
				return err
			}
			for _, name := range names {
				r, err := lane.Explain(cmd.Context(), o, name)
				if err != nil {
					return err
				}
				err = a.out.result(func(w io.Writer) error {
					if asJSON {
						return printJSON(w, r)
					}
					return spec.Explain(w, r)
				})
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
