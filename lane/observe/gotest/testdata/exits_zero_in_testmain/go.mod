module example.org/exits_zero_in_testmain

go 1.21
