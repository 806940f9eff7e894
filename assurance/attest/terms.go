package attest

import "github.com/vallane/lane/assurance"

// Terms are what a spec means, with every default spelled out. Durations are written as Go writes them ("5m0s"), sizes are bytes, and
// what is empty is left out.
type Terms struct {
	// Change is feature, fix, refactor, removal or tree.
	Change      string           `json:"change"`
	Source      SourceTerms      `json:"source"`
	Environment EnvironmentTerms `json:"environment"`
	Criteria    []CriterionTerms `json:"criteria,omitempty"`
	Tasks       []TaskTerms      `json:"tasks"`
	// Required are all tests of the tree that a criterion, a task or the spec itself names. Where there is none, every test that passes on base and
	// every one that the change adds is required. Removable are those that the change may take away.
	Required  []string `json:"required_tests,omitempty"`
	Removable []string `json:"removable_tests,omitempty"`
	// Protected are patterns of paths that the change may not touch.
	Protected []string `json:"protected_paths,omitempty"`
	// Hosts are all that a fetch phase may reach.
	Hosts     []string       `json:"allowed_hosts,omitempty"`
	Services  []ServiceTerms `json:"services,omitempty"`
	Target    *TargetTerms   `json:"target,omitempty"`
	Hidden    *HiddenTerms   `json:"hidden_tests,omitempty"` // nil where the spec does not say how they run
	Stability StabilityTerms `json:"stability"`
	Mutation  MutationTerms  `json:"mutation"`
	Limits    LimitTerms     `json:"limits"`
	// Deploy is what is rehearsed against an API server; nil where nothing is.
	Deploy *DeployTerms `json:"deploy,omitempty"`
	// Downstream are the users whose suites are run.
	Downstream []DownstreamTerms `json:"downstream,omitempty"`
	Require    assurance.Level   `json:"require"`
}

// HiddenTerms say how the tests of a hidden archive run.
type HiddenTerms struct {
	Kind     string   `json:"kind"` // in-process or black-box
	Task     string   `json:"task"` // whose environment they have
	Run      []string `json:"run"`
	Reporter string   `json:"reporter"`
	Program  []string `json:"program,omitempty"` // what a black box talks to
	Tests    []string `json:"tests,omitempty"`
	Timeout  string   `json:"timeout"`
}

// SourceTerms say which change of which repository is meant.
type SourceTerms struct {
	Repo  string `json:"repo"`
	Base  string `json:"base"`
	Head  string `json:"head,omitempty"`
	Patch string `json:"patch,omitempty"`
	Git   bool   `json:"git,omitempty"`
}

// EnvironmentTerms say what the tasks run in.
type EnvironmentTerms struct {
	Fence  string   `json:"fence"`
	Tree   string   `json:"tree"`
	Extras []string `json:"extras,omitempty"`
	// Accept are digests of files of the flake as a change may bring them.
	Accept []string `json:"accept,omitempty"`
}

// CriterionTerms are one thing that the change has to do.
type CriterionTerms struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind"`
	Text    string   `json:"text"`
	Code    []string `json:"code,omitempty"`
	Tests   []string `json:"tests,omitempty"`
	Removes []string `json:"removes,omitempty"`
}

// TaskTerms are one test command.
type TaskTerms struct {
	Name     string            `json:"name"`
	Kind     string            `json:"kind,omitempty"` // api or browser; "" for one that tests the tree
	Run      []string          `json:"run"`
	Build    []string          `json:"build,omitempty"`
	Reporter string            `json:"reporter"`
	Timeout  string            `json:"timeout"`
	Dir      string            `json:"dir"`
	Env      map[string]string `json:"env,omitempty"`
	Tests    []string          `json:"tests,omitempty"`
	Flake    string            `json:"flake"`
	Fetch    [][]string        `json:"fetch,omitempty"`
	Allow    []string          `json:"allow,omitempty"`
}

// ServiceTerms are a disposable service.
type ServiceTerms struct {
	Name    string   `json:"name"`
	Prepare []string `json:"prepare,omitempty"`
	Up      []string `json:"up"`
	Port    int      `json:"port"`
	Health  []string `json:"health,omitempty"`
	Tasks   []string `json:"tasks"`
	Timeout string   `json:"timeout"` // as in "30s"
}

// TargetTerms are a disposable target.
type TargetTerms struct {
	Name    string   `json:"name"`
	Task    string   `json:"task"`
	Build   []string `json:"build,omitempty"`
	Up      []string `json:"up"`
	Port    int      `json:"port"`
	Health  string   `json:"health"`
	Check   []string `json:"check,omitempty"`
	Down    []string `json:"down,omitempty"`
	Timeout string   `json:"timeout"`
}

// StabilityTerms say how often and how differently tests run.
type StabilityTerms struct {
	Runs int      `json:"runs"`
	Vary []string `json:"vary,omitempty"`
}

// MutationTerms say which faults have to be noticed.
type MutationTerms struct {
	Scope  string `json:"scope"`
	Budget string `json:"budget"`
	// Threshold is the share of viable mutants that has to be killed or explained. Lane knows 1 only: none may survive.
	Threshold float64 `json:"threshold"`
	// Baseline is the file whose entries account for survivors, as the base tree has it.
	Baseline string        `json:"baseline,omitempty"`
	Plugins  []PluginTerms `json:"plugins,omitempty"`
}

// PluginTerms are an operator that the author brings.
type PluginTerms struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// LimitTerms bound a check.
type LimitTerms struct {
	Deadline  string `json:"deadline"`
	Memory    int64  `json:"memory"`
	Processes int    `json:"processes"`
	CPUs      int    `json:"cpus"`
}

// DeployTerms say which manifests a server has to accept.
type DeployTerms struct {
	Manifests []string   `json:"manifests,omitempty"`
	Render    [][]string `json:"render,omitempty"`
	Sources   []string   `json:"sources,omitempty"`
	Box       string     `json:"box,omitempty"` // the task whose boxes Render runs in
	Namespace string     `json:"namespace"`
	// Namespaces are there where the objects will be deployed.
	Namespaces []string `json:"namespaces,omitempty"`
}

// DownstreamTerms say which suite of which user is run, and where it finds what is under test.
type DownstreamTerms struct {
	Name     string            `json:"name"`
	Source   string            `json:"source"`
	Commit   string            `json:"commit"`
	Place    string            `json:"place"`
	Folder   string            `json:"folder"`
	Run      []string          `json:"run"`
	Reporter string            `json:"reporter"`
	Dir      string            `json:"dir"`
	Task     string            `json:"task"` // whose environment it has
	Env      map[string]string `json:"env,omitempty"`
	Tests    []string          `json:"tests,omitempty"`
	Timeout  string            `json:"timeout"`
}
