package spawn

import "testing"

func TestSpawn(t *testing.T) {
	if err := Spawn(); err != nil {
		t.Error(err)
	}
}
