package junit

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

// Reporter reads the report that the command writes at Path.
type Reporter struct {
	Path string // with slashes, relative to the folder that the task starts in
}

// Name is "junit".
func (Reporter) Name() string { return "junit" }

// Class is Forgeable.
func (Reporter) Class() observe.Class { return observe.Forgeable }

// Claims is never true: where a report lies has to be said.
func (Reporter) Claims([]string) bool { return false }

// Instrument plans one run: the command as it is, with no report where it will write one. It ends when it ends, also where
// it may stop at the first failure.
func (r Reporter) Instrument(q observe.Request) (observe.Plan, error) {
	if q.Select != nil {
		return observe.Plan{}, fmt.Errorf("plan %s: what writes the report is not known, so that no test of it can be selected", strings.Join(q.Argv, " "))
	}
	box := q.TreeBox
	if box == "" {
		box = "/tree"
	}
	rel := path.Join(q.Dir, r.Path)
	if rel == "." || rel == ".." || strings.HasPrefix(rel, "../") || path.IsAbs(r.Path) {
		return observe.Plan{}, fmt.Errorf("plan report: %s does not lie in the tree", r.Path)
	}
	at := path.Join(box, rel)
	p := observe.Plan{
		Argv: q.Argv, Class: observe.Forgeable, Collect: []string{at},
		Read: func(left observe.Remains) (observe.Report, error) { return read(r.Path, at, left) },
	}
	stale, err := exists(q.TreeHost, rel)
	if err != nil {
		return observe.Plan{}, err
	}
	if stale {
		p.Absent = []string{rel}
		p.Notes = append(p.Notes, r.Path+" lies in the tree already; it is taken away before each run, so that only what the command writes counts")
	}
	p.SetNaming(Join, func(string) string { return "" })
	return p, nil
}

func exists(tree, rel string) (bool, error) {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return false, fmt.Errorf("read tree: %w", err)
	}
	defer root.Close()
	_, err = root.Lstat(filepath.FromSlash(rel))
	return err == nil, nil
}

func read(name, at string, left observe.Remains) (observe.Report, error) {
	data, ok := left.Files[at]
	if !ok {
		detail := "the command wrote no report " + name
		if why := left.Why[at]; why != "" {
			detail += ": " + why
		}
		return observe.Report{Detail: detail}, nil
	}
	units, err := parse(data)
	if err != nil {
		return observe.Report{}, &observe.Unparsed{Reporter: "junit", What: "the report " + name + ": " + err.Error(),
			Advice: "make the command write a JUnit report there, whole and in UTF-8, or name another reporter"}
	}
	if len(units) == 0 {
		return observe.Report{Detail: "the report " + name + " holds no test"}, nil
	}
	return observe.Report{Units: units}, nil
}

// Join makes the id of a test.
func Join(unit, test string) string { return unit + "." + test }

// Match reports whether a pattern names the test with this id: the id; the test's name, with as much of the class name
// before it as the person cared to write; or the place of the test in its file as its own tool writes it, such as
// "tests/test_cart.py::test_total".
func (Reporter) Match(pattern, id string) bool {
	pattern = strings.TrimSpace(pattern)
	if pattern == "" {
		return false
	}
	if pattern == id || endsAt(id, pattern) {
		return true
	}
	if !strings.Contains(pattern, "::") {
		return false
	}
	file, rest, _ := strings.Cut(pattern, "::")
	file = strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(file, "./"), ".py"), "/", ".")
	pattern = file + "." + strings.ReplaceAll(rest, "::", ".")
	return pattern == id || endsAt(id, pattern)
}

func endsAt(id, end string) bool {
	rest, ok := strings.CutSuffix(id, end)
	return ok && (strings.HasSuffix(rest, ".") || strings.HasSuffix(rest, "/"))
}

var _ observe.Reporter = Reporter{}
