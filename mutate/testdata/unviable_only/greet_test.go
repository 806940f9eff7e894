package greet

import "testing"

func TestGreeting(t *testing.T) {
	_ = Greeting
}
