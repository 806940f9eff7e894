package objects

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// packs are the packs of the borrowed folders, shared by all readers of a store.
type packs struct {
	folders []string

	mu     sync.Mutex
	loaded bool
	list   []*pack
}

// all returns the packs, listing them the first time.
func (s *packs) all() []*pack {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.loaded {
		s.load()
	}
	return s.list
}

// refresh lists the packs anew: git has put others in their place.
func (s *packs) refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
}

// load keeps the packs that are still there, with their files open, and adds new ones. What it cannot read
// it leaves out: go-git has the last word on what is not found.
func (s *packs) load() {
	known := map[string]*pack{}
	for _, p := range s.list {
		known[p.path] = p
	}
	var list []*pack
	for _, folder := range s.folders {
		entries, err := os.ReadDir(filepath.Join(folder, "pack"))
		if err != nil {
			continue
		}
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), ".idx")
			if !ok || !strings.HasPrefix(name, "pack-") {
				continue
			}
			path := filepath.Join(folder, "pack", name)
			if p := known[path]; p != nil {
				list = append(list, p)
				continue
			}
			if index, err := readPackIndex(path + ".idx"); err == nil {
				list = append(list, &pack{path: path, index: index})
			}
		}
	}
	kept := map[*pack]bool{}
	for _, p := range list {
		kept[p] = true
	}
	for _, p := range s.list {
		if !kept[p] {
			p.close() // who is reading it right now fails, and finds the object in another
		}
	}
	s.list, s.loaded = list, true
}

func (s *packs) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.list {
		p.close()
	}
	s.list, s.loaded = nil, false
}

// find returns the pack that holds an object, and where in it.
func (s *packs) find(id ID) (p *pack, at int64, ok bool) {
	for _, p := range s.all() {
		if at, ok := p.index.offset(id); ok {
			return p, at, true
		}
	}
	return nil, 0, false
}
