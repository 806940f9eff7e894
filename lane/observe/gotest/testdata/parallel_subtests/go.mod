module example.org/parallel_subtests

go 1.21
