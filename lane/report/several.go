package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/vallane/lane/assurance"
)

// Summary prints one line for each of several verdicts, and what they come to together.
func Summary(w io.Writer, verdicts []assurance.Verdict, o Options) error {
	p := newPage(o)
	ids, words := 4, 7
	for _, v := range verdicts {
		ids, words = min(max(ids, width(Line(v.Spec.ID))), p.o.Width/3), max(words, width(Line(word(v))))
	}
	p.raw("")
	p.raw(p.in(bold, pad("spec", ids)+"  "+pad("outcome", words)+"  level  exit"))
	short := 0
	for _, v := range verdicts {
		if v.ExitCode() != int(assurance.ExitOK) {
			short++
		}
		row := pad(middle(Line(v.Spec.ID), ids), ids) + "  " + p.in(colour(v), pad(Line(word(v)), words)) + "  " +
			pad(v.Level.String(), 5) + fmt.Sprintf("  %4d", v.ExitCode())
		used := ids + 2 + words + 2 + 5 + 6
		if why := oneReason(v); why != "" && p.o.Width-used > 14 {
			row += "  " + cut(Line(why), p.o.Width-used-2)
		}
		p.raw(row)
	}
	s := green
	if short > 0 {
		s = red
	}
	p.line(0, s, fmt.Sprintf("%d of %s reached what they require, exit code %d", len(verdicts)-short, plural(len(verdicts), "spec", "specs"), assurance.Combine(verdicts)))
	return p.writeTo(w)
}

// oneReason says why a verdict is not what its spec asks for.
func oneReason(v assurance.Verdict) string {
	switch {
	case v.ExitCode() == int(assurance.ExitOK):
		return ""
	case v.Refusal != nil:
		return v.Refusal.Code + ": " + v.Refusal.Msg
	}
	return whyNot(v)
}

// file is the JSON form of several verdicts.
type file struct {
	SchemaVersion int                 `json:"schema_version"`
	Kind          string              `json:"kind"`
	Exit          int                 `json:"exit_code"`
	Verdicts      []assurance.Verdict `json:"verdicts"`
}

// JSON prints verdicts for programs, as one object with the exit code of all of them together. The evidence
// stays in each verdict.json.
func JSON(w io.Writer, verdicts []assurance.Verdict) error {
	f := file{SchemaVersion: 1, Kind: "lane/report", Exit: assurance.Combine(verdicts), Verdicts: make([]assurance.Verdict, len(verdicts))}
	for i, v := range verdicts {
		v.Evidence = nil
		f.Verdicts[i] = v
	}
	return encode(w, f)
}

func encode(w io.Writer, x any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(x)
}
