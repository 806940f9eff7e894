package assurance

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// productionWords are names that people give to what must not be touched. Nobody can take one away.
var productionWords = []string{"prod", "prd", "production", "productive", "live"}

// ProductionWord returns what in the name or the context of a target speaks for production, "" where there is nothing: one of Lane's own words, or a word
// or pattern of the plan's or of more. Words are what letters and digits make, so that neither product nor delivery has one.
func (p *PlannedTarget) ProductionWord(more ...string) string {
	more = append(slices.Clone(p.ProductionWords), more...)
	for _, s := range []string{p.Name, p.Context} {
		s = strings.ToLower(s)
		if word := spokenWord(s, more); word != "" {
			return word
		}
		if drawn.MatchString(p.Label) { // of such a label nobody chose a letter
			s = strings.ReplaceAll(s, p.Label, "")
		}
		for _, m := range more {
			if ok, err := path.Match(m, s); isPattern(m) && (ok || err != nil) { // one that cannot be read could mean anything
				return m
			}
		}
	}
	return ""
}

// drawn is what labels look like that Lane draws.
var drawn = regexp.MustCompile(`^lane-[0-9a-f]{12}$`)

func spokenWord(s string, more []string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	for _, w := range words {
		if plain := strings.TrimRight(w, "0123456789"); slices.Contains(productionWords, plain) || slices.Contains(more, plain) || slices.Contains(more, w) {
			return w
		}
	}
	return ""
}

func isPattern(s string) bool { return strings.ContainsAny(s, "*?[") }

// ReadProductionWord returns a word or pattern as PlannedTarget.ProductionWords has it: in lower case. A word has letters and digits alone, as what it is compared with;
// a pattern has a *, ? or [ in it, and stands for a whole name or context, without the label.
func ReadProductionWord(s string) (string, error) {
	out := strings.ToLower(strings.TrimSpace(s))
	switch {
	case out == "":
		return "", fmt.Errorf("it is empty")
	case isPattern(out):
		if _, err := path.Match(out, ""); err != nil {
			return "", fmt.Errorf("%q is no pattern: %v", s, err)
		}
	case strings.Trim(out, "abcdefghijklmnopqrstuvwxyz0123456789") != "":
		return "", fmt.Errorf("%q is no word of letters and digits; write a pattern such as *%s*", s, out)
	}
	return out, nil
}
