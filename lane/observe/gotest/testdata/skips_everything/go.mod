module example.org/skips_everything

go 1.21
