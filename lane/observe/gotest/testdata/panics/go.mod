module example.org/panics

go 1.21
