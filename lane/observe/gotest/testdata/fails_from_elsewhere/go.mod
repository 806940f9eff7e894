module example.org/fails_from_elsewhere

go 1.21
