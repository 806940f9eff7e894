package a

// Testing makes the name of the package under test's own helper clash with an import.
func Testing() {}

type testing struct{}

var _ testing
