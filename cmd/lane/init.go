package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/lane"
	"github.com/vallane/lane/lane/scaffold"
)

func (a *app) initCommand() *cobra.Command {
	var o scaffold.Options
	var dry bool
	c := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a spec and a flake for the project in a folder",
		Long: `Init finds out whether a folder holds a Go, Python or Node project and how its tests run, and writes
lane.toml and flake.nix for it. It never replaces a file. A flake.nix of the project's own that has a
lane-env is kept.`,
		Example: "  lane init\n  lane init --toolchain registry && lane check",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			d, err := scaffold.New(dir, o)
			if err != nil {
				return err
			}
			if dry {
				return a.out.result(func(w io.Writer) error { return d.Print(w) })
			}
			if err := d.Write(dir); err != nil {
				return err
			}
			if d.Pins {
				if err := a.pin(cmd, filepath.Join(dir, "lane.toml")); err != nil {
					return err
				}
			}
			return a.out.result(func(w io.Writer) error { return d.Report(w) })
		},
	}
	c.Flags().StringVar(&o.Language, "language", "", "go, python or node, where the folder does not show it")
	c.Flags().StringVar(&o.Toolchain, "toolchain", scaffold.Nixpkgs, "where the tools come from: nixpkgs, or registry (Go modules, npm, Debian)")
	c.Flags().BoolVar(&dry, "dry-run", false, "print what would be written, and write nothing")
	return c
}

// pin writes down the versions that a new flake leaves open, and makes its closure.
func (a *app) pin(cmd *cobra.Command, spec string) error {
	o, err := a.options()
	if err != nil {
		return err
	}
	o.Events = newProgress(a.out, a.quiet, false).show
	if _, err := lane.Warm(cmd.Context(), o, []string{spec}, lane.WarmOptions{Verify: "sealed", Pin: true}); err != nil {
		return fmt.Errorf("the files are written, but %w", err)
	}
	return nil
}
