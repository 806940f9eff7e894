package gotest

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/vallane/lane/lane/observe"
)

// A canaryFile is one test of Lane's own that must fail, as a file beside the tests of a package. Nothing in its form tells it from the
// suite's own: its names are made of the suite's words, its lines claim to be lines of one of the suite's files.
type canaryFile struct {
	canary observe.Canary
	name   string // of the test
	path   string // relative to the tree, where no file of the tree lies
	source []byte
}

// plainWords help suites that have too few words of their own.
var plainWords = strings.Fields("Empty Basic Simple Nil Zero Default Invalid Edge Order Range Single Round Copy Error Values")

// makeCanary makes the canary of a unit. The same seed gives the same canary for the same suite. skip is the command's own filter of
// tests to leave out; flat keeps it from failing in a subtest only, for commands whose filter reaches into those.
func makeCanary(u *unit, s *scan, seed [32]byte, skip string, flat bool) (*canaryFile, error) {
	rng := rand.New(rand.NewChaCha8(sha256.Sum256(append(seed[:], u.id...))))
	words := wordsOf(u.tests)
	name, err := canaryName(u, words, rng, skip)
	if err != nil {
		return nil, err
	}
	file, err := canaryPath(u, s, words, rng)
	if err != nil {
		return nil, err
	}
	clause := u.name
	if !u.internal || u.external && rng.IntN(2) == 0 {
		clause += "_test"
	}
	src := canarySource(clause, name, u, s, rng, flat)
	return &canaryFile{
		canary: observe.Canary{ID: Join(u.id, name), Unit: u.id},
		name:   name, path: file, source: src,
	}, nil
}

// wordsOf splits names such as TestParse_EmptyInput into Parse, _Empty, Input.
func wordsOf(tests []string) []string {
	var words []string
	for _, t := range tests {
		for _, prefix := range []string{"Test", "Example", "Fuzz"} {
			t = strings.TrimPrefix(t, prefix)
		}
		start := 0
		runes := []rune(t)
		for i := 1; i <= len(runes); i++ {
			if i < len(runes) && !(unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1])) && runes[i] != '_' || i < len(runes) && runes[i-1] == '_' {
				continue
			}
			if w := string(runes[start:i]); strings.Trim(w, "_") != "" && !slices.Contains(words, w) {
				words = append(words, w)
			}
			start = i
		}
	}
	return words
}

func canaryName(u *unit, words []string, rng *rand.Rand, skip string) (string, error) {
	var left *regexp.Regexp
	if skip != "" {
		top, _, _ := strings.Cut(skip, "/")
		left, _ = regexp.Compile(top)
	}
	for try := range 200 {
		pool := words
		if len(pool) < 3 || try > 100 {
			pool = append(slices.Clone(words), plainWords...)
		}
		n := 2 + rng.IntN(2)
		name := "Test"
		for range n {
			name += pool[rng.IntN(len(pool))]
		}
		if !isTestName(name, "Test") || u.idents[name] || name == "TestMain" || left != nil && left.MatchString(name) {
			continue
		}
		return name, nil
	}
	return "", fmt.Errorf("name canary of %s: every name is taken or left out by -skip=%s", u.id, skip)
}

func canaryPath(u *unit, s *scan, words []string, rng *rand.Rand) (string, error) {
	pool := make([]string, 0, len(words)+len(plainWords)+len(u.files))
	for _, w := range words {
		pool = append(pool, strings.ToLower(strings.Trim(w, "_")))
	}
	for _, f := range u.files {
		stem, _, _ := strings.Cut(strings.TrimSuffix(f, "_test.go"), "_")
		pool = append(pool, stem)
	}
	if len(pool) < 4 {
		for _, w := range plainWords {
			pool = append(pool, strings.ToLower(w))
		}
	}
	for range 200 {
		name := pool[rng.IntN(len(pool))] + "_" + pool[rng.IntN(len(pool))] + "_test.go"
		if strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\\") {
			continue
		}
		// A word such as linux or arm64 at the end would be a build constraint.
		if file := path.Join(u.dir, name); !s.tree.exists(file) && s.included(name, []byte("package x\n")) {
			return file, nil
		}
	}
	return "", fmt.Errorf("place canary of %s: every file name is taken", u.id)
}

func canarySource(clause, name string, u *unit, s *scan, rng *rand.Rand, flat bool) []byte {
	t := "testing"
	for u.idents[t] {
		t += "x"
	}
	words := wordsOf(u.tests)
	if len(words) == 0 {
		words = plainWords
	}
	word := func() string { return strings.ToLower(strings.Trim(words[rng.IntN(len(words))], "_")) }
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport %s \"testing\"\n\n", clause, t)
	like := u.files[rng.IntN(len(u.files))]
	lines := 40
	if src, err := s.tree.read(path.Join(u.dir, like)); err == nil {
		lines = strings.Count(string(src), "\n") + 1
	}
	fmt.Fprintf(&b, "//line %s:%d\n", like, 1+rng.IntN(lines))
	fmt.Fprintf(&b, "func %s(t *%s.T) {\n", name, t)
	b.WriteString(canaryBody(rng, word, t, flat))
	b.WriteString("}\n")
	return []byte(b.String())
}

// canaryBody is a failing test in one of the usual forms.
func canaryBody(rng *rand.Rand, word func() string, t string, flat bool) string {
	in, n := word(), 2+rng.IntN(7)
	want := len(in) + n
	forms := []func() string{
		func() string {
			return fmt.Sprintf("\tif got, want := len(%q), %d; got != want {\n\t\tt.Errorf(\"%s(%%d) = %%d, want %%d\", %d, got, want)\n\t}\n", in, want, word(), n)
		},
		func() string {
			return fmt.Sprintf("\tgot := %q\n\tif len(got) != %d {\n\t\tt.Fatalf(\"got %%q\", got)\n\t}\n", in, want)
		},
		func() string {
			return fmt.Sprintf("\tfor _, in := range []string{%q, %q} {\n\t\tif in == \"\" || len(in) < %d {\n\t\t\tt.Errorf(\"%s: %%q\", in)\n\t\t}\n\t}\n", in, word(), want+20, word())
		},
		func() string {
			return fmt.Sprintf("\tvalue := %q\n\tif len(value) > 0 {\n\t\tt.Log(value)\n\t\tt.FailNow()\n\t}\n", in)
		},
		func() string {
			return fmt.Sprintf("\tt.Cleanup(func() {\n\t\tif n := len(%q); n != %d {\n\t\t\tt.Error(n)\n\t\t}\n\t})\n", in, want)
		},
		func() string {
			return fmt.Sprintf("\tt.Run(%q, func(t *%s.T) {\n\t\tif got := len(%q); got != %d {\n\t\t\tt.Fatal(\"unexpected\", got)\n\t\t}\n\t})\n", in, t, in, want)
		},
	}
	if flat {
		forms = forms[:len(forms)-1]
	}
	return forms[rng.IntN(len(forms))]()
}
