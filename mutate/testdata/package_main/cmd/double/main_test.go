package main

import "testing"

func TestDouble(t *testing.T) {
	if double("") != "" || double("ab") != "abab" || double("abcd") != "abcd" {
		t.Error("not doubled")
	}
}
