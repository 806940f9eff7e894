module example.org/fails_to_build

go 1.21
