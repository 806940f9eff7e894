//go:build !linux

package wasi_test

// alone is of use on Linux only.
func alone(string) {}
