package flock

// Fd is the descriptor of a lock.
func (l *Lock) Fd() int { return int(l.file.Fd()) }
