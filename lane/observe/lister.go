package observe

// A Lister can have the compiler list the code that it makes of packages, without running any of it.
type Lister interface {
	// Listing plans one command, with the flags of the request's, whose output is the listing. Files are by their paths in the tree and
	// replace what is there; folders are relative to the tree.
	Listing(r Request, folders []string, files map[string][]byte) (Step, error)
}
