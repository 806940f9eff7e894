package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/lane"
)

func (a *app) lockCommand() *cobra.Command {
	var check, asJSON bool
	c := &cobra.Command{
		Use:   "lock [SPEC...]",
		Short: "Write down what a flake comes to: closure.lock, beside flake.lock",
		Long: `Lock makes the closure of each spec's flake, from the files of the working tree as they are now, and writes its
paths with their hashes to closure.lock beside the flake. Where that file is committed, a check refuses a closure
that is another, and a machine without Nix takes the paths from binary caches (LANE_SUBSTITUTERS, LANE_TRUSTED_KEYS).`,
		Example: "  lane lock\n  lane lock --check",
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.options()
			if err != nil {
				return err
			}
			specs, err := lane.Find(args)
			if err != nil {
				return err
			}
			o.Events = newProgress(a.out, a.quiet, len(specs) > 1).show
			locked, err := lane.Lock(cmd.Context(), o, specs, check)
			return errors.Join(a.out.result(func(out io.Writer) error {
				if asJSON {
					return printJSON(out, locked)
				}
				for _, l := range locked {
					printLocked(out, l, check)
				}
				return nil
			}), err)
		},
	}
	c.Flags().BoolVar(&check, "check", false, "write nothing; fail where closure.lock and flake disagree, and say which input or path")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func printLocked(out io.Writer, l lane.Locked, check bool) {
	switch {
	case len(l.Differences) > 0: // the error tells them
	case check:
		fmt.Fprintf(out, "%s: %s agrees with %s\n", l.Spec, l.File, l.Flake)
	case l.Wrote:
		fmt.Fprintf(out, "%s: wrote %s: %s, %d paths\n  %s\n", l.Spec, l.File, l.Flake, l.Paths, l.Digest)
	default:
		fmt.Fprintf(out, "%s: %s is up to date\n", l.Spec, l.File)
	}
}
