module example.org/example_panics

go 1.21
