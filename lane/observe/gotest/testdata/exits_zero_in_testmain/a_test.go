package a

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	m.Run()
	fmt.Println("ok")
	os.Exit(0)
}

func TestAnswer(t *testing.T) { t.Fatal("wrong") }
