module example.org/inner

go 1.21
