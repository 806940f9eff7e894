package image

import (
	"cmp"
	"path"
	"slices"
)

// Path is one store path that an image holds.
type Path struct {
	StorePath  string   // as in /nix/store/<digest>-<name>: where it lies in the image
	Host       string   // where it lies here
	References []string // store paths that it needs
}

// maxLayers is how many layers paths are spread over. An image may have 127, and who builds on this one wants some.
const maxLayers = 80

// spread puts paths into layers, the most popular first and alone: what many paths need changes seldom and is shared by most images,
// so that who has one image has most of the next. The least popular share the last layer.
func spread(paths []Path, most int) [][]Path {
	uses := popularity(paths)
	paths = slices.SortedFunc(slices.Values(paths), func(a, b Path) int {
		return cmp.Or(cmp.Compare(uses[b.StorePath], uses[a.StorePath]), cmp.Compare(path.Base(a.StorePath), path.Base(b.StorePath)))
	})
	var layers [][]Path
	for i, p := range paths {
		if i < most {
			layers = append(layers, nil)
		}
		layers[len(layers)-1] = append(layers[len(layers)-1], p)
	}
	return layers
}

// popularity counts for each path how many others lead to it, at any distance.
func popularity(paths []Path) map[string]int {
	refs := make(map[string][]string, len(paths))
	for _, p := range paths {
		refs[p.StorePath] = p.References
	}
	uses := make(map[string]int, len(paths))
	for _, p := range paths {
		seen := map[string]bool{p.StorePath: true}
		todo := []string{p.StorePath}
		for len(todo) > 0 {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			uses[at]++
			for _, r := range refs[at] {
				if !seen[r] {
					seen[r] = true
					todo = append(todo, r)
				}
			}
		}
	}
	return uses
}
