package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/assurance/gate"
	"github.com/vallane/lane/lane"
	"github.com/vallane/lane/lane/report"
	"github.com/vallane/lane/lane/signing"
)

// gateFlags are those of lane gate that are not the gate's own options.
type gateFlags struct {
	least                            int
	format                           string
	trust, contract, policy, subject string
}

var gateFormats = []string{"human", "json", "github", "sarif"}

func (a *app) gateCommand() *cobra.Command {
	var o gate.Options
	var f gateFlags
	c := &cobra.Command{
		Use:   "gate VERDICT|LOG",
		Short: "Let a verdict pass, or stop it: judge its evidence again and compare its level",
		Long: `Gate reads a verdict, judges its evidence again and takes the lower result. A signed one (verdict.intoto.json) is
looked into only when its signature is by a key that the trust.toml lets sign verdicts; it counts up to that key's
max_val. With --contract it has to be made under that contract, which an author of the trust.toml signed. Gate works
offline, prints every clause also where it passes, and fails closed.

A LOG (verdicts.intoto.jsonl, or - for standard input) has one verdict a line. For each spec the newest one about the
subject decides, so that a newer red beats an older green; all specs have to pass.`,
		Example: `  lane gate --min-val 1 --trust trust.toml verdict.intoto.json
  lane gate --min-val 1 --trust trust.toml --subject . verdicts.intoto.jsonl
  lane verdicts --for HEAD --jsonl | lane gate --trust trust.toml --policy policy.toml --branch main --subject . -
  lane gate --min-val 0 --allow-unsigned --commit "$(git rev-parse HEAD)" verdict.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			o.MinVAL, o.Now = assurance.Level(f.least), time.Now()
			if err := a.gateInputs(cmd.Context(), &o, &f); err != nil {
				return err
			}
			data, err := readVerdicts(cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			if isLog(args[0], data) {
				return a.gateLog(o, f.format, data)
			}
			if o.WholeLog || o.Spec != "" {
				return errors.New("read flags: --spec and --whole-log are about a log, and this is one verdict")
			}
			d, err := gate.Check(o, data)
			if err != nil {
				return err
			}
			a.exit = int(d.Exit)
			return a.out.result(func(w io.Writer) error {
				switch f.format {
				case "json":
					return report.GateJSON(w, d)
				case "human":
					return report.Gate(w, d, a.page())
				}
				return gateFor(w, f.format, gate.LogDecision{Exit: d.Exit, Verdicts: []gate.Decision{d}})
			})
		},
	}
	c.Flags().IntVar(&f.least, "min-val", 0, "the lowest level that passes, 0 to 3")
	c.Flags().StringVar(&f.trust, "trust", a.getenv("LANE_TRUST"), "the trust.toml that says whose signatures count (LANE_TRUST)")
	c.Flags().StringVar(&f.contract, "contract", "", "the signed contract that the verdict has to be made under")
	c.Flags().StringVar(&f.policy, "policy", "", "the policy.toml that asks for more by branch and path")
	c.Flags().StringVar(&o.Branch, "branch", "", "the branch that the change is for; without it every rule for a branch applies")
	c.Flags().StringSliceVar(&o.Venues, "venue", nil, "a venue at which it may have been made: self, hosted or independent; may be given again")
	c.Flags().BoolVar(&o.AllowUnsigned, "allow-unsigned", false, "let a verdict without a signature pass")
	c.Flags().DurationVar(&o.MaxAge, "max-age", 0, "how old a verdict may be, such as 24h; 0 is any age")
	c.Flags().StringVar(&f.subject, "subject", "", "the repository, as DIR or DIR@REVISION, whose files it has to be about: gate hashes them itself")
	c.Flags().StringVar(&o.Subject.Commit, "commit", "", "the commit that the verdict has to be about")
	c.Flags().StringVar(&o.Subject.GitTree, "tree", "", "the git tree that it has to be about")
	c.Flags().StringVar(&o.Subject.TreeSHA256, "sha256", "", "the SHA-256 of the tree that it has to be about")
	c.Flags().StringVar(&o.Spec, "spec", "", "the id of the one spec of a log that is asked for")
	c.Flags().BoolVar(&o.WholeLog, "whole-log", false, "shut where a log lacks a verdict that a later one names as the one before it")
	c.Flags().StringVar(&f.format, "format", "human", strings.Join(gateFormats, ", "))
	return c
}

// check refuses what would let less be asked for than was meant.
func (f *gateFlags) check(cmd *cobra.Command) error {
	if !slices.Contains(gateFormats, f.format) {
		return fmt.Errorf("read --format: %q is not there; use %s", f.format, strings.Join(gateFormats, ", "))
	}
	for _, name := range []string{"commit", "tree", "sha256", "subject", "trust", "contract", "policy", "branch", "spec"} {
		// A shell that fails to find the commit gives nothing; that must not open the gate.
		if l := cmd.Flags().Lookup(name); l.Changed && l.Value.String() == "" {
			return fmt.Errorf("read --%s: it is empty; leave it out where the reader asks for nothing there", name)
		}
	}
	for _, name := range []string{"commit", "tree", "sha256"} {
		if f.subject != "" && cmd.Flags().Lookup(name).Changed {
			return fmt.Errorf("read flags: --subject and --%s both say what the verdict has to be about; take one of them out", name)
		}
	}
	return nil
}

// gateInputs reads what the reader has.
func (a *app) gateInputs(ctx context.Context, o *gate.Options, f *gateFlags) (err error) {
	if f.trust != "" {
		if o.Trust, _, err = signing.ReadTrust(f.trust); err != nil {
			return err
		}
	}
	if f.contract != "" {
		if o.Contract, err = os.ReadFile(f.contract); err != nil {
			return fmt.Errorf("read contract: %w", err)
		}
	}
	if f.policy != "" {
		data, err := os.ReadFile(f.policy)
		if err != nil {
			return fmt.Errorf("read policy: %w", err)
		}
		if o.Policy, err = gate.ParsePolicy(data); err != nil {
			return fmt.Errorf("read policy %s: %w", f.policy, err)
		}
	}
	if f.subject != "" {
		lo, err := a.options()
		if err != nil {
			return err
		}
		dir, revision := cutRevision(f.subject)
		if o.Subject, err = lane.SubjectOf(ctx, lo, dir, revision, true); err != nil {
			return err
		}
	}
	return nil
}

// cutRevision splits DIR@REVISION. A folder whose name has an @ in it is a folder.
func cutRevision(s string) (dir, revision string) {
	if _, err := os.Stat(s); err == nil {
		return s, ""
	}
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		return s, ""
	}
	if dir = s[:at]; dir == "" {
		dir = "."
	}
	return dir, s[at+1:]
}

// readVerdicts reads a file, or standard input for "-".
func readVerdicts(stdin io.Reader, name string) (data []byte, err error) {
	if name == "-" {
		data, err = io.ReadAll(stdin)
	} else {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read verdict: %w", err)
	}
	return data, nil
}

// isLog tells a log from one verdict: by its name, or, on standard input, by a first line that is a whole envelope. Nothing at all is a log
// without verdicts.
func isLog(name string, data []byte) bool {
	if name != "-" {
		return strings.HasSuffix(name, ".jsonl")
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(first) == "" || attest.IsEnvelope([]byte(first))
}

func (a *app) gateLog(o gate.Options, format string, data []byte) error {
	d, err := gate.CheckLog(o, data)
	if err != nil {
		return err
	}
	a.exit = int(d.Exit)
	return a.out.result(func(w io.Writer) error {
		switch format {
		case "json":
			return report.GateLogJSON(w, d)
		case "human":
			return report.GateLog(w, d, a.page())
		}
		return gateFor(w, format, d)
	})
}

func (a *app) page() report.Options {
	return report.Options{Color: a.out.colour, Width: a.out.width}
}

// gateFor prints a decision in a form that somebody else defines.
func gateFor(w io.Writer, format string, d gate.LogDecision) error {
	if format == "github" {
		return report.GateGitHub(w, d)
	}
	return report.GateSARIF(w, d, version)
}
