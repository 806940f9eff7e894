package a

func broken() int { return "no" }
