module example.org/syscall_exit_in_test

go 1.21
