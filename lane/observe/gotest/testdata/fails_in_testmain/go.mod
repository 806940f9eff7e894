module example.org/fails_in_testmain

go 1.21
