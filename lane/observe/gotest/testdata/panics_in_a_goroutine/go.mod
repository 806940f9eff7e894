module example.org/panics_in_a_goroutine

go 1.21
