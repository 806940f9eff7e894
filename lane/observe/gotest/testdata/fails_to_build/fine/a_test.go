package fine

import "testing"

func TestFine(t *testing.T) {}
