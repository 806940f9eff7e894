module example.org/fuzz_seeds

go 1.21
