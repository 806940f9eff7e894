package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/vallane/lane/warmup/nix"
)

const (
	daemonSocket = "/nix/var/nix/daemon-socket/socket"
	storeDir     = "/nix/store"
)

// nixFindings are about how closures come to be here. A machine without Nix can use those that are warm.
func nixFindings(ctx context.Context, o Options) []Finding {
	warm := warmClosures(o)
	f := Finding{Name: "nix", State: OK}
	program, err := exec.LookPath("nix")
	if err != nil {
		f.State, f.Saw = Degraded, "not installed"
		f.Costs = fmt.Sprintf("only the closures that are warm here can be used (%d)", warm)
		f.Fix = (&nix.Missing{Program: "nix"}).Hint()
		if warm == 0 {
			f.State, f.Costs = Missing, "no closure is warm here, and none can be made: every check is refused (not-warm)"
		}
		return []Finding{f, store(warm)}
	}
	version, err := exec.CommandContext(ctx, program, "--version").Output()
	if err != nil {
		f.State, f.Saw, f.Costs = Degraded, program+" does not say its version: "+err.Error(), "closures cannot be made"
		f.Fix = "install Nix 2.8 or later"
		return []Finding{f, store(warm)}
	}
	mode := "single-user"
	if _, err := os.Stat(daemonSocket); err == nil {
		mode = "by its daemon"
	}
	f.Saw = fmt.Sprintf("%s, %s", strings.TrimSpace(string(version)), mode)
	return []Finding{f, sandbox(ctx, o, warm), store(warm)}
}

// sandbox has Nix build something and sees what it saw.
func sandbox(ctx context.Context, o Options, warm int) Finding {
	f := Finding{Name: "nix sandbox", State: OK, Saw: "on, as a build saw it"}
	home, err := os.MkdirTemp("", "lane-doctor-")
	if err != nil {
		f.State, f.Saw, f.Costs = Degraded, "not measured: "+err.Error(), "closures cannot be made"
		return f
	}
	defer os.RemoveAll(home)
	c := nix.Client{Home: home, Substituters: o.Substituters, TrustedKeys: o.TrustedKeys}
	const builtHere = "closures that are built here reach VAL-0 only (closure-sealed); those that are fetched by their content's hash lose nothing"
	switch found, err := c.MeasureSandbox(ctx); {
	case errors.Is(err, context.Canceled):
		f.State, f.Saw = Degraded, "not measured: interrupted"
	case err != nil:
		f.State, f.Saw = Degraded, "not measured: "+err.Error()
		f.Costs, f.Fix = builtHere, "see what Nix says"
	case found == nix.Off:
		f.State, f.Saw, f.Costs = Degraded, "off, as a build saw it: it read this machine's name", builtHere
		f.Fix = "let Nix make user namespaces; with a daemon, put sandbox = true into its nix.conf and your user into trusted-users"
	case found == nix.Unknown:
		f.State, f.Saw = Degraded, "not measured: Nix built nothing here"
		f.Costs, f.Fix = "closures cannot be made by this user, or not so that they reach VAL-1", "have root run lane warm, install Nix's daemon, or give this user a store"
		if warm == 0 {
			f.State = Missing
		}
	}
	return f
}

// store looks at where closures lie.
func store(warm int) Finding {
	f := Finding{Name: "store", State: OK, Saw: fmt.Sprintf("%s, %d closures are warm", storeDir, warm)}
	if _, err := os.Stat(storeDir); err != nil {
		f.State, f.Saw = Degraded, "there is no "+storeDir
		f.Costs, f.Fix = "the first warm-up has to make it", "let root install Nix"
		return f
	}
	_, err := os.Stat(daemonSocket)
	switch {
	case writable(storeDir) == nil:
		f.Saw += ", this user may write"
	case err == nil:
		f.Saw += ", the daemon writes"
	default:
		f.State, f.Saw = Degraded, f.Saw+", this user may not write and there is no daemon"
		f.Costs, f.Fix = "closures can be used, and not made", "have root run lane warm, or install Nix's daemon"
	}
	return f
}

// warmClosures counts the locks that a check finds. Whether their paths are whole, each check sees for itself.
func warmClosures(o Options) int {
	seen := map[string]bool{}
	for _, state := range []string{o.State, o.Shared} {
		if state == "" {
			continue
		}
		locks, _ := filepath.Glob(filepath.Join(state, "envs", "*", "closure.lock"))
		for _, l := range locks {
			seen[filepath.Base(filepath.Dir(l))] = true
		}
	}
	return len(seen)
}

func gitFinding(ctx context.Context) Finding {
	f := Finding{Name: "git", State: OK}
	out, err := exec.CommandContext(ctx, "git", "--version").Output()
	if err != nil {
		f.State, f.Saw = Degraded, "not installed"
		f.Costs = "head = \"WORKTREE\", and trees whose .gitattributes convert files, are refused; sources by ssh cannot be fetched"
		f.Fix = "install git"
		return f
	}
	f.Saw = strings.TrimSpace(string(out))
	return f
}
