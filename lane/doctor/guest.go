package doctor

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/fence/wasi"
)

const noGuest = "specs with fence = \"wasi\" do not run, or do not reach VAL-1"

// guestFinding runs a WebAssembly guest as a check would: one that asks for a connection where there is none to be had, and one
// where there is. No namespace is needed for it, so that it is what remains where boxes cannot be opened.
func guestFinding(ctx context.Context, o Options) Finding {
	f := Finding{Name: "wasi", State: OK}
	if err := wasi.OpenCache(o.Modules, -1); err != nil {
		f.State, f.Saw, f.Costs, f.Fix = Degraded, err.Error(), noGuest, "remove "+o.Modules+"; lane makes it anew"
		return f
	}
	config := wasi.Config{Cache: o.Modules}
	control, err := wasi.NetworkControl(ctx, config)
	var seen fence.ProbeResult
	start := time.Now()
	if err == nil {
		seen, err = wasi.Open(config).Probe(ctx)
	}
	took := time.Since(start)
	if err != nil {
		f.State, f.Saw, f.Costs = Degraded, err.Error(), noGuest
		f.Fix = "please report it, with this text"
		return f
	}
	kept, bytes, err := wasi.Collect(o.Modules, wasi.Bound{Dry: true})
	if err != nil {
		f.State, f.Saw, f.Costs = Degraded, err.Error(), noGuest
		return f
	}
	f.Saw = fmt.Sprintf("a guest ran in %d ms and had no connection; the control had one: %v; %d compiled modules kept (%s)", took.Milliseconds(), control, kept, size(bytes))
	switch {
	case seen.Reached || !control:
		f.State, f.Costs, f.Fix = Degraded, noGuest, "this is a defect of lane, or something on this machine defeats it; please report it"
	case runtime.GOOS != "linux":
		f.State, f.Costs = Degraded, "a guest's process keeps the rights of this user: nothing but the interpreter holds it"
		f.Fix = "use Linux for code that may be hostile"
	}
	return f
}
