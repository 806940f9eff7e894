module example.org/clears_environment

go 1.21
