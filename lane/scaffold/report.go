package scaffold

import (
	"fmt"
	"io"
	"strings"
)

// Print shows the files of a draft, for people.
func (d *Draft) Print(w io.Writer) error {
	for i, f := range d.Files {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if _, err := fmt.Fprintf(w, "--- %s\n%s", f.Name, f.Data); err != nil {
			return err
		}
	}
	return d.notes(w)
}

// Report says what was written and what to do next, for people.
func (d *Draft) Report(w io.Writer) error {
	var names []string
	for _, f := range d.Files {
		names = append(names, f.Name)
	}
	if d.Pins {
		names = append(names, pinsFile)
	}
	fmt.Fprintf(w, "%s project, tested by `%s`\nwrote %s\n", map[string]string{Go: "Go", Python: "Python", Node: "Node"}[d.Language], strings.Join(d.Run, " "), strings.Join(names, ", "))
	for _, name := range d.Kept {
		fmt.Fprintf(w, "kept %s, which has a lane-env\n", name)
	}
	if err := d.notes(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "next: lane check, and commit what was written")
	return err
}

func (d *Draft) notes(w io.Writer) error {
	for _, note := range d.Notes {
		if _, err := fmt.Fprintln(w, "note: "+note); err != nil {
			return err
		}
	}
	return nil
}
