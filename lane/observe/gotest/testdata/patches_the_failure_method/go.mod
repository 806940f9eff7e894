module example.org/patches_the_failure_method

go 1.21
