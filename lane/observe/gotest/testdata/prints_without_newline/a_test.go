package a

import (
	"fmt"
	"testing"
)

func TestFirst(t *testing.T) { fmt.Print("no newline") }

func TestSecond(t *testing.T) {
	fmt.Print("=== RUN   TestSecond\n--- PASS: TestSecond (0.00s)")
	t.Error("wrong")
}
