package nix

import (
	"testing"

	"github.com/vallane/lane/lane/spec"
)

func TestTemplateSpecIsValid(t *testing.T) {
	file := "templates/go/lane.toml"
	got, err := spec.Parse(file, []byte(readText(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	if got.Env.Flake != ".#lane-env" {
		t.Errorf("the spec asks for the closure %q, the template's flake exports .#lane-env", got.Env.Flake)
	}
}
