module example.org/not_under_test

go 1.24

require example.org/lib v0.0.0

replace example.org/lib => ./installed
