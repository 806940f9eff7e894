module example.org/never_differs

go 1.21
