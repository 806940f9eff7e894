package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/runner"
)

const noBox = "nothing runs but WebAssembly modules (see wasi): other checks are refused (no-fence)"

// fenceFindings opens a box and says what it is like inside.
func fenceFindings(ctx context.Context) []Finding {
	b, err := fence.Open(ctx, fence.Config{})
	if err != nil {
		return closedFence(err)
	}
	defer b.Close()
	facts, err := b.Inspect(ctx)
	if err != nil {
		return []Finding{{Name: "box", State: Missing, Saw: err.Error(), Costs: noBox}}
	}
	return []Finding{userNamespaces(), insideBox(facts), overlay(facts), network(ctx), limits(facts)}
}

// closedFence says which of the parts of a box the kernel refused. What comes after it was not reached.
func closedFence(err error) []Finding {
	user := userNamespaces()
	box := Finding{Name: "box", State: Missing, Saw: err.Error(), Costs: noBox}
	if u := (*fence.Unavailable)(nil); errors.As(err, &u) {
		box.Fix = u.Fix
		if u.Step == "create namespaces" {
			user.State, user.Costs, user.Fix = Missing, noBox, u.Fix
		}
	}
	out := []Finding{user, box}
	for _, name := range []string{"overlay", "network", "limits"} {
		out = append(out, Finding{Name: name, State: Missing, Saw: "not seen: there is no box", Costs: noBox, Fix: "see box"})
	}
	return out
}

// userNamespaces reads the settings; that they hold is seen by the box.
func userNamespaces() Finding {
	f := Finding{Name: "user namespaces", State: OK, Saw: "none in this kernel"}
	if n := setting("user/max_user_namespaces"); n != "" {
		f.Saw = "user.max_user_namespaces = " + n
	}
	if v := setting("kernel/unprivileged_userns_clone"); v != "" { // Debian's own
		f.Saw += ", kernel.unprivileged_userns_clone = " + v
	}
	return f
}

// insideBox judges what a process of the box is.
func insideBox(f fence.Facts) Finding {
	caps := f.CapEff | f.CapPrm | f.CapInh | f.CapBnd | f.CapAmb
	out := Finding{Name: "box", State: OK}
	out.Saw = fmt.Sprintf("opened; inside: uid %d (%d on the host), capabilities %#x, no_new_privs %v, seccomp %d, %d mounts",
		f.UID, fence.HostID(0), caps, f.NoNewPrivs, f.Seccomp, f.Mounts)
	switch {
	case f.UID != fence.BoxUID || caps != 0 || !f.NoNewPrivs || f.Seccomp != 2:
		out.State, out.Costs = Missing, "the clause no-network and the fence itself do not hold"
		out.Fix = "this is a defect of lane, or something on this machine defeats it; please report it"
	case os.Geteuid() == 0 && fence.HostID(0) == 0:
		out.State, out.Costs = Degraded, "code in a box is root of this container on the host's side, behind the namespaces"
		out.Fix = fmt.Sprintf("give the container the id %d (subuid), or run lane as an ordinary user", fence.DefaultHostID)
	}
	return out
}

// overlay is in use wherever a box could be opened; what it cannot do depends on the kernel.
func overlay(f fence.Facts) Finding {
	out := Finding{Name: "overlay", State: OK, Saw: "mounted in a user namespace over a fresh tmpfs"}
	if !f.ReplacesFolders {
		out.State, out.Saw = Degraded, out.Saw+" that keeps no extended attributes"
		out.Costs = "a test that removes a folder of its tree and makes it again sees an error"
		out.Fix = "use Linux 6.6 or later, or tree = \"copy\" in [env] of the specs concerned"
	}
	return out
}

// network dials from a box what must not answer, and in a control box what must.
func network(ctx context.Context) Finding {
	out := Finding{Name: "network", State: OK}
	stage := (&runner.Task{Name: "doctor"}).On("", "")
	defer stage.Close()
	n, err := stage.Network(ctx)
	if err != nil {
		out.State, out.Saw, out.Costs = Missing, err.Error(), "the clause no-network is not held"
		return out
	}
	var reached []string
	for _, d := range n.Dialled {
		if d.Reached {
			reached = append(reached, d.Address)
		}
	}
	out.Saw = fmt.Sprintf("%d listeners of this machine dialled from a box, %d reached; the control was reached: %v", len(n.Dialled), len(reached), n.Control)
	if len(reached) > 0 || !n.Control {
		out.State, out.Costs = Missing, "the clause no-network is not held"
		out.Fix = "this is a defect of lane, or something on this machine defeats it; please report it"
	}
	return out
}

// limits says what holds which limit. Sampling and rlimits hold everywhere.
func limits(f fence.Facts) Finding {
	out := Finding{Name: "limits", State: OK}
	out.Saw = fmt.Sprintf("memory by %s; processes by %s; processors by affinity; processor time by sampling; disk and inodes by tmpfs; files and file size by rlimit",
		f.MemoryBy, f.ProcessesBy)
	if !strings.Contains(f.MemoryBy, "cgroup") || !strings.Contains(f.ProcessesBy, "cgroup") {
		out.State = Degraded
		out.Costs = "a burst within 50 ms can pass the memory limit before the box is ended; no level"
		out.Fix = "run lane where it may make control groups below its own: as root, or in groups that root gave to this user"
	}
	return out
}
