package tap

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

// separator stands between the names of a test and of what it is a subtest of.
const separator = " > "

// A result is what a text says.
type result struct {
	tests   []observe.Outcome
	lines   int    // of TAP
	planned bool   // the outermost level has a plan
	broken  string // why the report is not whole; "" where it is
}

var (
	version   = regexp.MustCompile(`^TAP version \d+$`)
	plan      = regexp.MustCompile(`^1\.\.(\d{1,9})(?:\s*(?:#.*)?)?$`)
	testLine  = regexp.MustCompile(`^(not )?ok\b(?:[ \t]+(\d{1,9})\b)?[ \t]*(?:-[ \t]+)?(.*)$`)
	directive = regexp.MustCompile(`(?i)(?:^|[^\\])#\s*(skip|todo)\w*\b[:\s]*(.*)$`)
	summary   = regexp.MustCompile(`^#\s*(?:tests|suites|pass|fail|ok|skip|todo|cancelled|skipped|duration_ms|time=|failed)\b`)
	finished  = regexp.MustCompile(`(?m)^#\s*tests\s+\d+\s*$`)
)

// What a report may hold at most: a few bytes of it could otherwise stand for any number of long names.
const (
	maxDepth = 64      // of subtests in each other
	maxTests = 100_000 // what comes after them is not read
	maxName  = 300     // bytes of a description
	maxPath  = 1000    // bytes of the names of a test and of what it lies in
)

// A level is one list of tests: the outermost, or the subtests of one test.
type level struct {
	from    int // index of its first test in the result
	count   int
	planned int // -1 where no plan came
	group   string
}

type parser struct {
	out     result
	levels  []level
	grouped bool   // comments name groups of tests
	comment string // the last line, where it was a comment
	yaml    string // the indentation that ends a block of details; "" outside of one
	at      int    // the test that the block belongs to
}

func parse(text []byte) result {
	p := &parser{levels: []level{{planned: -1}}, at: -1}
	p.grouped = finished.Match(text) && !bytes.Contains(text, []byte("# Subtest"))
	for raw := range bytes.Lines(text) {
		line := strings.ToValidUTF8(strings.TrimRight(string(raw), "\r\n"), "\uFFFD")
		if p.line(line) {
			break
		}
		if len(p.out.tests) >= maxTests {
			p.fail("there are more than " + strconv.Itoa(maxTests) + " tests")
			break
		}
	}
	p.close(0)
	top := p.levels[0]
	p.out.planned = top.planned >= 0
	p.check(top)
	return p.out
}

// line takes one line; done says that nothing after it counts.
func (p *parser) line(line string) (done bool) {
	if p.yaml != "" {
		p.detail(line)
		return false
	}
	body := strings.TrimLeft(line, " \t")
	indent := len(line) - len(body)
	if strings.HasPrefix(line[:indent], "\t") {
		indent *= 4
	}
	depth := min(indent/4, maxDepth)
	switch {
	case indent%4 == 2 && body == "---" && p.at >= 0:
		p.yaml = line[:indent]
	case version.MatchString(body):
		p.out.lines++
	case strings.HasPrefix(body, "Bail out!"):
		p.out.lines++
		p.add(0, observe.Outcome{Name: "Bail out!", Status: observe.Failed, Message: strings.TrimSpace(strings.TrimPrefix(body, "Bail out!"))})
		p.fail("the command bailed out")
		return true
	case plan.MatchString(body):
		p.out.lines++
		n, _ := strconv.Atoi(plan.FindStringSubmatch(body)[1])
		l := p.open(depth)
		if l.planned >= 0 {
			p.fail("a list of tests has two plans")
		}
		l.planned = n
	case strings.HasPrefix(body, "#"):
		p.comment = strings.TrimSpace(strings.TrimLeft(body, "# "))
		if summary.MatchString(body) {
			p.comment = ""
		}
	case testLine.MatchString(body):
		p.out.lines++
		p.test(depth, testLine.FindStringSubmatch(body))
	}
	return false
}

// detail takes a line of a block that describes a test.
func (p *parser) detail(line string) {
	if strings.TrimSpace(line) == "..." {
		p.yaml = ""
		return
	}
	t := &p.out.tests[p.at]
	if t.Status != observe.Passed && len(t.Message) < 4<<10 {
		t.Message = strings.TrimLeft(t.Message+"\n"+strings.TrimPrefix(line, p.yaml), "\n")
	}
}

func (p *parser) test(depth int, m []string) {
	l := p.open(depth)
	if p.grouped && p.comment != "" {
		l.group = p.comment
	}
	p.comment = ""
	t := observe.Outcome{Status: observe.Passed}
	if m[1] != "" {
		t.Status = observe.Failed
	}
	text := m[3]
	if d := directive.FindStringSubmatchIndex(text); d != nil {
		word, reason := strings.ToLower(text[d[2]:d[3]]), strings.TrimSpace(text[d[4]:d[5]])
		if word == "todo" || t.Status == observe.Passed {
			t.Status, t.Message = observe.Skipped, strings.TrimSpace(word+" "+reason)
		}
		text = text[:d[0]+strings.IndexByte(text[d[0]:], '#')]
	}
	if t.Name = clean(text); t.Name == "" {
		t.Name = "test " + strconv.Itoa(l.count+1)
		if m[2] != "" {
			t.Name = "test " + m[2]
		}
	}
	if l.group != "" {
		t.Name = clean(l.group) + separator + t.Name
	}
	l.count++
	p.close(depth)
	p.add(depth, t)
	p.at = len(p.out.tests) - 1
}

// clean makes a name that cannot be taken for a path of names.
func clean(name string) string {
	name = strings.NewReplacer(`\#`, "#", `\\`, `\`).Replace(name)
	name = strings.ReplaceAll(strings.Join(strings.Fields(name), " "), separator, " › ")
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	return name
}

// open returns the list of tests at a depth, which begins if need be.
func (p *parser) open(depth int) *level {
	for len(p.levels) <= depth {
		p.levels = append(p.levels, level{from: len(p.out.tests), planned: -1})
	}
	return &p.levels[depth]
}

// close ends the lists deeper than depth: their tests are subtests of the test that comes next.
func (p *parser) close(depth int) {
	for len(p.levels) > depth+1 {
		p.check(p.levels[len(p.levels)-1])
		p.levels = p.levels[:len(p.levels)-1]
	}
}

// add appends a test, whose name goes in front of its subtests' names.
func (p *parser) add(depth int, t observe.Outcome) {
	for i := p.below(depth); i < len(p.out.tests); i++ {
		if name := t.Name + separator + p.out.tests[i].Name; len(name) <= maxPath {
			p.out.tests[i].Name = name
		}
	}
	p.out.tests = append(p.out.tests, t)
	if depth < len(p.levels) {
		p.levels[depth].from = len(p.out.tests)
	}
}

// below is the index of the first test that waits for its parent at a depth.
func (p *parser) below(depth int) int {
	if depth >= len(p.levels) {
		return len(p.out.tests)
	}
	return p.levels[depth].from
}

// check compares a list of tests with its plan.
func (p *parser) check(l level) {
	switch {
	case l.planned >= 0 && l.count != l.planned:
		p.fail("the plan says " + strconv.Itoa(l.planned) + " tests, and " + strconv.Itoa(l.count) + " came")
	case p.yaml != "":
		p.fail("the report breaks off in the details of a test")
	}
}

func (p *parser) fail(why string) {
	if p.out.broken == "" {
		p.out.broken = why
	}
}
