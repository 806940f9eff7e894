package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/lane"
	"github.com/vallane/lane/lane/signing"
	"github.com/vallane/lane/warmup"
)

func (a *app) keygenCommand() *cobra.Command {
	var cache string
	c := &cobra.Command{
		Use:   "keygen FILE",
		Short: "Make a key that signs verdicts, contracts, or a binary cache: FILE, and FILE.pub for those who read them",
		Long: `Keygen writes a new ed25519 key to FILE, which only its owner may read, and the public key to FILE.pub. It prints
the key's fingerprint and the entry that lets a reader trust it (trust.toml). With --cache NAME the key is one for
binary caches, in Nix's notation: lane warm --push signs with it, and LANE_TRUSTED_KEYS names the public one.`,
		Example: "  lane keygen ci.key\n  lane keygen --cache cache.example.org-1 cache.key",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("cache") {
				return a.cacheKeygen(cache, args[0])
			}
			key, err := signing.NewKey(args[0])
			if err != nil {
				return err
			}
			return a.out.result(func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s\n\n# for the trust.toml of whoever reads the verdicts, with %[2]s beside it\n[[key]]\npublic = %[2]q\nrole = \"verifier\"\nverifier = \"NAME\"\nmax_val = 1\n\n# or, for a key that signs contracts and no verdicts: role = \"author\", without verifier and max_val\n",
					key.ID(), filepath.Base(args[0])+".pub")
				return err
			})
		},
	}
	c.Flags().StringVar(&cache, "cache", "", "make a key for a binary cache, of this name")
	return c
}

// cacheKeygen makes a key for a binary cache.
func (a *app) cacheKeygen(name, file string) error {
	key, err := warmup.NewCacheKey(name)
	if err != nil {
		return err
	}
	if err := signing.WriteKey(file, []byte(key.Secret()+"\n"), []byte(key.Public().String()+"\n")); err != nil {
		return err
	}
	return a.out.result(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s\n", key.Public())
		return err
	})
}

func (a *app) signCommand() *cobra.Command {
	var o signing.Options
	var form string
	c := &cobra.Command{
		Use:   "sign --key FILE VERDICT",
		Short: "Judge a verdict again and sign it",
		Long: `Sign reads a verdict (verdict.json), judges its evidence again, refuses it where it claims something else, and
writes it as an in-toto statement in a DSSE envelope: VERDICT with the ending .intoto.json, or what --out names. A red
verdict is signed as a green one is. lane check --key does the same for each verdict, by a process of its own.

With --as it signs what the verdict says in a form that other tools read, without the evidence: test-result and svr of
in-toto, or SLSA's verification summary (vsa). The gate takes none of them.`,
		Example: "  lane keygen ci.key\n  lane sign --key ci.key verdict.json\n  lane gate --min-val 1 --trust trust.toml verdict.intoto.json\n  lane sign --key ci.key --as vsa --verifier https://ci.example.org/lane --resource git+https://example.org/cart verdict.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Verdict, o.As.Form = args[0], attest.Form(form)
			out, err := signing.Sign(o)
			if err != nil {
				return err
			}
			return a.out.result(func(w io.Writer) error {
				_, err := fmt.Fprintln(w, out)
				return err
			})
		},
	}
	c.Flags().StringVar(&o.Key, "key", a.getenv("LANE_KEY"), "the file of the key, as lane keygen writes it (LANE_KEY)")
	c.Flags().StringVar(&o.Out, "out", "", "the file to write (default: beside the verdict)")
	c.Flags().StringVar(&form, "as", "", "sign what the verdict says in another form: test-result, svr or vsa")
	c.Flags().StringVar(&o.As.Verifier, "verifier", "", "the URI by which readers know who verifies (svr, vsa)")
	c.Flags().StringVar(&o.As.Resource, "resource", "", "the URI of what was verified, such as git+https://example.org/cart (vsa)")
	c.Flags().StringVar(&o.Log, "log", "", "a file that gets the envelope as a line of its own, too")
	return c
}

// sign has each verdict signed by a process of its own: this one has read what the code under test said, and never opens a key. A
// verdict that says that it was interrupted is signed as well.
func (a *app) sign(ctx context.Context, key string, results []lane.Result) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("sign verdicts: %w", err)
	}
	var errs []error
	for _, r := range results {
		if r.Verdict.Subject.TreeSHA256 == "" {
			a.out.notice("the verdict on %s is not signed: it is about no tree", r.Spec)
			continue
		}
		cmd := exec.CommandContext(context.WithoutCancel(ctx), self, "sign", "--key", key, "--log", filepath.Join(r.Dir, "verdicts.intoto.jsonl"), r.File)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			errs = append(errs, fmt.Errorf("sign the verdict on %s: %w", r.Spec, err))
			continue
		}
		a.out.notice("signed: %s", string(out[:max(0, len(out)-1)]))
	}
	if len(errs) > 0 {
		return unsigned{errors.Join(errs...)}
	}
	return nil
}

// unsigned says that verdicts were to be signed and are not, whatever they are.
type unsigned struct{ error }

func (u unsigned) Unwrap() error { return u.error }

// ExitCode is that of our own side.
func (unsigned) ExitCode() int { return int(assurance.ExitLane) }
