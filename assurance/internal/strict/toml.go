package strict

import (
	"errors"
	"fmt"

	"github.com/BurntSushi/toml"
)

// TOML reads a file of a reader's into x, which points to a struct. An unknown key is an error; errors say where they are.
func TOML(data []byte, x any) error {
	meta, err := toml.Decode(string(data), x)
	if err != nil {
		var at toml.ParseError
		if errors.As(err, &at) {
			return fmt.Errorf("line %d, column %d: %s", at.Position.Line, at.Position.Col, at.Message)
		}
		return err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return fmt.Errorf("it has the unknown key %s", unknown[0])
	}
	return nil
}
