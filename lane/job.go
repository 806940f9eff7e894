package lane

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/buildcache"
	"github.com/vallane/lane/lane/hidden"
	"github.com/vallane/lane/lane/journal"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/stability"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/golang"
	"github.com/vallane/lane/mutate/javascript"
	"github.com/vallane/lane/mutate/python"
	"github.com/vallane/lane/warmup"
)

// job is one check under way. Each step fills in what the next ones need.
type job struct {
	o       Options
	spec    *spec.Spec
	file    string     // absolute path of the spec
	under   *agreement // nil where there is no contract
	journal *journal.Run
	watch   stopwatch
	slots   *semaphore.Weighted

	mu       sync.Mutex // guards evidence while runs are under way
	evidence assurance.Evidence

	archive *hidden.Archive // the hidden tests that the contract names; nil where they are not run
	repo    *worktree.Repo
	change  worktree.Change
	repin   bool                       // leave out the caller's pins, which are to be written anew
	closure map[string]*warmup.Closure // by flake reference
	head    *worktree.Tree
	base    *worktree.Tree // nil where there is nothing to compare with
	hybrid  *worktree.Tree // base with head's tests; nil as base
	leases  []buildcache.Lease
	tasks   []*task // that test the tree
	asking  []*task // that test the target
	audits  []taskAudit
	only    func(file string) bool // which files are mutated; nil for all that the spec's scope says
	found   *golang.Result         // the candidates of Go, which can be built into one program

	flipped     flipped // tests that once ended in two ways
	wholeMatrix bool
	tier        mutate.Tier       // the only one that may be used; "" = the quickest
	byHand      bool              // lane mutate: for a person, and no check
	operators   []string          // of its mutants; nil for the usual ones
	baseline    string            // file of accepted survivors, absolute
	accepted    []mutate.Accepted // what base holds of it
	memory      *memory           // nil in a check

	foundPython     *python.Result // nil where no task runs Python
	foundJavaScript *javascript.Result
	untyped         untyped
	changedLines    map[string][]mutate.Range // of head, by file
}

// task is one task of the spec with its boxes and what they showed.
type task struct {
	spec    spec.Task
	runner  *runner.Task
	closure *warmup.Closure

	head, base, hybrid *runner.Stage     // base and hybrid are nil as in job
	warmed             map[string]string // build caches, by the host folder of the tree

	seen   []seenRun // of head, in the order of the plan
	onBase *runner.Seen
	// baseParts counts the tests of a second run of base, where one was needed.
	baseParts map[string]int
}

// seenRun is one run of head.
type seenRun struct {
	id     string
	canary bool
	seen   runner.Seen

	variation stability.Variation
}

// newJob prepares a check; run is nil where a spec is only looked at.
func newJob(o Options, s *spec.Spec, file string, run *journal.Run) *job {
	j := &job{o: o, spec: s, file: file, under: o.under, journal: run, closure: map[string]*warmup.Closure{}, slots: o.slots}
	if j.slots == nil {
		j.slots = semaphore.NewWeighted(int64(o.jobs()))
	}
	j.watch.last = time.Now()
	j.evidence = assurance.Evidence{
		Version: assurance.EvidenceVersion, Observations: map[string]assurance.Observation{},
		Record: assurance.Record{Engine: o.engine(), Started: time.Now().UTC(), Venue: "self", Fence: "local"},
	}
	j.baseline = baselineOf(s, file)
	if run != nil {
		j.evidence.Record.Attempt = run.Attempt()
	}
	j.evidence.Plan.Require = assurance.Level(s.Assurance.Require)
	j.evidence.Plan.Spec = assurance.Spec{ID: s.ID, Title: s.Title, Path: file,
		Digest: "sha256:" + hex.EncodeToString(s.FileDigest[:]), Authority: assurance.ByChange}
	return j
}

// close gives back what the job holds: boxes, leases of caches, trees and closures.
func (j *job) close() {
	for _, t := range j.every() {
		for _, s := range []*runner.Stage{t.head, t.base, t.hybrid} {
			if s != nil {
				s.Close()
			}
		}
	}
	for _, l := range j.leases {
		l.Close()
	}
	for _, t := range []*worktree.Tree{j.head, j.base, j.hybrid} {
		if t != nil {
			t.Close()
		}
	}
	for _, c := range j.closure {
		c.Close()
	}
	if j.repo != nil {
		j.repo.Close()
	}
}

func (j *job) say(phase, text string) {
	j.o.emit(Event{Spec: j.spec.ID, Phase: phase, Text: text})
}

// observe records what was seen of a planned id.
func (j *job) observe(id string, o assurance.Observation) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.evidence.Observations[id] = o
}

// folderName names a folder for the specs of one source folder: readable, and unique by its digest.
func folderName(path string) string {
	sum := sha256.Sum256([]byte(path))
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, filepath.Base(path))
	return strings.TrimLeft(name, ".-")[:min(len(strings.TrimLeft(name, ".-")), 40)] + "-" + hex.EncodeToString(sum[:6])
}

func (j *job) writeVerdict(name string, v assurance.Verdict) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := journal.Replace(name, append(data, '\n'), 0o644); err != nil {
		return err
	}
	return j.remembered(data)
}

// randomSeed gives bytes that nobody could know while the change was made.
func randomSeed() (seed [32]byte) {
	rand.Read(seed[:]) // never fails
	return seed
}
