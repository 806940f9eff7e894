module example.org/limits_an_age

go 1.24
