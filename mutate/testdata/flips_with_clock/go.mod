module example.org/flips_with_clock

go 1.24
