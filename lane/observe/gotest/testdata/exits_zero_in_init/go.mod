module example.org/exits_zero_in_init

go 1.21
