package store

import (
	"encoding/json"
	"fmt"
)

// Level is how thoroughly a path was checked, weakest first.
type Level int

// The levels.
const (
	None   Level = iota // not at all
	Lstat               // it is there and is a file, folder or symlink as locked
	DB                  // Nix's database agrees with the lock; not offered, see the package's comment
	Sealed              // hashed in full once by this user, and no file of it has changed since
	Full                // hashed in full now
)

var levelNames = [...]string{"none", "lstat", "db", "sealed", "full"}

func (l Level) String() string {
	if l < None || int(l) >= len(levelNames) {
		return fmt.Sprintf("level %d", int(l))
	}
	return levelNames[l]
}

// ParseLevel reads what String writes.
func ParseLevel(s string) (Level, error) {
	for i, name := range levelNames {
		if s == name {
			return Level(i), nil
		}
	}
	return None, fmt.Errorf("read verification level %q: it is none of none, lstat, db, sealed, full", s)
}

// MarshalJSON writes the level's name.
func (l Level) MarshalJSON() ([]byte, error) { return json.Marshal(l.String()) }

// UnmarshalJSON reads the level's name.
func (l *Level) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	var err error
	*l, err = ParseLevel(s)
	return err
}
