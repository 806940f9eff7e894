module example.org/appends_forever

go 1.24
