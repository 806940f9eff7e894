module example.org/forges_test2json

go 1.21
