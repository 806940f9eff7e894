module example.org/external_tests

go 1.21
