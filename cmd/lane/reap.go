package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/lane"
)

func (a *app) reapCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reap",
		Short: "Give runs that died without a verdict their terminal status, and collect what they left",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := a.options()
			if err != nil {
				return err
			}
			reaped, err := lane.Reap(cmd.Context(), o)
			if err != nil {
				return err
			}
			return a.out.result(func(w io.Writer) error {
				for _, s := range reaped {
					fmt.Fprintf(w, "%s: attempt %d: %s\n", s.Spec, s.Attempt, s.Reason)
				}
				_, err := fmt.Fprintf(w, "%d stranded\n", len(reaped))
				return err
			})
		},
	}
}
