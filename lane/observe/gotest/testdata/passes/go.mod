module example.org/passes

go 1.21
