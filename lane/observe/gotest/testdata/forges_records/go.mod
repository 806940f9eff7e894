module example.org/forges_records

go 1.21
