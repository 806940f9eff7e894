package junit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/observe"
)

// A story is one report, and what it must be read as.
type story struct {
	name string
	text string
	exit int

	tests    string // "id=status", with ×N where it ran N times; sorted by id, joined by "; "
	unparsed string // or: what cannot be counted
	kinds    string
}

const head = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

var stories = []story{
	{name: "pytest", exit: 1, text: head + `<testsuites><testsuite name="pytest" errors="0" failures="1" skipped="1" tests="3" time="0.05">
<testcase classname="tests.test_cart" name="test_total" time="0.001" /><testcase classname="tests.test_cart.TestTax" name="test_zero[0-a]" time="0.001"><failure message="assert 1 == 2">def test():
&gt; assert 1 == 2</failure></testcase><testcase classname="tests.test_cart" name="test_later"><skipped type="pytest.skip" message="later">x.py:3: later</skipped></testcase></testsuite></testsuites>`,
		tests: "tests.test_cart.TestTax.test_zero[0-a]=failed; tests.test_cart.test_later=skipped; tests.test_cart.test_total=passed"},
	{name: "jest", text: head + `<testsuites name="jest tests" tests="1" failures="0" errors="0" time="1.2"><testsuite name="cart" errors="0" failures="0" skipped="0" tests="1">
<testcase classname="cart adds up" name="cart adds up" time="0.002"></testcase></testsuite></testsuites>`, tests: "cart adds up.cart adds up=passed"},
	{name: "gotestsum", exit: 1, text: head + `<testsuites tests="2" failures="1" errors="0"><testsuite tests="2" failures="1" time="0.1" name="example.org/cart">
<properties><property name="go.version" value="go1.26"></property></properties><testcase classname="example.org/cart" name="TestTotal" time="0.0"></testcase>
<testcase classname="example.org/cart" name="TestTax/zero"><failure message="Failed" type="">=== RUN</failure></testcase></testsuite></testsuites>`,
		tests: "example.org/cart.TestTax/zero=failed; example.org/cart.TestTotal=passed"},
	{name: "surefire with reruns", text: head + `<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="com.shop.CartTest" tests="3" errors="0" skipped="1" failures="0">
<testcase name="total" classname="com.shop.CartTest" time="1,234.5"><flakyFailure message="first" type="AssertionError"><stackTrace>at</stackTrace></flakyFailure></testcase>
<testcase name="tax" classname="com.shop.CartTest"/><testcase name="later" classname="com.shop.CartTest"><skipped/></testcase></testsuite>`,
		tests: "com.shop.CartTest.later=skipped; com.shop.CartTest.tax=passed; com.shop.CartTest.total=failed×2", kinds: "zero-but-failed zero-but-unit-failed"},
	{name: "rerun that failed again", exit: 1, text: `<testsuite name="s" failures="1"><testcase name="a" classname="c"><failure/><rerunFailure/><rerunError/></testcase></testsuite>`, tests: "c.a=failed×3"},
	{name: "googletest", exit: 1, text: `<testsuites tests="3"><testsuite name="Cart" tests="3"><testcase name="Total" status="run" result="completed" classname="Cart"/>
<testcase name="Off" status="notrun" result="suppressed" classname="Cart"/><testcase name="Tax" status="run" classname="Cart"><failure message="x"><![CDATA[x < y]]></failure></testcase></testsuite></testsuites>`,
		tests: "Cart.Off=skipped; Cart.Tax=failed; Cart.Total=passed"},
	{name: "ctest", exit: 1, text: `<testsuite name="(empty)" tests="2" failures="1"><testcase name="a" classname="a" status="run"/><testcase name="b" classname="b" status="fail"/></testsuite>`,
		tests: "a.a=passed; b.b=failed"},
	{name: "suites in suites, without classes", exit: 1, text: `<testsuites><testsuite name="outer" failures="1"><testsuite name="inner" failures="1"><testcase name="a"/><testcase name="b"><error/></testcase></testsuite><testcase name="c"/></testsuite></testsuites>`,
		tests: "inner.a=passed; inner.b=failed; outer.c=passed"},
	{name: "node's own", text: head + `<testsuites><testcase name="x" classname="test"/></testsuites>`, tests: "test.x=passed"},
	{name: "the same name twice, the better one last", text: `<testsuite name="s"><testcase name="a" classname="c"><failure/></testcase><testcase name="a" classname="c"/></testsuite>`,
		tests: "c.a=failed×2", kinds: "zero-but-failed zero-but-unit-failed"},
	{name: "failed and skipped at once", exit: 1, text: `<testsuite name="s"><testcase name="a" classname="c"><failure/><skipped/></testcase></testsuite>`, tests: "c.a=failed"},
	{name: "a suite that failed itself", exit: 1, text: `<testsuite name="s"><error message="no database"/><testcase name="a" classname="c"/></testsuite>`, tests: "c.a=passed; s.(suite)=failed"},
	{name: "a failure that no test shows", text: `<testsuite name="s" failures="2" errors="0"><testcase name="a" classname="c"><failure/></testcase></testsuite>`, exit: 1, tests: "c.a=failed; s.(suite)=failed"},
	{name: "all skipped", text: `<testsuite name="s"><testcase name="a" classname="c"><skipped/></testcase></testsuite>`, tests: "c.a=skipped"},
	{name: "no name and no class", text: `<testsuite><testcase/></testsuite>`, tests: "(suite).(unnamed)=passed"},

	// R9
	{name: "no tests", text: head + `<testsuites tests="0"></testsuites>`},
	{name: "no tests at all", text: `<testsuites/>`},

	// Hostile and broken input
	{name: "breaks off", text: `<testsuites><testsuite name="s"><testcase name="a"/>`, unparsed: "breaks off"},
	{name: "breaks off within a tag", text: `<testsuite name="s"><testcase na`, unparsed: "breaks off"},
	{name: "empty", text: "", unparsed: "no report"},
	{name: "something else", text: "<html><body>ok</body></html>", unparsed: `outermost element is "html"`},
	{name: "no XML", text: "3 passed", unparsed: "no report"},
	{name: "a test outside of any suite", text: `<testcase name="a"/>`, unparsed: "outermost element"},
	{name: "entities that grow", text: `<!DOCTYPE t [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><testsuite name="&b;"><testcase name="a"/></testsuite>`, unparsed: "no XML"},
	{name: "an entity that opens a file", text: `<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite name="s"><testcase name="&x;"/></testsuite>`, unparsed: "no XML"},
	{name: "too deep", text: strings.Repeat("<testsuite>", 5000), unparsed: "too deep"},
	{name: "too many tests", text: `<testsuite name="s">` + strings.Repeat(`<testcase name="a"/>`, maxTests+1) + `</testsuite>`, unparsed: "more than"},
	{name: "wide characters", text: "\xff\xfe<\x00", unparsed: "UTF-16"},
	{name: "an unknown encoding", text: `<?xml version="1.0" encoding="EBCDIC-US"?><testsuite/>`, unparsed: "ebcdic-us"},
	{name: "numbers that are none", text: `<testsuite name="s" failures="-5" errors="x" tests="1e9"><testcase name="a" classname="c" time="NaN"/><testcase name="b" classname="c" time="-1"/></testsuite>`, tests: "c.a=passed; c.b=passed"},
	{name: "a byte-order mark", text: "\xef\xbb\xbf" + head + `<testsuite name="s"><testcase name="a" classname="c"/></testsuite>`, tests: "c.a=passed"},
	{name: "another encoding", text: `<?xml version="1.0" encoding="ISO-8859-1"?><testsuite name="s"><testcase name="caf` + "\xe9" + `" classname="c"/></testsuite>`, tests: "c.café=passed"},
	// R17
	{name: "characters that XML forbids", text: `<testsuite name="s"><testcase name="` + "\x1b[31m\x00\xff" + `&#x1b;&#99999999;&lt;/script&gt;" classname="c"/></testsuite>`,
		tests: "c.\uFFFD[31m\uFFFD\uFFFD\uFFFD\uFFFD</script>=passed"},
	{name: "a test within a test", text: `<testsuite name="s"><testcase name="a" classname="c"><testcase name="b"><failure/></testcase></testcase></testsuite>`, exit: 1, tests: "c.a=failed"},
}

func TestStories(t *testing.T) {
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			p, err := Reporter{Path: "out/report.xml"}.Instrument(observe.Request{Argv: []string{"make"}, Dir: "sub", TreeHost: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			end := observe.End{Exited: true, Code: s.exit}
			r, err := p.Read(observe.Remains{End: end, Files: map[string][]byte{"/tree/sub/out/report.xml": []byte(s.text)}})
			var u *observe.Unparsed
			if errors.As(err, &u) != (s.unparsed != "") || u != nil && !strings.Contains(u.What, s.unparsed) {
				t.Fatalf("%v, want unparsed: %q", err, s.unparsed)
			}
			c := p.Collector()
			c.Replay(r)
			session := c.Session()
			if got := describe(session); got != s.tests {
				t.Errorf("tests:\n got %s\nwant %s", got, s.tests)
			}
			var kinds []string
			for _, c := range session.Contradictions(end) {
				kinds = append(kinds, string(c.Kind))
			}
			if got := strings.Join(kinds, " "); got != s.kinds {
				t.Errorf("contradictions %q, want %q", got, s.kinds)
			}
			if len(session.Problems) > 0 || session.Lost {
				t.Errorf("problems %q, lost %v", session.Problems, session.Lost)
			}
		})
	}
}

func describe(s *observe.Session) string {
	var list []string
	for _, t := range s.Tests {
		text := t.ID + "=" + string(t.Status)
		if t.Runs != 1 {
			text += fmt.Sprintf("×%d", t.Runs)
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

func TestMessages(t *testing.T) {
	units, err := parse([]byte(`<testsuite name="s"><testcase name="a" classname="c" time="0.5"><failure message="wrong" type="E">line 3</failure></testcase></testsuite>`))
	if err != nil || units[0].Tests[0].Message != "wrong E\nline 3" || units[0].Tests[0].Duration.Milliseconds() != 500 {
		t.Errorf("%+v, %v", units, err)
	}
	units, err = parse([]byte(`<testsuite name="s"><testcase name="a"><failure>` + strings.Repeat("x", 10<<20) + `</failure></testcase></testsuite>`))
	if err != nil || len(units[0].Tests[0].Message) > maxMessage+10 {
		t.Errorf("a message of %d bytes, %v", len(units[0].Tests[0].Message), err)
	}
}

// C13: a report that lies in the tree is none that the command wrote.
func TestStaleReport(t *testing.T) {
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "report.xml"), []byte(`<testsuite><testcase name="a"/></testsuite>`), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Reporter{Path: "report.xml"}.Instrument(observe.Request{Argv: []string{"make"}, TreeHost: tree})
	if err != nil || !slices.Equal(p.Absent, []string{"report.xml"}) || len(p.Notes) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	r, err := p.Read(observe.Remains{End: observe.End{Exited: true}, Why: map[string]string{"/tree/report.xml": "no such file"}})
	if err != nil || len(r.Units) > 0 || !strings.Contains(r.Detail, "wrote no report report.xml: no such file") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestPathsOutsideAreRefused(t *testing.T) {
	for _, name := range []string{"../x.xml", "/tmp/x.xml", ".", "a/../../x"} {
		if _, err := (Reporter{Path: name}).Instrument(observe.Request{TreeHost: t.TempDir()}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, x := range []struct {
		pattern, id string
		want        bool
	}{
		{"tests.test_cart.test_total", "tests.test_cart.test_total", true},
		{"test_total", "tests.test_cart.test_total", true},
		{"test_cart.test_total", "tests.test_cart.test_total", true},
		{"tests/test_cart.py::test_total", "tests.test_cart.test_total", true},
		{"tests/test_cart.py::TestTax::test_zero[1]", "tests.test_cart.TestTax.test_zero[1]", true},
		{"cart.TestTotal", "example.org/cart.TestTotal", true},
		{"_total", "tests.test_cart.test_total", false},
		{"test_cart", "tests.test_cart.test_total", false},
		{"", "tests.test_cart.test_total", false},
	} {
		if got := (Reporter{}).Match(x.pattern, x.id); got != x.want {
			t.Errorf("%s of %s: %v, want %v", x.pattern, x.id, got, x.want)
		}
	}
}

// Whatever lies there, it is read within bounds or refused.
func FuzzParse(f *testing.F) {
	for _, s := range stories {
		if len(s.text) < 4096 {
			f.Add([]byte(s.text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		units, err := parse(data)
		if err != nil {
			return
		}
		c := observe.NewCollector(observe.Options{Join: Join})
		c.Replay(observe.Report{Units: units})
		if s := c.Session(); len(s.Problems) > 0 {
			t.Errorf("problems %q", s.Problems)
		}
	})
}
