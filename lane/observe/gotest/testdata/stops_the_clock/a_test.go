package a

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		time.Sleep(time.Hour)
		t.Logf("slept %v", time.Since(start))
		t.Error("failed in a bubble")
	})
}
