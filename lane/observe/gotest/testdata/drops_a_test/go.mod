module example.org/drops_a_test

go 1.21
