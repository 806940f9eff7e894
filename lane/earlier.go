package lane

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/journal"
	"github.com/vallane/lane/lane/spec"
)

// inputsFile lies beside a verdict and names all that it rests on.
const inputsFile = "inputs"

// maxEarlier is how old a verdict may be to be taken again: what flips is found by running it.
const maxEarlier = 24 * time.Hour

// earlier finds the last verdict of a spec, where it says passed, is not too old, and nothing that it rests on has changed since. No box
// is opened for that: base and head are found, and the closures are loaded, at the level that a check loads them at. Anything in doubt
// is no, and so is a baseline: what it accepts expires.
//
// A verdict that does not say passed is never taken again: whoever asks anew wants to see.
func earlier(ctx context.Context, o Options, s *spec.Spec, dir string) (Result, bool) {
	st, err := journal.Read(dir)
	if err != nil || !st.State.Terminal() || st.Verdict == "" || st.Outcome != string(assurance.OutcomePassed) || time.Since(st.Finished) > maxEarlier {
		return Result{}, false
	}
	file := filepath.Join(dir, filepath.FromSlash(st.Verdict))
	was, err := os.ReadFile(filepath.Join(filepath.Dir(file), inputsFile))
	if err != nil {
		return Result{}, false
	}
	v, err := readVerdict(file)
	if err != nil || v.Outcome != assurance.OutcomePassed || len(v.Evidence.Plan.Explained) > 0 {
		return Result{}, false
	}
	j, err := o.planOnly(ctx, s)
	if err != nil {
		return Result{}, false
	}
	defer j.close()
	if digestOf(j.baseline) != "" {
		return Result{}, false
	}
	if sub := j.evidence.Plan.Subject; sub.GitTree != v.Subject.GitTree || sub.BaseTree != v.Subject.BaseTree || sub.Commit != v.Subject.Commit {
		return Result{}, false // the rest would cost more to find out
	}
	if !j.allWarm(ctx) || j.restsOn(dir) != string(was) {
		return Result{}, false
	}
	return Result{Spec: s.Name, Dir: dir, File: file, Verdict: v, Earlier: st.Finished}, true
}

// readVerdict reads a verdict of this user's own and judges its evidence again.
func readVerdict(file string) (v assurance.Verdict, err error) {
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		return v, err
	}
	if v.Evidence == nil {
		return v, errors.New("it has no evidence")
	}
	return assurance.Judge(*v.Evidence), nil
}

// allWarm loads the closures, and reports whether all of them are there.
func (j *job) allWarm(ctx context.Context) bool {
	j.o.onlyWarm = true
	return j.closures(ctx) == nil
}

// restsOn names all that a check rests on, once the closures are loaded. The same name means that running it again would run the same.
// dir is the folder of the spec's state, whose memory of flips is among it.
func (j *job) restsOn(dir string) string {
	p := &j.evidence.Plan
	all := struct {
		Engine, Program string
		Rules           int
		Spec            assurance.Spec
		Contract        *assurance.Contract
		Hidden          string
		Kind            string
		SaidBy          assurance.Authority
		Subject         assurance.Subject
		Closures        []assurance.PlannedClosure
		Environment     []assurance.EnvironmentEdit
		Ignores         []string
		Files           []string
		Asked           bool     // of an API server
		Users           []string // whose suites were run
		ProductionWords []string
	}{
		Engine: j.o.engine(), Program: program(), Rules: assurance.RulesVersion, Spec: p.Spec, Contract: p.Contract, Hidden: j.archiveDigest(), Kind: p.Change.Kind, SaidBy: p.Change.SaidBy,
		Subject: p.Subject, Closures: p.Closures, Environment: p.Change.Environment, Ignores: j.o.IgnoreFiles,
		Asked:           p.Deploy != nil && j.o.Cluster.Given(),
		Users:           j.usersGiven(),
		ProductionWords: j.o.ProductionWords,
	}
	all.Subject.TreeSHA256 = "" // measured later, of the tree that git names
	for _, name := range append([]string{filepath.Join(dir, flippedFile)}, j.o.IgnoreFiles...) {
		all.Files = append(all.Files, digestOf(name))
	}
	data, err := json.Marshal(all)
	if err != nil {
		return "" // no name is no other's
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// program tells builds of Lane apart that have one version.
func program() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(name)
	if err != nil {
		return ""
	}
	return info.ModTime().UTC().Format(time.RFC3339Nano) + " " + itoa(int(info.Size()))
}

// digestOf is that of a file's content; "" is none.
func digestOf(name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
