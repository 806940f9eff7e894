package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/lane"
)

func (a *app) gcCommand() *cobra.Command {
	var maxSize string
	var older age
	var dry, asJSON bool
	c := &cobra.Command{
		Use:   "gc",
		Short: "Remove closures, trees and build caches that were not used for longest",
		Long: `Gc removes least recently used closures' roots, trees, build caches and compiled modules until what stays is within the
bound. It never removes what a run is using. Nix's own garbage collector may then free the store paths.`,
		Example: "  lane gc --max-size 20GiB --older-than 30d --dry-run",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := a.options()
			if err != nil {
				return err
			}
			bytes, err := lane.ParseSize(maxSize)
			if err != nil {
				return fmt.Errorf("read --max-size: %w", err)
			}
			freed, err := lane.GC(cmd.Context(), o, lane.Garbage{MaxSize: bytes, OlderThan: time.Duration(older), Dry: dry})
			if err != nil {
				return err
			}
			return a.out.result(func(w io.Writer) error {
				if asJSON {
					return printJSON(w, freed)
				}
				verb := "freed"
				if dry {
					verb = "would free"
				}
				_, err := fmt.Fprintf(w, "%s %s: %d closures, %d build caches, %d compiled modules, %d trees; %d stranded runs settled\n", verb, size(freed.Bytes),
					freed.Closures, freed.Caches, freed.Modules, freed.Trees, freed.Stranded)
				return err
			})
		},
	}
	c.Flags().StringVar(&maxSize, "max-size", "20GiB", "bytes of closures, and of build caches, that may stay")
	c.Flags().Var(&older, "older-than", "also remove what was not used for so long, such as 30d or 12h")
	c.Flags().BoolVar(&dry, "dry-run", false, "say what would go, and remove nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// age is a duration that may be written in days.
type age time.Duration

func (a age) String() string { return time.Duration(a).String() }

// round is how a person tells an age.
func (a age) round() string {
	switch d := time.Duration(a); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	default:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
}

func (a *age) Type() string { return "time" }

func (a *age) Set(s string) error {
	d, err := time.ParseDuration(s)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n int64
		n, err = strconv.ParseInt(days, 10, 16)
		d = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no time that things can be old; write it like 30d or 12h", s)
	}
	*a = age(d)
	return nil
}
