module example.org/many_shapes

go 1.24
