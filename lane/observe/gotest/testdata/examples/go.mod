module example.org/examples

go 1.21
