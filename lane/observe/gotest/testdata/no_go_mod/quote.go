// Package quote has no go.mod.
package quote

// Quote quotes.
func Quote(s string) string { return "'" + s + "'" }
