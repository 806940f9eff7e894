module example.org/panics_elsewhere

go 1.24
