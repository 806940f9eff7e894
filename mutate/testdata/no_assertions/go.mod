module example.org/no_assertions

go 1.24
