package a

import "fmt"

func Example() {
	fmt.Println("hello")
	// Output: hello
}

func Example_wrong() {
	fmt.Println("hello")
	// Output: good bye
}

func Example_unordered() {
	fmt.Println("b\na")
	// Unordered output:
	// a
	// b
}

func Example_silent() { fmt.Println("compiled only") }
