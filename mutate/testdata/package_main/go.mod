module example.org/package_main

go 1.24
