package nix

import (
	"encoding/json"
	"regexp"
	"strings"
)

// The kinds of activity and result in Nix's internal-json log that matter here.
const (
	actCopyPath   = 100
	actBuild      = 105
	actSubstitute = 108
	resBuildLog   = 101
)

const keptLogLines = 20

// events reads what Nix writes to standard error: one JSON record per line
// after "@nix ", or plain text from its older programs.
type events struct {
	log      func(string)
	errors   []string
	warnings []string
	built    []string // derivations whose builders were started by this call
	tail     []string // last lines of a build's output
}

type record struct {
	Action string            `json:"action"`
	Type   int               `json:"type"`
	Level  int               `json:"level"`
	Text   string            `json:"text"`
	Msg    string            `json:"msg"`
	RawMsg string            `json:"raw_msg"`
	Fields []json.RawMessage `json:"fields"`
}

func (e *events) line(s string) {
	rest, ok := strings.CutPrefix(s, "@nix ")
	if !ok {
		e.plain(s)
		return
	}
	var r record
	if json.Unmarshal([]byte(rest), &r) != nil {
		return
	}
	switch {
	case r.Action == "msg":
		e.message(r)
	case r.Action == "start":
		e.start(r)
	case r.Action == "result" && r.Type == resBuildLog && len(r.Fields) > 0:
		e.tail = append(e.tail, clean(field(r, 0)))
		if over := len(e.tail) - keptLogLines; over > 0 {
			e.tail = e.tail[over:]
		}
	}
}

func (e *events) message(r record) {
	msg := r.RawMsg
	if msg == "" {
		msg = strings.TrimPrefix(clean(r.Msg), "error: ")
	}
	msg = clean(msg)
	if strings.HasPrefix(msg, "(use '--show-trace'") {
		return
	}
	switch {
	case r.Level <= 0 && msg != "":
		e.errors = append(e.errors, msg)
	case r.Level == 1:
		e.warnings = append(e.warnings, msg)
	}
}

func (e *events) start(r record) {
	switch r.Type {
	case actBuild:
		e.built = append(e.built, field(r, 0))
	case actSubstitute, actCopyPath:
	default:
		return
	}
	if e.log != nil && r.Text != "" {
		e.log(clean(r.Text))
	}
}

func (e *events) plain(s string) {
	s = clean(s)
	if rest, ok := strings.CutPrefix(s, "error: "); ok {
		e.errors = append(e.errors, rest)
	} else if rest, ok := strings.CutPrefix(s, "warning: "); ok {
		e.warnings = append(e.warnings, rest)
	}
}

func field(r record, n int) string {
	var s string
	if n < len(r.Fields) {
		// A field that is no string is none that is asked for.
		_ = json.Unmarshal(r.Fields[n], &s)
	}
	return s
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)|\x1b[@-_]?")

// clean makes a message fit for a report: no colours, no control bytes, one
// line.
func clean(s string) string {
	s = ansi.ReplaceAllString(s, "")
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	return strings.Join(strings.Fields(s), " ")
}
