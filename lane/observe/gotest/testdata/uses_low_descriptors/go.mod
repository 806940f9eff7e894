module example.org/uses_low_descriptors

go 1.21
