module example.org/stops_the_clock

go 1.25
