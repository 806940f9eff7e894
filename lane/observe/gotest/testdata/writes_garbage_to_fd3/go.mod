module example.org/writes_garbage_to_fd3

go 1.21
