module example.org/unviable_only

go 1.24
