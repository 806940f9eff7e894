package golang

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// Digest is a digest of all code of the tree that a test may run, and of all test files beside it. The test is named as the Go
// reporter does, by import path and function. An error says why nobody can tell.
func (d *Depends) Digest(importPath, test string) (string, error) {
	if d.err != nil {
		return "", d.err
	}
	dir, ok := dirOf(d.c.modules, importPath)
	if !ok {
		return "", fmt.Errorf("find package %s: no module of the tree has it", importPath)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if sum := d.known[depName{dir, test}]; sum != "" {
		return sum, nil
	}
	l := d.link(dir)
	if l.err != nil {
		return "", l.err
	}
	w := &depWalk{d: d, seen: map[*depDecl]bool{}, named: map[depName]bool{}, called: map[string]bool{}, waits: map[depName][]*depDecl{}}
	for _, suffix := range []string{"", external} {
		if p := d.packages[dir+suffix]; p != nil {
			for _, n := range p.names[test] {
				w.run(n)
			}
		}
	}
	if len(w.todo) == 0 {
		return "", fmt.Errorf("find test %s: package %s does not declare it", test, importPath)
	}
	for _, n := range l.always {
		w.run(n)
	}
	for _, name := range l.called {
		w.call(name)
	}
	w.walk()
	sum := w.digest(d.lumps[dir])
	d.known[depName{dir, test}] = sum
	return sum, nil
}

// depLinked is what all tests of one package have in common: the program that they are linked into.
type depLinked struct {
	always []*depDecl // what runs when the program starts
	called []string   // names of methods that code outside of the tree may call
	err    error      // why nothing is known of what runs
}

// link finds out what the program of a package's tests holds.
func (d *Depends) link(dir string) *depLinked {
	l := d.linked[dir]
	if l == nil {
		l = &depLinked{}
		d.linked[dir] = l
		l.err = d.linkInto(l, dir)
	}
	return l
}

func (d *Depends) linkInto(l *depLinked, dir string) error {
	outside := map[*module][]string{}
	seen := map[string]bool{}
	todo := []string{dir}
	for _, suffix := range []string{"", external} {
		if p := d.packages[dir+suffix]; p != nil {
			todo = append(todo, d.spread(p, p.tests, outside)...)
			l.always = append(l.always, p.testing...)
			if p.unknown != "" {
				return errors.New(p.unknown)
			}
		}
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p := d.packages[at]
		if seen[at] || p == nil {
			continue
		}
		seen[at] = true
		if p.unknown != "" {
			return fmt.Errorf("package %s: %s", at, p.unknown)
		}
		l.always = append(l.always, p.always...)
		todo = append(todo, d.spread(p, p.imports, outside)...)
	}
	return d.linkOutside(l, outside)
}

func (d *Depends) linkOutside(l *depLinked, outside map[*module][]string) error {
	for m, imports := range outside {
		for _, imp := range imports {
			if slices.Contains(starts, imp) {
				return fmt.Errorf("%s may start other programs, or read Go", imp)
			}
		}
		names, any, err := d.called(m, imports)
		if err != nil {
			return err
		}
		for name := range d.methods {
			if any || names[name] {
				l.called = append(l.called, name)
			}
		}
	}
	return nil
}

// spread sorts imports into folders of the tree and what is outside of it.
func (d *Depends) spread(p *depPackage, imports map[string]bool, outside map[*module][]string) (dirs []string) {
	for imp := range imports {
		at, err := d.c.find(p.module, imp)
		if err == nil && at.from == fromTree {
			dirs = append(dirs, at.dir)
		} else {
			outside[p.module] = append(outside[p.module], imp)
		}
	}
	return dirs
}

// depWalk finds what may run from one test.
type depWalk struct {
	d      *Depends
	seen   map[*depDecl]bool
	todo   []*depDecl
	named  map[depName]bool
	called map[string]bool        // names of methods
	waits  map[depName][]*depDecl // methods that are called, of types that are not spoken of yet
}

// run notes that a declaration may run.
func (w *depWalk) run(n *depDecl) {
	if !w.seen[n] {
		w.seen[n] = true
		w.todo = append(w.todo, n)
	}
}

func (w *depWalk) walk() {
	for len(w.todo) > 0 {
		n := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		for _, name := range n.names {
			w.name(name)
		}
		for _, c := range n.calls {
			w.call(c)
			if c == "MethodByName" || c == "Method" {
				for name := range w.d.methods {
					w.call(name)
				}
			}
		}
	}
}

// name notes that a name of a package is spoken.
func (w *depWalk) name(at depName) {
	if w.named[at] {
		return
	}
	w.named[at] = true
	if p := w.d.packages[at.pkg]; p != nil {
		for _, n := range p.names[at.name] {
			w.run(n)
		}
	}
	for _, n := range w.waits[at] {
		w.run(n)
	}
}

// call notes that a name of a method is spoken: methods of types that are spoken of may run, those of others once they are.
func (w *depWalk) call(name string) {
	if w.called[name] {
		return
	}
	w.called[name] = true
	for _, n := range w.d.methods[name] {
		own := n.pkg.dir
		if n.pkg == w.d.packages[own+external] {
			own += external
		}
		of := depName{own, n.recv}
		if n.recv == "" || n.pkg.aliases[n.recv] || w.named[of] {
			w.run(n)
		} else {
			w.waits[of] = append(w.waits[of], n)
		}
	}
}

// digest sums up what may run. What tests declare is in the digest of their files.
func (w *depWalk) digest(tests string) string {
	var all [][sha256.Size]byte
	for n := range w.seen {
		all = append(all, n.digest)
	}
	slices.SortFunc(all, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	fmt.Fprintf(h, "%s;%d;", tests, len(all))
	for _, s := range all {
		h.Write(s[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
