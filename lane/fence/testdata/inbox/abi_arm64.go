package main

import "fmt"

func attackInt80() int { fmt.Println("no such gate"); return 0 }
func attackX32() int   { fmt.Println("no such gate"); return 0 }
