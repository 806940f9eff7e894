module example.org/hangs_when_mutated

go 1.24
