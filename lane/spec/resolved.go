package spec

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Value is one setting as it came out.
type Value struct {
	Text    string `json:"value"`
	Default bool   `json:"default,omitempty"` // the spec does not give it
	// Note says what it comes to, where that is more than Text: the commit
	// of a branch, the reporter that "auto" chose.
	Note string `json:"note,omitempty"`
}

// Resolved is what a spec comes to: plain text, ready for Explain and for JSON.
// Spec.Resolved fills in what the spec alone says; the fields that it leaves
// empty are for the one who has the repository and the closures at hand.
type Resolved struct {
	ID         string  `json:"id"`
	Title      Value   `json:"title"`
	File       string  `json:"file"`
	Digest     string  `json:"digest"`      // SHA-256 of the meaning, hex
	FileDigest string  `json:"file_digest"` // SHA-256 of the bytes, hex
	Change     Value   `json:"change"`
	Authority  Value   `json:"authority"` // to fill in: contract, base or change, and why
	Source     Commits `json:"source"`

	Fence    Value             `json:"fence"`
	Tree     Value             `json:"tree"`
	Closures []ResolvedClosure `json:"closures"` // to fill in: Key and State

	Tasks    []ResolvedTask      `json:"tasks"`
	Criteria []ResolvedCriterion `json:"criteria"`
	Services []ResolvedService   `json:"services,omitempty"`
	Target   *ResolvedTarget     `json:"target,omitempty"`
	Hidden   *ResolvedHidden     `json:"hidden,omitempty"`
	Required []string            `json:"required_tests"` // empty: RequiredRule says which
	// RequiredRule says where the required tests come from.
	RequiredRule string   `json:"required_rule"`
	Removes      []string `json:"removable_tests"`

	// Deploy lists what is rehearsed: patterns and commands. Nil for a spec without [deploy].
	Deploy []string `json:"deploy,omitempty"`
	// Downstream lists the users whose suites are run. Nil for a spec without [[downstream]].
	Downstream []ResolvedDownstream `json:"downstream,omitempty"`

	Mutation  ResolvedMutation  `json:"mutation"`
	Stability ResolvedStability `json:"stability"`
	Limits    ResolvedLimits    `json:"limits"`
	Require   Value             `json:"require"`
	Protect   []string          `json:"protected_paths,omitempty"`

	// Notes are facts beside the settings, one sentence each: a changed
	// flake.lock, a dirty tree.
	Notes []string `json:"notes,omitempty"`
}

// Commits says what is compared with what. The notes of Base and Head, and
// MergeBase, are to fill in with commits.
type Commits struct {
	Repo      Value  `json:"repo"`
	Base      Value  `json:"base"`
	MergeBase string `json:"merge_base"`
	Head      Value  `json:"head"`
	Patch     string `json:"patch,omitempty"`
	Git       Value  `json:"git"`
}

// ResolvedClosure is one closure and the tasks that run in it.
type ResolvedClosure struct {
	Flake string   `json:"flake"`
	Key   string   `json:"key"`   // to fill in: names the staged folder
	State string   `json:"state"` // to fill in: warm, or what to do
	Tasks []string `json:"tasks"`
}

// ResolvedTask is one task.
type ResolvedTask struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind,omitempty"` // "api" or "browser"
	Run      []string `json:"run"`
	Build    []string `json:"build,omitempty"`
	Reporter Value    `json:"reporter"`
	Timeout  Value    `json:"timeout"`
	Dir      Value    `json:"dir"`
	Env      []string `json:"env,omitempty"` // NAME=value
	Tests    []string `json:"tests,omitempty"`
	Flake    Value    `json:"flake"`
	Fetch    Value    `json:"fetch"`
	Allow    Value    `json:"allow"`
}

// ResolvedCriterion is one criterion.
type ResolvedCriterion struct {
	ID    string   `json:"id"`
	Kind  Value    `json:"kind"`
	Text  string   `json:"text"`
	Code  []string `json:"code,omitempty"`
	Tests []string `json:"tests,omitempty"`
}

// ResolvedMutation is [mutation].
type ResolvedMutation struct {
	Scope    Value    `json:"scope"`
	Budget   Value    `json:"budget"`
	Baseline string   `json:"baseline,omitempty"`
	Plugins  []Plugin `json:"plugins,omitempty"`
}

// ResolvedStability is [stability].
type ResolvedStability struct {
	Runs Value `json:"runs"`
	Vary Value `json:"vary"`
}

// ResolvedLimits is [limits].
type ResolvedLimits struct {
	Deadline  Value `json:"deadline"`
	Memory    Value `json:"memory"`
	Processes Value `json:"processes"`
	CPUs      Value `json:"cpus"`
}

// Resolved returns what the spec alone says of its plan.
func (s *Spec) Resolved() Resolved {
	r := Resolved{
		ID: s.ID, Title: s.shown("title", s.Title), File: s.Name,
		Digest: hex.EncodeToString(s.Digest[:]), FileDigest: hex.EncodeToString(s.FileDigest[:]),
		Change: s.shown("change", s.Change),
		Source: Commits{
			Repo: s.shown("source.repo", s.Source.Repo), Base: s.shown("source.base", s.Source.Base),
			Head: s.shown("source.head", s.Source.Head), Patch: s.Source.Patch,
			Git: s.shown("source.git", fmt.Sprint(s.Source.Git)),
		},
		Fence: s.shown("env.fence", s.Env.Fence), Tree: s.shown("env.tree", s.Env.Tree),
		Required: s.RequiredNames(), Removes: s.RemovedNames(),
		RequiredRule: "named by the spec",
		Deploy:       s.Deploy.shown(),
		Mutation: ResolvedMutation{
			Scope:    s.shown("mutation.scope", s.Mutation.Scope),
			Budget:   s.shown("mutation.budget", formatDuration(s.Mutation.Budget)),
			Baseline: s.Mutation.Baseline,
			Plugins:  s.Mutation.Plugins,
		},
		Stability: ResolvedStability{
			Runs: s.shown("stability.runs", fmt.Sprint(s.Stability.Runs)),
			Vary: s.shown("stability.vary", listed(s.Stability.Vary)),
		},
		Limits: ResolvedLimits{
			Deadline:  s.shown("limits.deadline", formatDuration(s.Limits.Deadline)),
			Memory:    s.shown("limits.memory", formatSize(s.Limits.Memory)),
			Processes: s.shown("limits.processes", fmt.Sprint(s.Limits.Processes)),
			CPUs:      s.shown("limits.cpus", fmt.Sprint(s.Limits.CPUs)),
		},
		Require: s.shown("assurance.require", fmt.Sprintf("VAL-%d", s.Assurance.Require)), Protect: s.Assurance.Protect,
		Closures: []ResolvedClosure{}, Tasks: []ResolvedTask{}, Criteria: []ResolvedCriterion{},
	}
	if len(r.Required) == 0 {
		r.RequiredRule = "every test that passes on base, and every test that the change adds"
	}
	r.tasks(s)
	r.Services = s.resolvedServices()
	r.Target = s.resolvedTarget()
	r.Hidden = s.resolvedHidden()
	r.Downstream = s.resolvedDownstream()
	for i, c := range s.Criteria {
		r.Criteria = append(r.Criteria, ResolvedCriterion{
			ID: c.ID, Kind: s.shown(fmt.Sprintf("criterion[%d].kind", i), c.Kind), Text: c.Text, Code: c.Code, Tests: c.Tests,
		})
	}
	return r
}

func (r *Resolved) tasks(s *Spec) {
	for i, t := range s.Tasks {
		shown := func(key, text string) Value { return s.shown(fmt.Sprintf("task[%d].%s", i, key), text) }
		var fetch []string
		for _, command := range t.Fetch {
			fetch = append(fetch, commandLine(command))
		}
		task := ResolvedTask{
			Name: t.Name, Kind: t.Kind, Run: t.Run, Build: t.Build, Tests: t.Tests,
			Reporter: shown("reporter", t.Reporter), Timeout: shown("timeout", formatDuration(t.Timeout)), Dir: shown("dir", t.Dir),
			Flake: shown("flake", t.Flake), Fetch: shown("fetch", strings.Join(fetch, "; ")), Allow: shown("allow", strings.Join(t.Allow, ", ")),
		}
		task.Flake.Default = task.Flake.Default && s.Defaults["env.flake"]
		task.Fetch.Default = task.Fetch.Default && s.Defaults["env.fetch"]
		task.Allow.Default = task.Allow.Default && s.Defaults["env.allow"]
		for _, name := range slices.Sorted(maps.Keys(t.Env)) {
			task.Env = append(task.Env, name+"="+t.Env[name])
		}
		r.Tasks = append(r.Tasks, task)
		at := slices.IndexFunc(r.Closures, func(c ResolvedClosure) bool { return c.Flake == t.Flake })
		if at < 0 {
			at = len(r.Closures)
			r.Closures = append(r.Closures, ResolvedClosure{Flake: t.Flake})
		}
		r.Closures[at].Tasks = append(r.Closures[at].Tasks, t.Name)
	}
}

func (s *Spec) shown(key, text string) Value {
	return Value{Text: text, Default: s.Defaults[key]}
}

func listed(words []string) string {
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}
