package lane

import (
	"context"
	"strings"
	"time"

	"github.com/vallane/lane/lane/doctor"
)

// Doctor says what this machine allows with these options. built is when this Lane was built, zero where nobody knows.
func Doctor(ctx context.Context, o Options, built time.Time) (doctor.Report, error) {
	return doctor.Examine(ctx, doctor.Options{
		State: o.State, Cache: o.Cache, Shared: o.Shared, Specs: o.specs(), Modules: o.compiled(), Jobs: o.jobs(), Built: built,
		Substituters: strings.Fields(o.Substituters), TrustedKeys: strings.Fields(o.TrustedKeys),
	})
}
