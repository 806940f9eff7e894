package target

// Made says of a target what is needed to find and end it, should its run die. Its first process is named so that no later process can be
// taken for it.
type Made struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	PID   int    `json:"pid"`
	// Start is when the process started, in clock ticks since the machine did; Boot names that start of the machine.
	Start uint64 `json:"start"`
	Boot  string `json:"boot"`
}
