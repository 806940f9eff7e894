module example.org/nested_module

go 1.21
