package a

import "fmt"

func Example() {
	var m map[string]int
	m["x"] = 1
	fmt.Println(m)
	// Output: hello
}
