package syntax

import "strings"

// returnValue replaces what a function gives back.
func returnValue(w *walker, name string, n *node) {
	if !w.functions[n.Kind] {
		return
	}
	for _, value := range w.results(w, n) {
		if to := w.other(value, n); to != "" && to != w.text(value) {
			w.replace(name, value, to)
		}
	}
}

// other returns what a result may become; "" where there is nothing to choose.
func (w *walker) other(value, fn *node) string {
	text := w.text(value)
	x := w.inner(value)
	switch {
	case w.booleans[x.Kind]:
		return otherBoolean(w.text(x))
	case w.numbers[x.Kind]:
		if strings.Trim(text, "0.") == "" {
			return strings.Replace(text, "0", "1", 1)
		}
	case w.unary[x.Kind] && w.text(operatorOf(x)) == "!":
		return ""
	case w.binary[x.Kind] && comparisons[w.text(x.Child("operator"))] != "":
		return "" // the operator of comparisons does the same
	}
	return w.otherwise(w, x, fn)
}

// returned are the values of the return statements of a function, of a kind, without those of functions in it.
func (w *walker) returned(fn *node, kind string) (out []*node) {
	var visit func(n *node)
	visit = func(n *node) {
		for _, c := range w.parts(n) {
			switch {
			case w.functions[c.Kind] || strings.HasPrefix(c.Kind, "lambda") || strings.HasPrefix(c.Kind, "closure"):
				continue
			case c.Kind == kind:
				if v := w.last(c); v != nil {
					out = append(out, v)
				}
				continue
			}
			visit(c)
		}
	}
	visit(fn)
	return out
}
