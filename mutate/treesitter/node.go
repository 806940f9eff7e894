package treesitter

// Node is one piece of a syntax tree. Start and End are offsets in bytes of the source.
type Node struct {
	Kind       string // as the grammar names it; the text itself for what is Anonymous
	Named      bool   // false for words and signs, which stand for themselves
	Field      string // the role that it has for its parent; "" = none
	Start, End int
	Broken     bool  // it, or something in it, is not of the language; see Parser.ParseAround
	Parent     *Node // nil for the root
	Children   []*Node
}

// Child returns the first child with a field, or nil.
func (n *Node) Child(field string) *Node {
	for _, c := range n.Children {
		if c.Field == field {
			return c
		}
	}
	return nil
}

// Token returns the first child that is the word or sign itself, or nil.
func (n *Node) Token(text string) *Node {
	for _, c := range n.Children {
		if !c.Named && c.Kind == text {
			return c
		}
	}
	return nil
}

// Index returns the place of n among its parent's children; -1 for the root.
func (n *Node) Index() int {
	if n.Parent != nil {
		for i, c := range n.Parent.Children {
			if c == n {
				return i
			}
		}
	}
	return -1
}

// Text returns the part of the source that n was read from.
func (n *Node) Text(src []byte) string { return string(src[n.Start:n.End]) }
