package fence

import "fmt"

// Unavailable says that no box can be had on this machine, or not in this
// process, and what to change. Lane never runs a command without one.
type Unavailable struct {
	Step string // what was being done, such as "create namespaces"
	Err  error  // the kernel's word
	Why  string // what stands behind it, as far as it can be told; may be empty
	Fix  string // the change that would help; may be empty
}

func (u *Unavailable) Error() string {
	if u.Why == "" {
		return fmt.Sprintf("open fence: %s: %v", u.Step, u.Err)
	}
	return fmt.Sprintf("open fence: %s: %v: %s", u.Step, u.Err, u.Why)
}

// Unwrap gives the kernel's error, so that callers may test for an errno.
func (u *Unavailable) Unwrap() error { return u.Err }

// Hint is the change that would help.
func (u *Unavailable) Hint() string { return u.Fix }
