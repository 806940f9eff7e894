package text

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/edit"
)

const (
	maxSource = 256 << 10 // bytes
	// maxMutants is how many mutants of one file are made. More of them is data, which is tested by other means.
	maxMutants = 1000
)

// OperatorDoc names an operator and says what it does.
type OperatorDoc struct{ Name, Doc string }

// Operators lists all operators.
func Operators() []OperatorDoc {
	return []OperatorDoc{
		{"boundary", "in code, `<` between blanks becomes `<=`, `>` becomes `>=`, and back"},
		{"comparison", "in code, `==` becomes `!=`, and back"},
		{"logical", "in code, `&&` becomes `||`, `and` becomes `or`, and back"},
		{"boolean", "`true` becomes `false`, as a setting also `yes` becomes `no` and `on` becomes `off`, and back"},
		{"constant", "a whole number that stands alone is one more"},
		{"line", "a setting that is one line is taken away"},
	}
}

// Options says where files are found. Tree is needed.
type Options struct {
	// Tree is the head tree.
	Tree fs.FS
}

// Result is what was found in some files.
type Result struct {
	Mutants []mutate.Mutant // in the order of files and places
	// Unparsed names files that have no mutants but reverts, or not all, with the reason.
	Unparsed map[string]string

	opts  Options
	found map[string]bool // by id
}

// Find returns every mutant of the given files, and leaves it to Prove which of them are still of their format. Other files are passed
// over.
func Find(o Options, files []string) (*Result, error) {
	res := &Result{Unparsed: map[string]string{}, opts: o, found: map[string]bool{}}
	for _, name := range files {
		if !IsSource(name) {
			continue
		}
		src, err := fs.ReadFile(o.Tree, name)
		if err != nil {
			return nil, fmt.Errorf("find mutants: %w", err)
		}
		if len(src) > maxSource || slices.Contains(src, 0) {
			res.Unparsed[name] = fmt.Sprintf("larger than %d bytes, or no text", maxSource)
			continue
		}
		ms := find(name, src)
		if len(ms) > maxMutants {
			res.Unparsed[name] = fmt.Sprintf("of its %d mutants, the first %d are made", len(ms), maxMutants)
			ms = ms[:maxMutants]
		}
		for _, m := range ms {
			res.found[m.ID] = true
		}
		res.Mutants = append(res.Mutants, ms...)
	}
	return res, nil
}

// Prove finds out which mutants of JSON and TOML are still that; the others get Known = unviable. Mutants that this Result does not hold are
// left alone.
func (r *Result) Prove(ms []*mutate.Mutant) error {
	for _, m := range ms {
		reads := formats[path.Ext(m.File)]
		if reads == nil || !r.found[m.ID] {
			continue
		}
		src, err := fs.ReadFile(r.opts.Tree, m.File)
		if err != nil {
			return fmt.Errorf("check mutants: %w", err)
		}
		out, err := m.Apply(src)
		if err != nil || reads(src) && !reads(out) {
			m.Known, m.Why = mutate.Unviable, "it is not of its format any more"
		}
	}
	return nil
}

var formats = map[string]func([]byte) bool{
	".json": json.Valid,
	".toml": func(data []byte) bool {
		var v map[string]any
		return toml.Unmarshal(data, &v) == nil
	},
}

// finder makes the mutants of one file.
type finder struct {
	f     *edit.File
	src   string
	style style
}

func find(name string, src []byte) []mutate.Mutant {
	w := &finder{f: edit.New(name, src), src: string(src), style: styles[path.Ext(name)]}
	tokens := lex(w.src, w.style)
	for _, t := range tokens {
		w.token(t)
	}
	if w.style.lines {
		w.settings(tokens)
	}
	return w.f.Mutants()
}

func (w *finder) replace(op string, start, end int, to, say string) {
	line, _ := w.f.Position(start)
	begin := w.f.Start(line)
	context := strings.Join(strings.Fields(w.src[begin:endOfLine(w.src, begin)]), " ")
	w.f.Add(edit.Fault{Operator: op, Start: start, End: end, Text: to, Say: say, Context: context})
}

func (w *finder) swap(op string, t token, to string) {
	if to != "" {
		w.replace(op, t.start, t.end, to, edit.Swap(w.src[t.start:t.end], to))
	}
}

var (
	comparisons = map[string]string{"==": "!=", "!=": "==", "===": "!==", "!==": "==="}
	boundaries  = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
	connections = map[string]string{"&&": "||", "||": "&&"}
	words       = map[string]string{"and": "or", "or": "and", "AND": "OR", "OR": "AND"}
	truths      = map[string]string{"true": "false", "false": "true", "True": "False", "False": "True", "TRUE": "FALSE", "FALSE": "TRUE"}
	settings    = map[string]string{"yes": "no", "no": "yes", "on": "off", "off": "on", "Yes": "No", "No": "Yes", "On": "Off", "Off": "On"}
)

func (w *finder) token(t token) {
	text := w.src[t.start:t.end]
	switch {
	case t.kind == 'n':
		w.number(t, text)
	case t.kind == 'w' && !w.alone(t):
	case t.kind == 'w':
		w.swap("boolean", t, truths[text])
		if w.style.words {
			w.swap("logical", t, words[text])
		}
		if !w.style.code && w.isValue(t) {
			w.swap("boolean", t, settings[text])
		}
	case w.style.code && w.between(t):
		w.swap("boundary", t, boundaries[text])
		w.swap("comparison", t, comparisons[text])
		w.swap("logical", t, connections[text])
	}
}

// around returns the bytes before and behind a token; blanks at the ends of a file.
func (w *finder) around(t token) (before, after byte) {
	before, after = ' ', ' '
	if t.start > 0 {
		before = w.src[t.start-1]
	}
	if t.end < len(w.src) {
		after = w.src[t.end]
	}
	return before, after
}

// between reports whether signs stand between blanks, where they are an operator and no bracket.
func (w *finder) between(t token) bool {
	before, after := w.around(t)
	return strings.IndexByte(" \t\n\r", before) >= 0 && strings.IndexByte(" \t\n\r", after) >= 0
}

// alone reports whether a token is no part of a longer name, path or date.
func (w *finder) alone(t token) bool {
	before, after := w.around(t)
	if before == ':' && t.start > 1 && isWord(w.src[t.start-2]) && '0' <= w.src[t.start-2] && w.src[t.start-2] <= '9' {
		return false // of a time of day
	}
	return strings.IndexByte(" \t\n=:([{,<>+*/!&|", before) >= 0 && strings.IndexByte(" \t\n\r,;)]}<>+*/&|", after) >= 0
}

// isValue reports whether a word is all that stands behind the sign of a setting.
func (w *finder) isValue(t token) bool {
	before := strings.TrimRight(w.src[:t.start], " \t")
	after := w.src[t.end:endOfLine(w.src, t.end)]
	return before != "" && (before[len(before)-1] == ':' || before[len(before)-1] == '=') && strings.TrimSpace(after) == ""
}

func (w *finder) number(t token, text string) {
	n, err := strconv.ParseInt(text, 10, 53)
	if err != nil || len(text) > 1 && text[0] == '0' || !w.alone(t) {
		return
	}
	if before := strings.TrimRight(w.src[:t.start], " \t"); strings.HasSuffix(before, "version") || strings.HasSuffix(before, `version":`) {
		return
	}
	w.swap("constant", t, strconv.FormatInt(n+1, 10))
}

// settings takes lines away that are one setting each, whole and by themselves.
func (w *finder) settings(tokens []token) {
	for start := 0; start < len(w.src); {
		end := endOfLine(w.src, start)
		next := min(end+1, len(w.src))
		line := strings.TrimRight(w.src[start:end], "\r")
		i := slices.IndexFunc(tokens, func(t token) bool { return t.start >= start })
		// The first word of the line is one of the program, and no comment or text of several lines.
		if name, value, ok := strings.Cut(line, "="); ok && i >= 0 && tokens[i].start < end && tokens[i].start-start == len(line)-len(strings.TrimLeft(line, " \t")) &&
			isName(strings.TrimSpace(name)) && isWhole(strings.TrimSpace(value)) {
			w.replace("line", start, next, "", "setting `"+edit.OneLine(line)+"` taken away")
		}
		for len(tokens) > 0 && tokens[0].start < next {
			tokens = tokens[1:]
		}
		start = next
	}
}

func isName(s string) bool {
	for i := range len(s) {
		if !isWord(s[i]) && strings.IndexByte(".-", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

// isWhole reports whether a value ends where its line does.
func isWhole(s string) bool {
	if s == "" || strings.HasSuffix(s, `\`) || strings.Contains(s, `"""`) || strings.Contains(s, "'''") {
		return false
	}
	for _, pair := range []string{"[]", "{}", "()"} {
		if strings.Count(s, pair[:1]) != strings.Count(s, pair[1:]) {
			return false
		}
	}
	return strings.Count(s, `"`)%2 == 0 && strings.Count(s, "'")%2 == 0
}
