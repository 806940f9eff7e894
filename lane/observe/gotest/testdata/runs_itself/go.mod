module example.org/runs_itself

go 1.21
