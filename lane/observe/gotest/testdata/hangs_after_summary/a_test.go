package a

import (
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	m.Run()
	time.Sleep(time.Hour)
}

func TestAnswer(t *testing.T) {}
