package main

import "os"

// condition answers the stories' own conditions.
func condition(cond string) (bool, error) {
	return cond == "root" && os.Geteuid() == 0, nil
}
