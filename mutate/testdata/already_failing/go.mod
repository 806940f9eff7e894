module example.org/already_failing

go 1.24
