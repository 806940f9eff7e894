// Package age is a small project whose suite notices some faults and not others.
package age

import "errors"

// ErrNegative is returned for an age below zero.
var ErrNegative = errors.New("age: " + "negative")

// Adult reports whether somebody of that age may vote.
func Adult(age int) (bool, error) {
	if age < 0 {
		return false, ErrNegative
	}
	return age >= 18, nil
}

// Discount is a price for children, and nobody tests it.
func Discount(price int) int {
	return price / 2
}
