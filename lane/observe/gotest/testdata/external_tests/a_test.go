package a_test

import (
	"testing"

	a "example.org/external_tests"
)

func TestAnswer(t *testing.T) { a.Testing() }
