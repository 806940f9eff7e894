package lane

import (
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/vallane/lane/lane/fetch"
)

// Options say where Lane keeps its things and how much it may do at once.
type Options struct {
	// State holds specs' statuses, verdicts and closures' locks; Cache holds trees, build caches and
	// objects, all of which can be made again. Both are created where they are missing.
	State, Cache string
	// Shared is a further folder of closure locks that is only read, except by Warm as root: what the
	// administrator of a machine warmed for its users. "" for none.
	Shared string
	// Jobs is how many boxes are at work at once; 0 means one per processor.
	Jobs int
	// Change is what the caller says the change is (feature, fix, refactor, removal, tree); "" leaves
	// it to the spec.
	Change string
	// Contract is the file of a signed contract that Check runs its one spec under; "" takes the one beside the spec (ContractFile), where
	// there is one and Trust is set. Trust is the trust.toml that says whose contracts count; "" is nobody's.
	Contract, Trust string
	// Hidden is the archive of hidden tests that the contract names; "" is none, and they are not run.
	Hidden string
	// Substituters and TrustedKeys are binary caches and their public keys, separated by spaces, that
	// Nix may use in Warm. "" means none.
	Substituters, TrustedKeys string
	// Netrc is a file of user names and passwords for binary caches, in netrc's notation; "" for none.
	Netrc string
	// Offline fetches nothing over a network, for closures and in fetch phases.
	Offline bool
	// WithoutNix has closures come from binary caches by their closure.lock even where Nix is installed.
	WithoutNix bool
	// IgnoreFiles are files of ignore patterns of the person's own, for a head that is a work tree.
	IgnoreFiles []string
	// Network is how fetch phases reach the world. The zero value is what everybody gets; tests have hosts of their own.
	Network fetch.Network
	// Events is called, from several goroutines, with the progress of a check. nil for none.
	Events func(Event)
	// Cluster is the API server for the manifests of specs that have [deploy].
	Cluster Cluster
	// Downstream are folders of git repositories by the names of the users in [[downstream]] of specs. Suites of others are not run.
	Downstream map[string]string
	// ProductionWords are words and patterns that speak for production where the name of a target has them, as assurance.ReadProductionWord gives them, beside Lane's
	// own.
	ProductionWords []string
	// Reuse takes the last verdict of a spec again where it passed, within a day, and nothing that it rests on has changed.
	Reuse bool
	// under is the contract of the spec that is checked.
	under *agreement
	// onlyWarm makes no closure that is not there.
	onlyWarm bool
	// slots is shared by the specs of one CheckAll.
	slots *semaphore.Weighted

	// Version and Commit are what the verdict says made it.
	Version, Commit string
}

// Event is one step of progress, for people.
type Event struct {
	Spec  string // id or file of the spec
	Phase string // "plan", "closure", "trees", "fetch", "caches", "runs", "hidden", "downstream", "deploy", "mutants", "target", "judge", "done"
	Text  string
	// Done and Total count the work of the phase; Total is 0 where there is nothing to count.
	Done, Total int
	// Important events are worth a line of their own, such as a survivor.
	Important bool
}

func (o Options) emit(e Event) {
	if o.Events != nil {
		o.Events(e)
	}
}

func (o Options) jobs() int {
	if o.Jobs > 0 {
		return o.Jobs
	}
	return runtime.NumCPU()
}

// engine is the name of this Lane in a verdict.
func (o Options) engine() string {
	switch {
	case o.Version == "":
		return "lane"
	case o.Commit == "":
		return "lane " + o.Version
	}
	return "lane " + o.Version + " (" + o.Commit + ")"
}

// specs is the folder of all specs' states.
func (o Options) specs() string { return filepath.Join(o.State, "specs") }

// stopwatch collects how long each stage took.
type stopwatch struct {
	last  time.Time
	names []string
	spent []time.Duration
}

func (s *stopwatch) lap(name string) {
	now := time.Now()
	s.names = append(s.names, name)
	s.spent = append(s.spent, now.Sub(s.last))
	s.last = now
}
