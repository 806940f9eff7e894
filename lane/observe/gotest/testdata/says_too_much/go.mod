module example.org/says_too_much

go 1.22
