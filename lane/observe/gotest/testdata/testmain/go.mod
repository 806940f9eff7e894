module example.org/testmain

go 1.21
