// Command double prints its input twice.
package main

import "fmt"

func main() {
	fmt.Println(double("x"))
}

func double(s string) string {
	if s == "" || len(s) > 3 {
		return s
	}
	return s + s
}
