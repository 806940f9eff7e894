//go:build windows

package only

import "testing"

func TestWindows(t *testing.T) {}
