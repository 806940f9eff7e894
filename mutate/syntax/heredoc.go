package syntax

import "strings"

// heredocs are the texts of a file that stand below the line which they belong to: where each is named, and the text itself, in the same
// order.
type heredocs struct{ names, texts []*node }

func heredocsOf(root *node) (h heredocs) {
	var visit func(n *node)
	visit = func(n *node) {
		switch n.Kind {
		case "heredoc_beginning":
			h.names = append(h.names, n)
		case "heredoc_body":
			h.texts = append(h.texts, n)
		}
		for _, c := range n.Children {
			visit(c)
		}
	}
	visit(root)
	return h
}

// takeTexts lets a fault that takes the name of such a text away take the text as well: it would be read as code. false where the text
// cannot be taken with it.
func (w *walker) takeTexts(f *fault) bool {
	end := f.end
	for i, name := range w.heredocs.names {
		if name.Start < f.start || name.End > f.end || strings.Contains(f.text, w.text(name)) {
			continue
		}
		if len(w.heredocs.texts) != len(w.heredocs.names) {
			return false // nobody knows which is whose
		}
		text := w.heredocs.texts[i]
		if text.End <= end {
			continue
		}
		if text.Start < end || strings.TrimSpace(string(w.f.Src[end:text.Start])) != "" {
			return false
		}
		end = text.End
	}
	f.end = end
	return true
}
