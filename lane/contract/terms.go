package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/lane/spec"
)

// Terms spells out what a spec means.
func Terms(s *spec.Spec) attest.Terms {
	t := attest.Terms{
		Change:      s.Change,
		Source:      attest.SourceTerms{Repo: s.Source.Repo, Base: s.Source.Base, Head: s.Source.Head, Patch: s.Source.Patch, Git: s.Source.Git},
		Environment: attest.EnvironmentTerms{Fence: s.Env.Fence, Tree: s.Env.Tree, Extras: some(s.Env.Extras), Accept: some(s.Env.Accept)},
		Required:    some(s.RequiredNames()), Removable: some(s.RemovedNames()), Protected: some(s.Assurance.Protect),
		Stability: attest.StabilityTerms{Runs: s.Stability.Runs, Vary: some(s.Stability.Vary)},
		Mutation:  attest.MutationTerms{Scope: s.Mutation.Scope, Budget: s.Mutation.Budget.String(), Threshold: 1, Baseline: s.Mutation.Baseline},
		Limits: attest.LimitTerms{Deadline: s.Limits.Deadline.String(), Memory: s.Limits.Memory, Processes: s.Limits.Processes,
			CPUs: s.Limits.CPUs},
		Require: assurance.Level(s.Assurance.Require),
	}
	for _, x := range s.Services {
		t.Services = append(t.Services, attest.ServiceTerms{Name: x.Name, Prepare: some(x.Prepare), Up: x.Up, Port: x.Port, Health: some(x.Health),
			Tasks: some(x.Tasks), Timeout: x.Timeout.String()})
	}
	if x := s.Target; x != nil {
		t.Target = &attest.TargetTerms{Name: x.Name, Task: x.Task, Build: some(x.Build), Up: x.Up, Port: x.Port, Health: x.Health,
			Check: some(x.Check), Down: some(x.Down), Timeout: x.Timeout.String()}
	}
	if h := s.Hidden; h != nil {
		t.Hidden = &attest.HiddenTerms{Kind: h.Kind, Task: h.Task, Run: h.Run, Reporter: h.Reporter, Program: some(h.Program), Tests: some(h.Tests), Timeout: h.Timeout.String()}
	}
	if d := s.Deploy; d.Declared() {
		t.Deploy = &attest.DeployTerms{Manifests: some(d.Manifests), Render: d.Render, Sources: some(d.Sources), Box: d.Box, Namespace: d.Namespace, Namespaces: some(d.Namespaces)}
		if len(d.Render) == 0 {
			t.Deploy.Render = nil
		}
	}
	for _, d := range s.Downstream {
		x := attest.DownstreamTerms{Name: d.Name, Source: d.Source, Commit: d.Commit, Place: d.Place, Folder: d.Folder, Run: d.Run, Reporter: d.Reporter, Dir: d.Dir,
			Task: d.Task, Tests: some(d.Tests), Timeout: d.Timeout.String()}
		if len(d.Env) > 0 {
			x.Env = d.Env
		}
		t.Downstream = append(t.Downstream, x)
	}
	for _, p := range s.Mutation.Plugins {
		t.Mutation.Plugins = append(t.Mutation.Plugins, attest.PluginTerms{Path: p.Path, SHA256: p.SHA256})
	}
	for _, c := range s.Criteria {
		t.Criteria = append(t.Criteria, attest.CriterionTerms{ID: c.ID, Kind: c.Kind, Text: c.Text, Code: some(c.Code), Tests: some(c.Tests), Removes: some(c.Removes)})
	}
	for _, x := range s.Tasks {
		task := attest.TaskTerms{Name: x.Name, Kind: x.Kind, Run: x.Run, Build: some(x.Build), Reporter: x.Reporter, Timeout: x.Timeout.String(), Dir: x.Dir,
			Tests: some(x.Tests), Flake: x.Flake, Allow: some(x.Allow)}
		if len(x.Env) > 0 {
			task.Env = x.Env
		}
		if len(x.Fetch) > 0 {
			task.Fetch = x.Fetch
		}
		t.Tasks = append(t.Tasks, task)
		t.Hosts = append(t.Hosts, x.Allow...)
	}
	slices.Sort(t.Hosts)
	t.Hosts = some(slices.Compact(t.Hosts))
	return t
}

// some is nil for an empty list, so that what is written and what is read back are the same.
func some(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

// specOf is how a contract names a spec. path is where it lies in the repository, "" for a spec from outside.
func specOf(s *spec.Spec, text []byte, path string) attest.ContractSpec {
	sum := sha256.Sum256(text)
	return attest.ContractSpec{ID: s.ID, Title: s.Title, Path: path, Digest: "sha256:" + hex.EncodeToString(sum[:]),
		Meaning: "sha256:" + hex.EncodeToString(s.Digest[:]), Text: string(text)}
}
