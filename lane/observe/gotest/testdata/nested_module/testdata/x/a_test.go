package x

import "testing"

func TestHidden(t *testing.T) {}
