package python

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A boxCanary is one test of Lane's own that must fail: a module that claims to lie beside the suite's own, made of the suite's
// words. It is in no folder; the script in the box loads it as if it were.
type boxCanary struct {
	ID     string  `json:"id"`
	Path   string  `json:"path"`   // absolute in the box, where no file of the tree lies
	Module string  `json:"module"` // its name as unittest says it
	Source string  `json:"source"`
	At     float64 `json:"at"` // where it runs among the tests, from 0 to 1
}

// plainWords help suites that have too few words of their own.
var plainWords = strings.Fields("empty basic simple zero default invalid edge order range single round copy error values")

const (
	maxWordFiles = 40 // test files whose names are looked at for words
	maxWords     = 400
)

var testFunction = regexp.MustCompile(`(?m)^[ \t]*(?:async[ \t]+)?def[ \t]+test_?(\w*)`)

// place makes the session's canary. The same seed gives the same canary for the same suite.
func (s *setup) place(t *tree) {
	files, cached := t.testFiles(orElse(s.cmd.positional(t, s.cwd), s.cwd))
	if cached {
		s.notes = append(s.notes, "the tree holds cached bytecode (.pyc): processes that tests start may run it in place of the source")
	}
	rng := rand.New(rand.NewChaCha8(sha256.Sum256(append(s.req.CanarySeed[:], s.cmd.kind...))))
	words := suiteWords(t, files)
	dir := s.cwd
	if len(files) > 0 {
		dir = path.Dir(files[rng.IntN(len(files))])
	}
	word := func() string { return words[rng.IntN(len(words))] }
	var file string
	for try := range 200 {
		file = path.Join(dir, "test_"+word()+"_"+word()+".py")
		if try > 100 {
			file = path.Join(dir, fmt.Sprintf("test_%s_%d.py", word(), rng.IntN(1000)))
		}
		if !t.exists(file) {
			break
		}
	}
	name := "test_" + word() + "_" + word()
	class := "Test" + title(word()) + title(word())
	c := boxCanary{Path: path.Join(s.req.TreeBox, file), At: rng.Float64()}
	rel := relative(s.cwd, file)
	c.Module = strings.ReplaceAll(strings.TrimSuffix(rel, ".py"), "/", ".")
	if s.cmd.kind == unittest {
		c.ID = c.Module + "." + class + "." + name
		c.Source = caseSource(class, name, word, rng)
	} else if rng.IntN(3) == 0 {
		c.ID = rel + "::" + class + "::" + name
		c.Source = fmt.Sprintf("import pytest\n\n\nclass %s:\n    def %s(self):\n%s", class, name, indent(functionBody(word, rng), "        "))
	} else {
		c.ID = rel + "::" + name
		c.Source = fmt.Sprintf("import pytest\n\n\ndef %s():\n%s", name, indent(functionBody(word, rng), "    "))
	}
	s.canaries = []boxCanary{c}
}

func orElse(list []string, def string) []string {
	if len(list) == 0 {
		return []string{def}
	}
	return list
}

// relative names a file of the tree as seen from a folder above it; from elsewhere its whole path is as good.
func relative(from, name string) string {
	if from == "." {
		return name
	}
	return strings.TrimPrefix(name, from+"/")
}

// suiteWords are the words of which the names of the suite's tests are made.
func suiteWords(t *tree, files []string) []string {
	var words []string
	for _, f := range files[:min(len(files), maxWordFiles)] {
		src, err := t.read(f)
		if err != nil {
			continue
		}
		for _, m := range testFunction.FindAllSubmatch(src, -1) {
			for _, w := range strings.Split(strings.ToLower(string(m[1])), "_") {
				if len(w) > 1 && len(w) < 20 && len(words) < maxWords && isWord(w) && !slices.Contains(words, w) {
					words = append(words, w)
				}
			}
		}
	}
	if len(words) < 4 {
		words = append(words, plainWords...)
	}
	return words
}

func isWord(w string) bool {
	return strings.Trim(w, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

func title(w string) string { return strings.ToUpper(w[:1]) + w[1:] }

func indent(text, by string) string {
	return by + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+by) + "\n"
}

// functionBody is a failing test in one of the usual forms.
func functionBody(word func() string, rng *rand.Rand) string {
	in, n := word(), 2+rng.IntN(7)
	want := len(in) + n
	forms := []string{
		fmt.Sprintf("value = %q\nassert len(value) == %d\n", in, want),
		fmt.Sprintf("result = %q.upper()\nassert result == %q\n", in, in+word()),
		fmt.Sprintf("with pytest.raises(ValueError):\n    int(%q)\n", fmt.Sprint(want)),
		fmt.Sprintf("for item in (%q, %q):\n    if len(item) < %d:\n        pytest.fail(\"%s: %%s\" %% item)\n", in, word(), want+40, word()),
		fmt.Sprintf("expected = {%q: %d}\nassert {%q: %d} == expected, %q\n", in, n, in, n+1, word()),
		fmt.Sprintf("if len(%q) != %d:\n    raise AssertionError(%q)\n", in, want, word()),
	}
	return forms[rng.IntN(len(forms))]
}

func caseSource(class, name string, word func() string, rng *rand.Rand) string {
	in, n := word(), 2+rng.IntN(7)
	want := len(in) + n
	forms := []string{
		fmt.Sprintf("self.assertEqual(len(%q), %d)\n", in, want),
		fmt.Sprintf("with self.assertRaises(ValueError):\n    int(%q)\n", fmt.Sprint(want)),
		fmt.Sprintf("self.assertIn(%q, [%q])\n", in+word(), in),
		fmt.Sprintf("for item in (%q, %q):\n    with self.subTest(item=item):\n        self.assertGreater(len(item), %d)\n", in, word(), want+40),
		fmt.Sprintf("if len(%q) != %d:\n    self.fail(%q)\n", in, want, word()),
	}
	body := indent(forms[rng.IntN(len(forms))], "        ")
	return fmt.Sprintf("import unittest\n\n\nclass %s(unittest.TestCase):\n    def %s(self):\n%s", class, name, body)
}
