module example.org/prints_without_newline

go 1.21
