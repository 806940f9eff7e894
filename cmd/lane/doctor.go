package main

import (
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane"
)

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine allows, what a check loses by it, and what would help",
		Long: `Doctor opens a real box, dials from it, has Nix build something and writes to Lane's folders, and says
what came of each. Every line is ok, degraded (something is lost, and no level up to VAL-1) or missing.
It exits 0 where a check can reach VAL-1 on this machine, and 5 where none can.`,
		Example: "  lane doctor\n  lane doctor --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := a.options()
			if err != nil {
				return err
			}
			r, err := lane.Doctor(cmd.Context(), o, buildTime())
			if err != nil {
				return err
			}
			if !r.VAL1 {
				a.exit = int(assurance.ExitLane)
			}
			return a.out.result(func(w io.Writer) error {
				if asJSON {
					return printJSON(w, r)
				}
				return r.Print(w)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return c
}

// buildTime is the time of the commit that this program was built from, else that of the program's file.
func buildTime() time.Time {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil && s.Key == "vcs.time" {
				return t
			}
		}
	}
	name, err := os.Executable()
	if err != nil {
		return time.Time{}
	}
	st, err := os.Stat(name)
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}
