package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/lane"
)

func (a *app) warmCommand() *cobra.Command {
	var asJSON bool
	var w lane.WarmOptions
	c := &cobra.Command{
		Use:   "warm [SPEC...]",
		Short: "Make the closures of specs, so that checks find them without Nix",
		Long: `Warm stages each spec's flake, fetches what it declares, has Nix build it, and writes closure.lock.
As root it also publishes the locks to $LANE_SHARED, so that ordinary users of the machine check
without Nix.`,
		Example: "  lane warm\n  lane warm --verify full specs/cart.toml\n  lane warm --pin\n  lane warm --flake warmup\n  lane warm --push file:///srv/cache --key cache.key",
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.options()
			if err != nil {
				return err
			}
			var specs []string
			if w.Flake == "" || len(args) > 0 {
				if specs, err = lane.Find(args); err != nil {
					return err
				}
			}
			o.Events = newProgress(a.out, a.quiet, len(specs) > 1).show
			warmed, err := lane.Warm(cmd.Context(), o, specs, w)
			if err != nil {
				return err
			}
			if a.quiet && !asJSON {
				return nil
			}
			return a.out.result(func(out io.Writer) error {
				if asJSON {
					return printJSON(out, warmed)
				}
				for _, x := range warmed {
					was := "was warm"
					if x.Fresh {
						was = "warmed"
					}
					for _, name := range x.Pins {
						fmt.Fprintf(out, "%s: wrote %s\n", x.Spec, name)
					}
					if w.Push != "" {
						fmt.Fprintf(out, "%s: pushed %d of %d paths\n", x.Spec, x.Pushed, x.Paths)
					}
					fmt.Fprintf(out, "%s: %s: %s, %d paths, %s, sandbox %s\n  %s\n  %s\n", x.Spec, x.Flake, was, x.Paths, size(x.Bytes), x.Sandbox, x.Digest, x.Lock)
				}
				if w.Image != "" && len(warmed) > 0 {
					fmt.Fprintf(out, "%s: %s\n", w.Image, warmed[0].Image)
				}
				return nil
			})
		},
	}
	c.Flags().StringVar(&w.Verify, "verify", "sealed", "how thoroughly to check: lstat, sealed or full")
	c.Flags().BoolVar(&w.Pin, "pin", false, "first write down the versions of what laneSources leaves open (debian.json)")
	c.Flags().BoolVar(&w.Repair, "repair", false, "look at every byte, and make again what has changed")
	c.Flags().StringVar(&w.Push, "push", "", "also fill a binary cache: file:///path, or a URL that takes PUT")
	c.Flags().StringVar(&w.Key, "key", "", "the file of the key that signs for the cache; lane keygen --cache NAME makes one")
	c.Flags().StringVar(&w.Flake, "flake", "", "warm each package of the flake in this folder, in place of the folder's specs")
	c.Flags().StringSliceVar(&w.Extras, "extra", nil, "a further file that the flake of --flake reads, below its folder")
	c.Flags().StringVar(&w.Image, "image", "", "also write a container image of lane and the closures to this file: an OCI archive, which docker load takes too")
	c.Flags().BoolVar(&asJSON, "json", false, "print what was warmed as JSON")
	return c
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d KiB", (n+1023)>>10)
}
