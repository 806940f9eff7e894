package a

import (
	"testing"
	"time"
)

func TestAnswer(t *testing.T) {
	go func() { panic("elsewhere") }()
	time.Sleep(time.Minute)
}
