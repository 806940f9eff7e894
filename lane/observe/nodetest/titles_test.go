package nodetest

import (
	"strings"
	"testing"
)

func TestTitles(t *testing.T) {
	for _, x := range []struct{ name, source, want string }{
		{"tests and suites", "test('a', () => {});\ndescribe(\"b\", () => { it(`c`, () => {}); describe('d', function() { it.skip('e') }) });\ntest('f')", "a|b|b > c|b > d|b > d > e|f"},
		{"what only looks like one", "// test('a')\n/* test('b') */ const s = \"test('c')\"; /test('d')/.test('e'); re.test('f'); latest('g'); test(name); test(`h${1}`)", ""},
		{"regular expressions and divisions", "const x = a / b; test('a', () => /[/'\"]/.test('x')); const y = (1) / 2; return /it('b')/; it('c')", "a|c"},
		{"a parenthesis in a string", "describe('a', () => { f(')'); it('b') }); it('c')", "a|a > b|c"},
		{"a name as the observer tells it", "test('  a >\\n b > c ', () => {}); test('it\\'s')", "a › b › c|it's"},
		{"unfinished", "describe('a', () => { it('b", "a"},
		{"the same twice", "test('a'); test('a')", "a"},
	} {
		t.Run(x.name, func(t *testing.T) {
			if got := strings.Join(titles(x.source), "|"); got != x.want {
				t.Errorf("got %q, want %q", got, x.want)
			}
		})
	}
}

func FuzzTitles(f *testing.F) {
	f.Add("test('a', () => /[/]/.test(`x${1}`)); // it('b')")
	f.Fuzz(func(t *testing.T, source string) {
		if got := titles(source); len(got) > maxTitles {
			t.Errorf("%d names", len(got))
		}
	})
}
