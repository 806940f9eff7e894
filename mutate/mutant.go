package mutate

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Origin says who made a mutant.
type Origin string

const (
	Own    Origin = "own"    // one of Lane's operators
	Revert Origin = "revert" // a hunk of the change, put back to base
	Plugin Origin = "plugin" // an operator that a user brought
)

// Kind says what a mutant does to its file.
type Kind string

const (
	Edit   Kind = ""       // replaces Length bytes at Offset
	Create Kind = "create" // puts a file in place that head does not have
	Delete Kind = "delete" // takes the file away
	Rename Kind = "rename" // moves the file from File to To
	Chmod  Kind = "chmod"  // gives the file another mode
)

// Text is source text of any encoding. In JSON it is a string where it is valid UTF-8, and {"base64": "..."} where it
// is not, so that no byte is lost on the way.
type Text string

// MarshalJSON keeps the exact bytes.
func (t Text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(t))})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Text) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err == nil {
		*t = Text(s)
		return nil
	}
	var enc struct{ Base64 []byte }
	if err := json.Unmarshal(b, &enc); err != nil {
		return fmt.Errorf("read mutant text: %w", err)
	}
	*t = Text(enc.Base64)
	return nil
}

// Range is a run of lines, counted from 1, both ends included. End == Start-1 is the empty place before line Start,
// which is where a deletion lies.
type Range struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Overlaps reports whether r and lines [start, end] share a line. An empty range shares one with a range that
// encloses its place.
func (r Range) Overlaps(start, end int) bool {
	if r.End < r.Start {
		return start < r.Start && r.Start <= end
	}
	return r.Start <= end && start <= r.End
}

// HunkName names the hunk that lies at r of file, for people and as a key.
func HunkName(file string, r Range) string {
	switch {
	case r.End < r.Start:
		return fmt.Sprintf("%s:%d (deletion)", file, r.Start)
	case r.End == r.Start:
		return fmt.Sprintf("%s:%d", file, r.Start)
	}
	return fmt.Sprintf("%s:%d-%d", file, r.Start, r.End)
}

// Mutant is the code with one small fault put in, as an edit of one file.
type Mutant struct {
	// ID is structural: it is made of the file, the enclosing function, the text around and the operator, not of
	// line numbers, so that it survives edits elsewhere. See NewID.
	ID   string `json:"id"`
	File string `json:"file"` // slash-separated path in the tree
	Kind Kind   `json:"kind,omitempty"`

	// Line and Col (in bytes) count from 1 and say where the fault is shown; EndLine is the last line that it
	// concerns. The edit itself is Offset and Length, in bytes.
	Line    int `json:"line"`
	Col     int `json:"col,omitempty"`
	EndLine int `json:"end_line"`
	Offset  int `json:"offset"`
	Length  int `json:"length"`

	Original    Text        `json:"original"`
	Replacement Text        `json:"replacement"`
	Mode        fs.FileMode `json:"mode,omitempty"` // of Create and Chmod; 0 = as the tree has it
	To          string      `json:"to,omitempty"`   // of Rename

	Operator string `json:"operator"`
	Func     string `json:"func,omitempty"` // enclosing function, "(*T).Name" for methods; "" outside of functions
	Hunk     string `json:"hunk,omitempty"` // the hunk of the change that it lies in; "" outside of the diff
	Origin   Origin `json:"origin"`

	// Reach is the run of lines whose tests reach the mutant. The zero Range means that lines cannot tell: then
	// every test is asked.
	Reach Range `json:"reach,omitzero"`
	// Exact says that the place (Line, Col) itself may be looked up in the coverage; otherwise a test that reaches
	// any line of Reach reaches the mutant.
	Exact bool `json:"exact,omitempty"`

	Arid     string   `json:"arid,omitempty"`     // why it is listed, counted and not tested; "" = tested
	Ignored  bool     `json:"ignored,omitempty"`  // Arid is what a person wrote beside the code
	Criteria []string `json:"criteria,omitempty"` // ids of the criteria whose code it lies in
	Quota    []string `json:"quota,omitempty"`    // ids of the criteria whose quota drew it, outside of the diff

	// Known is a verdict that was proven before any run: unviable or equivalent, else "". Why is its proof.
	Known Verdict `json:"known,omitempty"`
	Why   string  `json:"why,omitempty"`

	Description string `json:"description"` // like "`<` -> `<=`"
}

// NewID makes a structural id. The parts are the normalized context; ordinal tells apart mutants that are otherwise
// the same, in source order.
func NewID(file, fn, operator string, ordinal int, context ...string) string {
	h := sha256.New()
	for _, s := range append([]string{file, fn, operator, strconv.Itoa(ordinal)}, context...) {
		fmt.Fprintf(h, "%d:%s;", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Apply returns src with the mutant's edit, in a slice of its own. Bytes outside of the edit are those of src. It
// fails where src is not the text that the mutant was made from. Only a mutant of kind Edit has an edit to apply.
func (m *Mutant) Apply(src []byte) ([]byte, error) {
	if m.Kind != Edit {
		return nil, fmt.Errorf("apply mutant %s: it does a %s of the whole file", m.ID, m.Kind)
	}
	if m.Offset < 0 || m.Length < 0 || m.Offset > len(src) || m.Length > len(src)-m.Offset {
		return nil, fmt.Errorf("apply mutant %s: bytes %d+%d are outside of %s, which has %d", m.ID, m.Offset, m.Length, m.File, len(src))
	}
	if string(src[m.Offset:m.Offset+m.Length]) != string(m.Original) {
		return nil, fmt.Errorf("apply mutant %s: %s changed since the mutant was made", m.ID, m.File)
	}
	out := make([]byte, 0, len(src)-m.Length+len(m.Replacement))
	out = append(out, src[:m.Offset]...)
	out = append(out, m.Replacement...)
	return append(out, src[m.Offset+m.Length:]...), nil
}

// Content is what a trial lays over one path of the tree.
type Content struct {
	Data   []byte
	Mode   fs.FileMode // type and permission bits; 0 = as the tree has it, or a plain file. A link's Data is its target.
	Delete bool        // the path is not there
}

// Overlay returns what has to be laid over the tree for m, given the bytes of m.File at head (nil where head has no
// such file).
func (m *Mutant) Overlay(src []byte) (map[string]Content, error) {
	switch m.Kind {
	case Create:
		return map[string]Content{m.File: {Data: []byte(m.Replacement), Mode: m.Mode}}, nil
	case Delete:
		return map[string]Content{m.File: {Delete: true}}, nil
	case Rename:
		return map[string]Content{m.File: {Delete: true}, m.To: {Data: src, Mode: m.Mode}}, nil
	case Chmod:
		return map[string]Content{m.File: {Data: src, Mode: m.Mode}}, nil
	}
	out, err := m.Apply(src)
	if err != nil {
		return nil, err
	}
	return map[string]Content{m.File: {Data: out}}, nil
}

// Paths returns the paths that m changes.
func (m *Mutant) Paths() []string {
	if m.Kind == Rename {
		return []string{m.File, m.To}
	}
	return []string{m.File}
}

// Place is file:line, as editors understand it.
func (m *Mutant) Place() string { return fmt.Sprintf("%s:%d", m.File, m.Line) }

func (m *Mutant) String() string {
	return strings.TrimSpace(m.Place() + " " + m.Operator + " " + m.Description)
}
