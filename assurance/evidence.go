package assurance

import "time"

// EvidenceVersion is the version of the form of Evidence that this code reads and writes.
const EvidenceVersion = 1

// Evidence is all that a verdict rests on.
type Evidence struct {
	// Version is EvidenceVersion.
	Version int  `json:"version"`
	Plan    Plan `json:"plan"`
	// Observations holds exactly one observation per id of the plan. What is missing is not-run.
	Observations map[string]Observation `json:"observations"`
	// Stop says why Lane stopped before the plan was carried out, if it did.
	Stop Stop `json:"stop,omitzero"`
	// Record goes into the verdict as it is and decides nothing.
	Record Record `json:"record"`
}

// Stop says why Lane ended early. The zero value says that it did not.
type Stop struct {
	// Signal is 2 or 15 where the caller interrupted Lane.
	Signal int `json:"signal,omitempty"`
	// Refusal is set where Lane declined to judge.
	Refusal *Refusal `json:"refusal,omitempty"`
	// Fault says in one sentence what went wrong inside Lane.
	Fault string `json:"fault,omitempty"`
	// Deadline says that the deadline of the whole spec was over.
	Deadline bool `json:"deadline,omitempty"`
	// Phase is the step that Lane was in ("warm", "runs", "mutation", "reaped").
	Phase string `json:"phase,omitempty"`
}

// Record is what a verdict says about its own making. Nothing in it is evidence.
type Record struct {
	Engine   string    `json:"engine"` // Lane's version
	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	// Attempt counts the runs of this spec from 1. Previous is the digest of the verdict before this one for
	// the same subject, so that a withheld red shows.
	Attempt  int    `json:"attempt,omitempty"`
	Previous string `json:"previous,omitempty"`
	// Venue is where and by whom it ran: "self" (the default), "hosted", "independent".
	Venue string `json:"venue,omitempty"`
	// Fence names what fenced the runs ("local").
	Fence  string   `json:"fence,omitempty"`
	Stages []Timing `json:"stages,omitempty"`
	Logs   []Log    `json:"logs,omitempty"`
	// Reproduce lists, per test that did not pass, a command that shows it again.
	Reproduce []Reproduction `json:"reproduce,omitempty"`
	// Fetched lists what the fetch phases brought, and every host that they asked for.
	Fetched []Fetched `json:"fetched,omitempty"`
	// Notes are sentences for the reader: suppressions without effect, a patch that was rebased, ...
	Notes []string `json:"notes,omitempty"`
}

// Fetched is one fetch phase: commands that brought dependencies for one or several trees before anything was tested.
type Fetched struct {
	Tasks    []string   `json:"tasks"`
	Trees    []TreeRole `json:"trees"`
	Commands []string   `json:"commands"`
	// Manifests lists what it saw of the tree. Digest is the NAR hash over what it brought; empty where it failed.
	Manifests []string `json:"manifests"`
	Digest    string   `json:"digest,omitempty"`
	// Kept says that an earlier check brought it, from the hosts listed, and nothing was fetched now.
	Kept  bool          `json:"kept,omitempty"`
	Hosts []FetchedHost `json:"hosts"`
}

// FetchedHost is what a fetch phase had to do with one host and port.
type FetchedHost struct {
	Host        string `json:"host"`
	Port        int    `json:"port,omitempty"`
	Connections int    `json:"connections"`
	Sent        int64  `json:"sent"`     // bytes
	Received    int64  `json:"received"` // bytes
	// Refused is why it was not served ("not-allowed", "bad-address", "unresolved", ...); empty where it was.
	Refused string `json:"refused,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

// Timing is how long one stage took.
type Timing struct {
	Name string `json:"name"`
	MS   int64  `json:"ms"`
}

// Log is a full log on disk.
type Log struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// Reproduction is a command that shows one failure again.
type Reproduction struct {
	Test    string `json:"test"`
	Command string `json:"command"`
}
