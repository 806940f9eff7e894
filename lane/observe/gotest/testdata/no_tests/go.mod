module example.org/no_tests

go 1.21
