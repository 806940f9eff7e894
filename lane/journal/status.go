package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// State is where a run stands. The last three are terminal.
type State string

// The states of a run.
const (
	Planned State = "planned"
	Running State = "running"
	Done    State = "done"
	Refused State = "refused"
	Failed  State = "failed"
)

// Terminal reports whether a run in this state will never change again.
func (s State) Terminal() bool { return s == Done || s == Refused || s == Failed }

// Status is the newest state of a spec, as status.json holds it.
type Status struct {
	// Schema is the version of this format: 1.
	Schema int `json:"schema"`
	// Spec is the spec's id, Source the file and repository that it was read from.
	Spec   string `json:"spec"`
	Source string `json:"source,omitempty"`
	// Attempt counts the runs of this spec from 1.
	Attempt int    `json:"attempt"`
	State   State  `json:"state"`
	Phase   string `json:"phase,omitempty"`
	// Outcome, Level and Exit are set once the state is terminal.
	Outcome string `json:"outcome,omitempty"`
	Level   string `json:"level,omitempty"`
	Exit    int    `json:"exit"`
	// Reason says in a sentence why a run failed or was refused.
	Reason   string    `json:"reason,omitempty"`
	Started  time.Time `json:"started"`
	Updated  time.Time `json:"updated"`
	Finished time.Time `json:"finished,omitzero"`
	// Verdict is the path of verdict.json, relative to the folder of status.json.
	Verdict string `json:"verdict,omitempty"`
}

// Read returns the status in a spec's folder. The error is os.ErrNotExist where there is none yet.
func Read(dir string) (Status, error) {
	var s Status
	name := filepath.Join(dir, "status.json")
	data, err := os.ReadFile(name)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("read %s: %v", name, err)
	}
	return s, nil
}

func write(dir string, s Status) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return Replace(filepath.Join(dir, "status.json"), append(data, '\n'), 0o644)
}

// Replace puts data at name atomically: a reader sees the old bytes or the new ones, and after a
// crash of the machine one of the two is there.
func Replace(name string, data []byte, perm os.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, werr := f.Write(data)
	if err := errors.Join(werr, f.Chmod(perm), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return os.Rename(f.Name(), name)
}
