module example.org/hangs_after_summary

go 1.21
