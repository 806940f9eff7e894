package nodetest

import (
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// A canary is one test of Lane's own that must fail in the process of a test file. Its name is made of the suite's words,
// and it fails by the means that the file itself uses.
type canary struct {
	Name  string `json:"name"`
	Body  string `json:"body"`  // of a function of assert
	Async bool   `json:"async"` // the test returns a promise
}

// perUnit is how many canaries a test file gets: code that bends one way to fail may leave another alone.
const perUnit = 2

// maxSource is the largest test file that is read for words, in bytes.
const maxSource = 1 << 20

var (
	title = regexp.MustCompile("\\b(?:test|it|describe|suite)(?:\\.\\w+)?\\(\\s*['\"`]([^'\"`\\n]{1,200})['\"`]")
	means = regexp.MustCompile(`\b(equal|notEqual|strictEqual|notStrictEqual|deepEqual|deepStrictEqual|ok|match|throws|rejects|assert)\(`)
)

// plainWord is one that the observer tells as it is, and that is plain in JavaScript too.
var plainWord = regexp.MustCompile(`^[\p{L}\p{N}_,.-]+$`)

// plainWords help suites that have too few words of their own.
var plainWords = strings.Fields("handles empty returns default value for invalid input keeps order of one single copies accepts zero")

// makeCanaries makes the canaries of a test file. The same source of chance gives the same ones for the same file.
func makeCanaries(source string, rng *rand.Rand) (out []canary) {
	var words, forms []string
	taken := make(map[string]bool)
	for _, m := range title.FindAllStringSubmatch(source, 200) {
		taken[m[1]] = true
		for _, w := range strings.Fields(m[1]) {
			if plainWord.MatchString(w) {
				words = append(words, w)
			}
		}
	}
	if len(words) < 4 {
		words = append(words, plainWords...)
	}
	for _, m := range means.FindAllStringSubmatch(source, 2000) {
		if !slices.Contains(forms, m[1]) {
			forms = append(forms, m[1])
		}
	}
	rng.Shuffle(len(forms), func(i, j int) { forms[i], forms[j] = forms[j], forms[i] })
	for len(out) < perUnit {
		form := "" // throws by itself
		if len(out) < len(forms) {
			form = forms[len(out)]
		}
		if c := makeCanary(rng, words, form); !taken[c.Name] {
			taken[c.Name] = true
			out = append(out, c)
		}
	}
	return out
}

func (s *setup) read(name string) string {
	f, err := s.find.tree.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode()&fs.ModeType != 0 {
		return ""
	}
	data, _ := io.ReadAll(io.LimitReader(f, maxSource))
	return string(data)
}

func makeCanary(rng *rand.Rand, words []string, form string) canary {
	var name []string
	for range 2 + rng.IntN(4) {
		name = append(name, words[rng.IntN(len(words))])
	}
	in := words[rng.IntN(len(words))]
	n := len(in) + 1 + rng.IntN(9)
	return canary{Name: strings.Join(name, " "), Body: canaryBody(form, in, n), Async: form == "rejects" || rng.IntN(3) == 0}
}

// canaryBody fails in one of the ways of node:assert.
func canaryBody(form, in string, n int) string {
	text := fmt.Sprintf("%q", in)
	switch form {
	case "equal", "strictEqual":
		return fmt.Sprintf("assert.%s(%s.length, %d);", form, text, n)
	case "notEqual", "notStrictEqual":
		return fmt.Sprintf("assert.%s(%s, %s);", form, text, text)
	case "deepEqual", "deepStrictEqual":
		return fmt.Sprintf("assert.%s({ value: %s, length: %d }, { value: %s, length: %d });", form, text, n, text, n+1)
	case "ok", "assert":
		return fmt.Sprintf("const value = %s; assert.ok(value.length === %d);", text, n)
	case "match":
		return fmt.Sprintf("assert.match(%s, /^.{%d,}$/);", text, n)
	case "throws":
		return fmt.Sprintf("assert.throws(() => %s.length);", text)
	case "rejects":
		return fmt.Sprintf("return assert.rejects(Promise.resolve(%s));", text)
	}
	return fmt.Sprintf("const value = %s; if (value.length !== %d) throw new Error(`length ${value.length}`);", text, n)
}
