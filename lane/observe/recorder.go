package observe

// A Recorder's runs find out what tests reach where the code of the tree tells it: files of the tree are replaced by ones that call a
// function of each process when a place of theirs is reached.
type Recorder interface {
	// Record plans runs of the request's selected tests, each in a box of its own.
	Record(Request) ([]Recording, error)
}

// A Recording is one run, and how to read what it recorded.
type Recording struct {
	Plan
	At    string // the path of Collect where that lies
	Parse func(data []byte) ([]Mark, error)
}

// A Mark says that a place was reached.
type Mark struct {
	Unit  string // while it ran; "" where nobody knows which did
	File  string // of the tree
	Place int    // as the file numbers them
}
