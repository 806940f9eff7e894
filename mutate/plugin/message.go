package plugin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vallane/lane/mutate/treesitter"
)

// Protocol is the version of the messages. A plugin that speaks another one is refused.
const Protocol = 1

const (
	maxEdits  = 1000
	maxText   = 64 << 10 // bytes of one edit
	maxReason = 200      // bytes
	maxNodes  = 100_000
)

// question is what a plugin reads.
type question struct {
	Protocol int    `json:"lane_plugin"`
	Ask      string `json:"ask"` // "hello" or "mutate"

	// Of "mutate".
	File     string `json:"file,omitempty"`
	Language string `json:"language,omitempty"`
	Source   string `json:"source,omitempty"`
	Tree     *Node  `json:"tree,omitempty"`
}

// Node is one piece of a syntax tree. Start and End are bytes of the source.
type Node struct {
	Kind     string  `json:"kind"`
	Named    bool    `json:"named"`
	Field    string  `json:"field,omitempty"`
	Start    int     `json:"start"`
	End      int     `json:"end"`
	Children []*Node `json:"children,omitempty"`
}

// treeOf copies a tree; nil where it has more nodes than a plugin is sent.
func treeOf(n *treesitter.Node) *Node {
	left := maxNodes
	return copyNode(n, &left)
}

func copyNode(n *treesitter.Node, left *int) *Node {
	if n == nil || *left == 0 {
		return nil
	}
	*left--
	out := &Node{Kind: n.Kind, Named: n.Named, Field: n.Field, Start: n.Start, End: n.End}
	for _, c := range n.Children {
		child := copyNode(c, left)
		if child == nil {
			return nil
		}
		out.Children = append(out.Children, child)
	}
	return out
}

// hello is what a plugin says of itself.
type hello struct {
	Protocol  int      `json:"lane_plugin"`
	Name      string   `json:"name"`
	Languages []string `json:"languages"`
}

// answer is what a plugin makes of a file.
type answer struct {
	Protocol int    `json:"lane_plugin"`
	Edits    []Edit `json:"edits"`
}

// Edit is one fault: other bytes in place of those from Start to End.
type Edit struct {
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Text   string `json:"text"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// spoken is the version that a message is in, which is read before anything else of it.
type spoken struct {
	Protocol *int `json:"lane_plugin"`
}

// decode reads one message and nothing behind it.
func decode(data []byte, into any) error {
	var s spoken
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("it wrote no JSON: %w", err)
	}
	if s.Protocol == nil {
		return fmt.Errorf("its answer has no lane_plugin, the version that it speaks")
	}
	if *s.Protocol != Protocol {
		return fmt.Errorf("it speaks version %d of the messages, and this lane speaks %d", *s.Protocol, Protocol)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("its answer is of another form: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("it wrote more than one answer")
	}
	return nil
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

func readHello(data []byte) (hello, error) {
	var h hello
	if err := decode(data, &h); err != nil {
		return h, err
	}
	if !nameForm.MatchString(h.Name) {
		return h, fmt.Errorf("its name is %.60q: a name has 1 to 40 of a-z 0-9 - and begins with a letter", h.Name)
	}
	if len(h.Languages) == 0 || len(h.Languages) > 100 {
		return h, fmt.Errorf("it names %d languages", len(h.Languages))
	}
	return h, nil
}

// readEdits reads and checks what a plugin makes of a source. One edit that is wrong makes the whole answer wrong: who miscounts once
// has miscounted elsewhere.
func readEdits(data, src []byte) ([]Edit, error) {
	var a answer
	if err := decode(data, &a); err != nil {
		return nil, err
	}
	if len(a.Edits) > maxEdits {
		return nil, fmt.Errorf("it made %d edits of one file, and %d is the most", len(a.Edits), maxEdits)
	}
	type place struct {
		start, end int
		text       string
	}
	seen := map[place]int{}
	for i, e := range a.Edits {
		if why := e.wrong(src); why != "" {
			return nil, fmt.Errorf("edit %d (%.40q, bytes %d to %d): %s", i, e.Name, e.Start, e.End, why)
		}
		at := place{e.Start, e.End, e.Text}
		if first, twice := seen[at]; twice {
			return nil, fmt.Errorf("edits %d and %d are the same", first, i)
		}
		seen[at] = i
	}
	return a.Edits, nil
}

// wrong says why an edit is none of a source; "" where it is one.
func (e *Edit) wrong(src []byte) string {
	switch {
	case e.Start < 0 || e.End < e.Start || e.End > len(src):
		return fmt.Sprintf("outside of the source, which has %d bytes", len(src))
	case !atRune(src, e.Start) || !atRune(src, e.End):
		return "it cuts a character in two"
	case !nameForm.MatchString(e.Name):
		return "its name has other characters than a-z 0-9 -, or more than 40"
	case len(e.Text) > maxText:
		return fmt.Sprintf("its text is longer than %d bytes", maxText)
	case !utf8.ValidString(e.Text) || strings.ContainsRune(e.Text, 0) || strings.ContainsRune(e.Text, utf8.RuneError):
		return "its text is no UTF-8"
	case e.Text == string(src[e.Start:e.End]):
		return "it changes nothing"
	case strings.TrimSpace(e.Reason) == "" || len(e.Reason) > maxReason || strings.ContainsFunc(e.Reason, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Sprintf("its reason is no line of 1 to %d bytes", maxReason)
	}
	return ""
}

func atRune(src []byte, at int) bool { return at == len(src) || utf8.RuneStart(src[at]) }
