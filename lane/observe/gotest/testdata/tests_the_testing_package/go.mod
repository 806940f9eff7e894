module example.org/tests_the_testing_package

go 1.21
