package assurance

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Level is a Verification Assurance Level. Note that its zero value is VAL0: an absent level is spelled
// LevelNone.
type Level int

// The levels that Lane can give. There is a VAL-4, production, which Lane never gives: a gate that meets
// one treats it as tampering.
const (
	LevelNone Level = -1
	VAL0      Level = 0 // it ran
	VAL1      Level = 1 // it bites
	VAL2      Level = 2 // it rehearses
	VAL3      Level = 3 // it was real
)

// String returns "none" or "VAL-<n>".
func (l Level) String() string {
	if l < VAL0 {
		return "none"
	}
	return "VAL-" + strconv.Itoa(int(l))
}

// Means says in a few words what a verdict of this level showed.
func (l Level) Means() string {
	switch l {
	case VAL0:
		return "it ran"
	case VAL1:
		return "it bites"
	case VAL2:
		return "it rehearses"
	case VAL3:
		return "it was real"
	}
	return "nothing shown"
}

// MarshalJSON writes the level as its String.
func (l Level) MarshalJSON() ([]byte, error) { return json.Marshal(l.String()) }

// UnmarshalJSON reads what MarshalJSON writes, as ParseLevel does.
func (l *Level) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("read level: want a string such as %q", VAL1)
	}
	v, err := ParseLevel(s)
	if err != nil {
		return err
	}
	*l = v
	return nil
}

// ParseLevel reads what String writes. Levels above VAL-3 are read as well, so that a gate can say what it met.
func ParseLevel(s string) (Level, error) {
	if s == "none" {
		return LevelNone, nil
	}
	n, ok := strings.CutPrefix(s, "VAL-")
	if !ok || len(n) != 1 || n[0] < '0' || n[0] > '9' {
		return LevelNone, fmt.Errorf("read level %q: want none or VAL-0 to VAL-3", s)
	}
	return Level(n[0] - '0'), nil
}
