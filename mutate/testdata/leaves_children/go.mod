module example.org/leaves_children

go 1.24
