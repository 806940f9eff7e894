package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/lane"
	"github.com/vallane/lane/lane/worktree"
)

// app is what the subcommands share: the printer, the settings and the exit code.
type app struct {
	out    *printer
	getenv func(string) string
	exit   int

	jobs  int
	quiet bool
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "lane",
		Short: "Verify a change that someone else wrote, and say how much the verdict has earned",
		Long: `Lane runs the tests of a spec in a pinned Nix closure behind a fence without network, runs them
again under controlled variations, mutates the code and demands that the tests notice, and stamps
the verdict with a Verification Assurance Level (VAL) that never claims more than it earned.`,
		Example: `  lane check specs/cart.toml            verify the change that the spec names
  lane gate --min-val 1 --allow-unsigned verdict.json`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(a.out.out)
	root.SetErr(a.out.err)
	root.PersistentFlags().IntVar(&a.jobs, "jobs", 0, "boxes at work at once ($LANE_JOBS; default: the number of processors)")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress on stderr")
	root.SetUsageTemplate(root.UsageTemplate() + helpTail)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(a.checkCommand(), a.execCommand(), a.mutateCommand(), a.gateCommand(), a.signCommand(), a.keygenCommand(), a.contractCommand(), a.publishCommand(), a.verdictsCommand(), a.showCommand(), a.warmCommand(), a.lockCommand(), a.gcCommand(),
		a.reapCommand(), a.doctorCommand(), a.specCommand(), a.initCommand(), a.versionCommand())
	return root
}

const helpTail = `
Exit codes: 0 passed and the level reached, 1 tests failed, 2 usage or spec error, 3 tampered or refused,
4 unstable or the level not reached, 5 lane or its environment, 6 no tests, 7 time ran out, 130/143 interrupted
Variables: LANE_STATE, LANE_CACHE, LANE_SHARED (folders), LANE_JOBS, LANE_KEY, LANE_TRUST, LANE_SUBSTITUTERS, LANE_TRUSTED_KEYS,
LANE_NETRC (binary caches, their keys and passwords), LANE_OFFLINE, LANE_WITHOUT_NIX, LANE_WEBHOOK_TOKEN (lane publish),
LANE_CLUSTER, LANE_KUBE_APISERVER, LANE_ETCD (lane check, for [deploy]), LANE_PRODUCTION_WORDS (lane check, for [target]), NO_COLOR
`

// options turns the environment and the common flags into the library's options.
func (a *app) options() (lane.Options, error) {
	o := lane.Options{Jobs: a.jobs, Version: version, Commit: commit, IgnoreFiles: worktree.PersonalIgnoreFiles(a.getenv)}
	var err error
	if o.State, err = a.folder("LANE_STATE", "XDG_STATE_HOME", ".local/state"); err != nil {
		return o, err
	}
	if o.Cache, err = a.folder("LANE_CACHE", "XDG_CACHE_HOME", ".cache"); err != nil {
		return o, err
	}
	if o.Shared = a.getenv("LANE_SHARED"); o.Shared == "" {
		o.Shared = "/var/lib/lane"
	}
	o.Substituters = a.getenv("LANE_SUBSTITUTERS")
	o.TrustedKeys = a.getenv("LANE_TRUSTED_KEYS")
	if v := a.getenv("LANE_NETRC"); v != "" {
		if o.Netrc, err = filepath.Abs(v); err != nil {
			return o, err
		}
	}
	if o.Offline, err = a.yes("LANE_OFFLINE"); err != nil {
		return o, err
	}
	if o.WithoutNix, err = a.yes("LANE_WITHOUT_NIX"); err != nil {
		return o, err
	}
	if v := a.getenv("LANE_JOBS"); v != "" && o.Jobs == 0 {
		if o.Jobs, err = strconv.Atoi(v); err != nil || o.Jobs < 1 {
			return o, fmt.Errorf("read LANE_JOBS: %q is not a number of boxes, such as 2", v)
		}
	}
	if o.Jobs < 0 {
		return o, fmt.Errorf("read --jobs: %d is not a number of boxes, such as 2", o.Jobs)
	}
	return o, nil
}

// yes reads a variable that is on or off.
func (a *app) yes(name string) (bool, error) {
	switch v := a.getenv(name); v {
	case "", "0", "false", "no":
		return false, nil
	case "1", "true", "yes":
		return true, nil
	default:
		return false, fmt.Errorf("read %s: %q is neither 1 nor 0", name, v)
	}
}

// folder resolves one of Lane's folders: its own variable, else the XDG one, else below HOME.
func (a *app) folder(own, xdg, below string) (string, error) {
	if v := a.getenv(own); v != "" {
		return filepath.Abs(v)
	}
	if v := a.getenv(xdg); filepath.IsAbs(v) {
		return filepath.Join(v, "lane"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find lane's folders: %v; set HOME or %s", err, own)
	}
	return filepath.Join(home, below, "lane"), nil
}
