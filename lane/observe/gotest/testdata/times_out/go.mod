module example.org/times_out

go 1.21
