package warmup

import "path/filepath"

// Published are the files by which a shared state tells of the closure, by their slash paths below it: what a machine holds, whose
// store has the paths already.
func (c *Closure) Published() (map[string][]byte, error) {
	data, err := c.lock.Marshal()
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		filepath.ToSlash(lockPath("", c.Key)): data,
		filepath.ToSlash(usePath("", c.Key)):  []byte(useText),
	}, nil
}
