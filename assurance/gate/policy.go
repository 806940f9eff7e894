package gate

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/internal/strict"
)

// Policy is what a reader asks of verdicts by branch and by the paths that their changes touch. It is the form of a policy.toml:
//
//	nothing_to_bite = ["docs/**", "*.md"]   # changes of these alone pass at VAL-0 where no fault could be put into them
//	production_words = ["kunde", "*-eu-*"]  # a target whose name or context has one is production, beside Lane's own words
//
//	[[rule]]
//	branch = "release/*"                    # default: any
//	paths = ["payments/**"]                 # the change touches one of them; default: any change
//	min_val = 2
//	authority = "contract"                  # at least: base or contract
//	venues = ["hosted"]
//	max_age = "24h"
//	specs = ["cart-discounts"]              # each has to have a verdict in the log
//	whole_log = true                        # no verdict before the newest one may be missing in the log
//
// Every rule that applies has to be met. A rule can ask for more than the reader's other options and never for less; nothing_to_bite alone
// takes less, for what nobody could verify further.
type Policy struct {
	rules           []rule
	nothingToBite   []string
	productionWords []string
}

type rule struct {
	Branch    string   `toml:"branch"`
	Paths     []string `toml:"paths"`
	MinVAL    int      `toml:"min_val"`
	Authority string   `toml:"authority"`
	Venues    []string `toml:"venues"`
	MaxAge    duration `toml:"max_age"`
	Specs     []string `toml:"specs"`
	WholeLog  bool     `toml:"whole_log"`
}

// duration is one as Go writes it.
type duration time.Duration

func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err == nil && v <= 0 {
		err = errors.New("a time has to be above zero")
	}
	*d = duration(v)
	return err
}

// ParsePolicy reads a policy.toml.
func ParsePolicy(data []byte) (*Policy, error) {
	var f struct {
		NothingToBite   []string `toml:"nothing_to_bite"`
		ProductionWords []string `toml:"production_words"`
		Rule            []rule   `toml:"rule"`
	}
	if err := strict.TOML(data, &f); err != nil {
		return nil, err
	}
	if len(f.Rule)+len(f.NothingToBite)+len(f.ProductionWords) == 0 {
		return nil, errors.New("it asks for nothing: it has no [[rule]]")
	}
	for i := range f.Rule {
		if err := f.Rule[i].check(); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
	}
	if err := checkPatterns("nothing_to_bite", f.NothingToBite); err != nil {
		return nil, err
	}
	for i, s := range f.ProductionWords {
		word, err := assurance.ReadProductionWord(s)
		if err != nil {
			return nil, fmt.Errorf("production_words: %w", err)
		}
		f.ProductionWords[i] = word
	}
	return &Policy{f.Rule, f.NothingToBite, f.ProductionWords}, nil
}

func (r *rule) check() error {
	if r.MinVAL < 0 || r.MinVAL > int(assurance.VAL3) {
		return fmt.Errorf("min_val is %d; use 0 to 3", r.MinVAL)
	}
	if r.Authority != "" && r.Authority != string(assurance.ByBase) && r.Authority != string(assurance.ByContract) {
		return fmt.Errorf("authority is %q; use %q or %q", r.Authority, assurance.ByBase, assurance.ByContract)
	}
	if r.Branch != "" {
		if err := checkPatterns("branch", []string{r.Branch}); err != nil {
			return err
		}
	}
	if r.MinVAL == 0 && r.Authority == "" && len(r.Venues)+len(r.Specs) == 0 && r.MaxAge == 0 && !r.WholeLog {
		return errors.New("it asks for nothing")
	}
	return checkPatterns("paths", r.Paths)
}

// checkPatterns refuses patterns that could match otherwise than their writer thinks, or never.
func checkPatterns(key string, patterns []string) error {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil || p == "" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "./") || strings.Contains(p, "//") {
			return fmt.Errorf("%s has %q, which is no pattern of slash paths from the root, such as src/** or *.md", key, p)
		}
	}
	return nil
}

// matches reports whether a pattern stands for a slash path. ** stands for any number of names, and a pattern of one name for
// that name in any folder.
func matches(pattern, name string) bool {
	if !strings.Contains(pattern, "/") {
		ok, _ := path.Match(pattern, path.Base(name))
		return ok
	}
	return matchNames(strings.Split(pattern, "/"), strings.Split(name, "/"))
}

func matchNames(pattern, names []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for i := range len(names) + 1 {
				if matchNames(pattern[1:], names[i:]) {
					return true
				}
			}
			return false
		}
		if len(names) == 0 {
			return false
		}
		if ok, _ := path.Match(pattern[0], names[0]); !ok {
			return false
		}
		pattern, names = pattern[1:], names[1:]
	}
	return len(names) == 0
}

func anyMatches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}

// applies reports whether a rule is about a change on a branch. A rule for branches applies also where the reader names none: who
// forgets to say it must not be asked for less.
func (r *rule) applies(branch string, files []assurance.ChangedFile) bool {
	if r.Branch != "" && branch != "" {
		if ok, _ := path.Match(r.Branch, branch); !ok && !matchNames(strings.Split(r.Branch, "/"), strings.Split(branch, "/")) {
			return false
		}
	}
	return len(r.Paths) == 0 || slices.ContainsFunc(files, func(f assurance.ChangedFile) bool { return anyMatches(r.Paths, f.Path) })
}

// unmet says what a rule asks for and a verdict has not; "" where that is nothing.
func (r *rule) unmet(v *assurance.Verdict, now time.Time) string {
	switch {
	case r.Authority == string(assurance.ByContract) && v.Authority != assurance.ByContract,
		r.Authority == string(assurance.ByBase) && v.Authority != assurance.ByContract && v.Authority != assurance.ByBase:
		return fmt.Sprintf("its spec holds by the word of %s, and %s is asked for", v.Authority, r.Authority)
	case len(r.Venues) > 0 && !slices.Contains(r.Venues, v.Venue):
		return fmt.Sprintf("its venue is %s, and %s is asked for", v.Venue, strings.Join(r.Venues, " or "))
	case r.MaxAge == 0:
	case now.IsZero() || v.Finished.IsZero():
		return "a greatest age is asked for, and it is not known how old the verdict is"
	case now.Sub(v.Finished) > time.Duration(r.MaxAge):
		return fmt.Sprintf("it is %s old, and %s is the most", now.Sub(v.Finished).Round(time.Second), time.Duration(r.MaxAge))
	}
	return ""
}

// policy is the step of that name: it raises the level that is asked for.
func (c *checker) policy() (assurance.State, string, assurance.Exit) {
	v := &c.stated
	if len(c.o.Venues) > 0 && !slices.Contains(c.o.Venues, v.Venue) {
		return assurance.Failed, fmt.Sprintf("its venue is %s, and %s is asked for", v.Venue, strings.Join(c.o.Venues, " or ")), assurance.ExitDistrust
	}
	if c.o.Policy == nil {
		if len(c.o.Venues) > 0 {
			return assurance.Held, "its venue is " + v.Venue, assurance.ExitOK
		}
		return assurance.Waived, "the reader has no policy", assurance.ExitOK
	}
	if t := v.Evidence.Plan.Target; t != nil && len(c.o.Policy.productionWords) > 0 {
		if word := t.ProductionWord(c.o.Policy.productionWords...); word != "" {
			return assurance.Failed, fmt.Sprintf("its target is named %s, and %q is what the policy calls production", t.Name, word), assurance.ExitDistrust
		}
	}
	files := v.Evidence.Plan.Change.Files
	var met int
	for i := range c.o.Policy.rules {
		r := &c.o.Policy.rules[i]
		if !r.applies(c.o.Branch, files) {
			continue
		}
		if why := r.unmet(v, c.o.Now); why != "" {
			return assurance.Failed, fmt.Sprintf("rule %d of the policy: %s", i+1, why), assurance.ExitDistrust
		}
		c.d.MinVAL = max(c.d.MinVAL, assurance.Level(r.MinVAL))
		met++
	}
	if c.d.MinVAL > assurance.VAL0 && c.nothingToBite() {
		c.d.MinVAL = assurance.VAL0
		return assurance.Held, "the change touches only what the policy lets pass where nothing bites; VAL-0 is asked for", assurance.ExitOK
	}
	return assurance.Held, fmt.Sprintf("%d of its %d rules apply; %s is asked for", met, len(c.o.Policy.rules), c.d.MinVAL), assurance.ExitOK
}

// nothingToBite reports whether a change touches only paths that the policy names for it, and nothing else keeps it from VAL-1.
func (c *checker) nothingToBite() bool {
	p := c.o.Policy
	files := c.stated.Evidence.Plan.Change.Files
	if len(p.nothingToBite) == 0 || len(files) == 0 || c.again.Clause(assurance.MutantsKilled).Code != assurance.CodeNothingToBite {
		return false
	}
	for _, f := range files {
		if !anyMatches(p.nothingToBite, f.Path) {
			return false
		}
	}
	for _, cl := range c.again.Clauses {
		if cl.Level <= assurance.VAL1 && !cl.Holds() && cl.Code != assurance.CodeNothingToBite {
			return false
		}
	}
	return true
}

// wholeLog reports whether a rule that can apply asks for a log in which nothing is missing.
func (p *Policy) wholeLog(branch string, files []assurance.ChangedFile) bool {
	return p != nil && slices.ContainsFunc(p.rules, func(r rule) bool { return r.WholeLog && r.applies(branch, files) })
}

// specs are those that have to have a verdict, by rules that hold for every change of a branch, or for one of files.
func (p *Policy) specs(branch string, files []assurance.ChangedFile) (out []string) {
	if p == nil {
		return nil
	}
	for i := range p.rules {
		if p.rules[i].applies(branch, files) {
			out = append(out, p.rules[i].Specs...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
