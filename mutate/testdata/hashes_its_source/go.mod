module example.org/hashes_its_source

go 1.24
