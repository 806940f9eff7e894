module example.org/fails_and_exits_zero_in_cleanup

go 1.21
