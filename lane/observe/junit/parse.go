package junit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vallane/lane/lane/observe"
)

// What a report may hold at most.
const (
	maxDepth   = 100
	maxTests   = 100_000
	maxMessage = 4 << 10 // bytes per test
	maxName    = 400     // bytes of a name or class name
)

// A suite is one that is open while the report is read.
type suite struct {
	name   string
	bad    int // tests in it that failed
	says   int // how many it says that failed
	direct []string
}

// A testcase is one that is open while the report is read.
type testcase struct {
	class, name string
	took        time.Duration
	status      observe.Status
	message     string
	tries       int // earlier runs of it that failed
}

type parser struct {
	decoder *xml.Decoder
	suites  []suite
	test    *testcase
	units   map[string]int // index in out
	out     []observe.UnitReport
	count   int
	roots   int
}

// parse reads a report. An error says that it cannot be counted.
func parse(data []byte) ([]observe.UnitReport, error) {
	data, err := decodable(data)
	if err != nil {
		return nil, err
	}
	p := &parser{decoder: xml.NewDecoder(bytes.NewReader(data)), units: make(map[string]int)}
	p.decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is text by now
	var path []string
	for {
		token, err := p.decoder.Token()
		switch {
		case errors.Is(err, io.EOF) && len(path) == 0 && p.roots > 0:
			return p.out, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("it holds no report")
		case err != nil && p.decoder.InputOffset() >= int64(len(data)):
			return nil, errors.New("it breaks off")
		case err != nil:
			return nil, fmt.Errorf("it is no XML: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			name := strings.ToLower(t.Name.Local)
			if len(path) == 0 {
				if p.roots++; name != "testsuites" && name != "testsuite" && name != "testrun" {
					return nil, fmt.Errorf("its outermost element is %q", short(name, 40))
				}
			}
			if path = append(path, name); len(path) > maxDepth {
				return nil, errors.New("its elements lie too deep in each other")
			}
			p.start(name, t)
		case xml.EndElement:
			p.end(path[len(path)-1])
			path = path[:len(path)-1]
			if p.count > maxTests {
				return nil, fmt.Errorf("it has more than %d tests", maxTests)
			}
		case xml.CharData:
			p.text(path, string(t))
		}
	}
}

func attribute(t xml.StartElement, names ...string) string {
	for _, n := range names {
		for _, a := range t.Attr {
			if strings.EqualFold(a.Name.Local, n) && strings.TrimSpace(a.Value) != "" {
				return strings.TrimSpace(a.Value)
			}
		}
	}
	return ""
}

func (p *parser) start(name string, t xml.StartElement) {
	switch name {
	case "testsuite", "testsuites":
		says := 0
		for _, a := range []string{"failures", "errors"} {
			n, _ := strconv.Atoi(attribute(t, a))
			says += max(0, min(n, maxTests))
		}
		p.suites = append(p.suites, suite{name: short(attribute(t, "name", "file", "package"), maxName), says: says})
	case "testcase", "test":
		if len(p.suites) == 0 || p.test != nil {
			return
		}
		p.test = &testcase{
			class: short(attribute(t, "classname", "class"), maxName), name: short(attribute(t, "name"), maxName),
			took: seconds(attribute(t, "time", "duration")), status: statusOf(attribute(t, "status", "result")),
		}
	case "failure", "error", "skipped", "ignored", "rerunfailure", "rerunerror", "flakyfailure", "flakyerror":
		p.say(name, strings.TrimSpace(attribute(t, "message")+" "+attribute(t, "type")))
	}
}

// say notes what befell the test that is open, or the suite where none is.
func (p *parser) say(what, message string) {
	bad := what != "skipped" && what != "ignored"
	if p.test == nil {
		if s := len(p.suites) - 1; s >= 0 && bad {
			p.suites[s].direct = append(p.suites[s].direct, short(message, maxMessage))
		}
		return
	}
	switch {
	case strings.HasPrefix(what, "flaky"), strings.HasPrefix(what, "rerun"):
		p.test.tries = min(p.test.tries+1, 64)
	case bad:
		p.test.status = observe.Failed
	case p.test.status != observe.Failed:
		p.test.status = observe.Skipped
	}
	p.test.message = short(strings.TrimSpace(p.test.message+"\n"+message), maxMessage)
}

// text takes what stands within an element: of a failure, its details.
func (p *parser) text(path []string, s string) {
	if p.test == nil || len(path) == 0 {
		return
	}
	switch path[len(path)-1] {
	case "failure", "error", "skipped", "rerunfailure", "rerunerror", "flakyfailure", "flakyerror":
		if s = strings.TrimSpace(s); s != "" {
			p.test.message = short(strings.TrimSpace(p.test.message+"\n"+short(s, maxMessage)), maxMessage)
		}
	}
}

func (p *parser) end(name string) {
	switch name {
	case "testsuite", "testsuites":
		p.endSuite()
	case "testcase", "test":
		if p.test == nil {
			return
		}
		t, s := p.test, &p.suites[len(p.suites)-1]
		p.test = nil
		unit := t.class
		if unit == "" {
			unit = s.name
		}
		for range t.tries {
			p.add(unit, observe.Outcome{Name: t.name, Status: observe.Failed, Message: t.message})
		}
		p.add(unit, observe.Outcome{Name: t.name, Status: t.status, Message: t.message, Duration: t.took})
		if t.status == observe.Failed {
			s.bad++
		}
	}
}

// endSuite closes a suite. What failed in it and in no test of it is a failed test of its own.
func (p *parser) endSuite() {
	n := len(p.suites) - 1
	s := p.suites[n]
	p.suites = p.suites[:n]
	for _, message := range s.direct {
		p.add(s.name, observe.Outcome{Name: "(suite)", Status: observe.Failed, Message: message})
		s.bad++
	}
	if s.says > s.bad {
		p.add(s.name, observe.Outcome{Name: "(suite)", Status: observe.Failed,
			Message: fmt.Sprintf("the suite says that %d of its tests failed, and shows %d", s.says, s.bad)})
		s.bad = s.says
	}
	if n > 0 {
		p.suites[n-1].bad += s.bad
	}
}

func (p *parser) add(unit string, o observe.Outcome) {
	if unit == "" {
		unit = "(suite)"
	}
	i, ok := p.units[unit]
	if !ok {
		i = len(p.out)
		p.units[unit] = i
		p.out = append(p.out, observe.UnitReport{ID: unit})
	}
	p.out[i].Tests = append(p.out[i].Tests, o)
	p.count++
}

// statusOf reads the attribute by which some dialects say how a test ended.
func statusOf(s string) observe.Status {
	switch strings.ToLower(s) {
	case "fail", "failed", "failure", "error", "errored", "broken", "timeout":
		return observe.Failed
	case "skip", "skipped", "notrun", "disabled", "ignored", "pending", "suppressed", "todo", "xfail":
		return observe.Skipped
	}
	return observe.Passed
}

func seconds(s string) time.Duration {
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	if err != nil || math.IsNaN(f) || f < 0 || f > 86400 {
		return 0
	}
	return time.Duration(f * float64(time.Second))
}

// short keeps the beginning of a text.
func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

var (
	declared  = regexp.MustCompile(`^<\?xml[^>]{0,200}\bencoding=["']([A-Za-z0-9._-]{1,40})["']`)
	reference = regexp.MustCompile(`&#(x[0-9A-Fa-f]{1,8}|[0-9]{1,10});`)
)

// decodable makes text that an XML reader takes: in UTF-8, and without the characters that XML forbids and tools write all
// the same.
func decodable(data []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return nil, errors.New("it is UTF-16, which Lane does not read")
	}
	data = bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	if m := declared.FindSubmatch(data); m != nil {
		switch name := strings.ToLower(string(m[1])); name {
		case "utf-8", "utf8", "us-ascii", "ascii":
		case "iso-8859-1", "latin1", "windows-1252", "iso-8859-15":
			data = []byte(string(latin(data)))
		default:
			return nil, fmt.Errorf("it is in %s, which Lane does not read", name)
		}
	}
	data = bytes.Map(func(r rune) rune {
		if !allowed(r) {
			return utf8.RuneError
		}
		return r
	}, bytes.ToValidUTF8(data, []byte("\uFFFD")))
	return reference.ReplaceAllFunc(data, func(ref []byte) []byte {
		digits, base := string(ref[2:len(ref)-1]), 10
		if digits[0] == 'x' {
			digits, base = digits[1:], 16
		}
		if n, err := strconv.ParseUint(digits, base, 32); err != nil || n > utf8.MaxRune || !allowed(rune(n)) {
			return []byte("\uFFFD")
		}
		return ref
	}), nil
}

func latin(data []byte) []rune {
	out := make([]rune, len(data))
	for i, b := range data {
		out[i] = rune(b)
	}
	return out
}

// allowed reports whether XML 1.0 takes a character.
func allowed(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF
}
