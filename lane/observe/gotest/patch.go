package gotest

import (
	"cmp"
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

var (
	//go:embed overlay/lane_report.go.txt
	reportSource []byte
	//go:embed overlay/lane_report_linux.go.txt
	reportLinuxSource []byte
	//go:embed overlay/lane_report_wasip1.go.txt
	reportWASISource []byte
	//go:embed overlay/lane_report_other.go.txt
	reportOtherSource []byte
	//go:embed overlay/lane_joint_linux.go.txt
	jointLinuxSource []byte
	//go:embed overlay/lane_joint_other.go.txt
	jointOtherSource []byte
)

// hookedFiles are the files of package testing that get hooks.
var hookedFiles = []string{"testing.go", "fuzz.go", "example.go", "run_example.go"}

// patchTesting returns the files to lay over those of package testing, by name. read returns one of the package's own files.
func patchTesting(version string, read func(name string) ([]byte, error)) (map[string][]byte, error) {
	files := map[string][]byte{
		"lane_report.go":        reportSource,
		"lane_report_linux.go":  reportLinuxSource,
		"lane_report_wasip1.go": reportWASISource,
		"lane_report_other.go":  reportOtherSource,
		"lane_joint_linux.go":   jointLinuxSource,
		"lane_joint_other.go":   jointOtherSource,
	}
	for _, name := range hookedFiles {
		src, err := read(name)
		if err != nil {
			return nil, unparsed(version, "cannot read testing/%s: %v", name, err)
		}
		patched, err := patchFile(version, name, src)
		if err != nil {
			return nil, err
		}
		files[name] = patched
	}
	return files, nil
}

func unparsed(version, format string, args ...any) error {
	return &observe.Unparsed{
		Reporter: "go",
		What:     fmt.Sprintf(format, args...) + " (" + version + ")",
		Advice:   "use a closure with a release of Go from 1.21 to 1.26, or a newer Lane",
	}
}

func patchFile(version, name string, src []byte) ([]byte, error) {
	p := &patcher{fset: token.NewFileSet(), src: src}
	var err error
	p.file, err = parser.ParseFile(p.fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, unparsed(version, "cannot parse testing/%s: %v", name, err)
	}
	switch name {
	case "testing.go":
		p.testing()
	case "fuzz.go":
		p.runner("fRunner", "f")
	case "example.go":
		p.exampleResult()
	case "run_example.go":
		p.exampleStart()
	}
	if len(p.missing) > 0 {
		return nil, unparsed(version, "cannot find in testing/%s: %s", name, strings.Join(p.missing, "; "))
	}
	out := p.apply()
	if _, err := parser.ParseFile(token.NewFileSet(), name, out, parser.SkipObjectResolution); err != nil {
		return nil, unparsed(version, "hooks do not fit testing/%s: %v", name, err)
	}
	return out, nil
}

// A patcher collects texts to insert into one file. No text holds a newline, so that every line keeps its number.
type patcher struct {
	fset    *token.FileSet
	file    *ast.File
	src     []byte
	edits   []edit
	missing []string
}

type edit struct {
	at, end int // src[at:end] is replaced
	text    string
}

func (p *patcher) miss(what string) { p.missing = append(p.missing, what) }

func (p *patcher) offset(pos token.Pos) int { return p.fset.Position(pos).Offset }

func (p *patcher) insert(pos token.Pos, text string) {
	at := p.offset(pos)
	p.edits = append(p.edits, edit{at, at, text})
}

// first puts a statement at the beginning of a block.
func (p *patcher) first(b *ast.BlockStmt, stmt string) { p.insert(b.Lbrace+1, " "+stmt+"; ") }

// after puts a statement behind another one.
func (p *patcher) after(s ast.Node, stmt string) { p.insert(s.End(), "; "+stmt) }

func (p *patcher) apply() []byte {
	slices.SortStableFunc(p.edits, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	last := 0
	for _, e := range p.edits {
		out = append(out, p.src[last:e.at]...)
		out = append(out, e.text...)
		last = e.end
	}
	return append(out, p.src[last:]...)
}

// fn finds a function, or a method of the type recv.
func (p *patcher) fn(recv, name string) *ast.FuncDecl {
	for _, d := range p.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != name || f.Body == nil {
			continue
		}
		if recv == "" && f.Recv == nil || recv != "" && f.Recv != nil && receiverOf(f) == recv {
			return f
		}
	}
	if recv != "" {
		name = recv + "." + name
	}
	p.miss("func " + name)
	return nil
}

func receiverOf(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	id, _ := t.(*ast.Ident)
	if id == nil {
		return ""
	}
	return id.Name
}

// find returns the only node below root that ok accepts.
func find[N ast.Node](p *patcher, root ast.Node, what string, ok func(N) bool) (found N, only bool) {
	n := 0
	ast.Inspect(root, func(x ast.Node) bool {
		if node, is := x.(N); is && ok(node) {
			found = node
			n++
		}
		return true
	})
	if n != 1 {
		p.miss(fmt.Sprintf("%s (%d times)", what, n))
	}
	return found, n == 1
}

func (p *patcher) text(n ast.Node) string {
	return string(p.src[p.offset(n.Pos()):p.offset(n.End())])
}

// testing hooks testing.go.
func (p *patcher) testing() {
	p.commonField()
	p.runner("tRunner", "t")
	p.failure()
	for _, name := range []string{"Log", "Logf", "Error", "Errorf", "Fatal", "Fatalf", "Skip", "Skipf"} {
		p.message(name)
	}
	if run := p.fn("M", "Run"); run != nil {
		p.edits = append(p.edits, edit{p.offset(run.Name.Pos()), p.offset(run.Name.End()), "laneRun"})
	}
	if alarm := p.fn("M", "startAlarm"); alarm != nil {
		if lit, ok := find(p, alarm.Body, "alarm in M.startAlarm", func(f *ast.FuncLit) bool {
			return strings.Contains(p.text(f), "test timed out after")
		}); ok {
			p.first(lit.Body, "laneTimeout(*timeout)")
		}
	}
}

func (p *patcher) commonField() {
	for _, d := range p.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			t, ok := s.(*ast.TypeSpec)
			if !ok || t.Name.Name != "common" {
				continue
			}
			if st, ok := t.Type.(*ast.StructType); ok {
				p.insert(st.Fields.Opening+1, " lane laneTest; ")
				return
			}
		}
	}
	p.miss("type common struct")
}

// runner hooks tRunner and fRunner, whose test is the variable v.
func (p *patcher) runner(name, v string) {
	f := p.fn("", name)
	if f == nil {
		return
	}
	p.first(f.Body, "laneStart(&"+v+".common)")
	if report, ok := find(p, f.Body, v+".report() in "+name, func(s *ast.ExprStmt) bool { return p.text(s) == v+".report()" }); ok {
		p.after(report, "laneFinish(&"+v+".common)")
	}
	assign, ok := find(p, f.Body, "doPanic in "+name, func(s *ast.AssignStmt) bool {
		return len(s.Lhs) == 1 && p.text(s.Lhs[0]) == "doPanic"
	})
	if !ok {
		return
	}
	lit, _ := assign.Rhs[0].(*ast.FuncLit)
	if lit == nil || len(lit.Type.Params.List) != 1 || len(lit.Type.Params.List[0].Names) != 1 {
		p.miss("func doPanic(err any) in " + name)
		return
	}
	p.first(lit.Body, "lanePanic(&"+v+".common, "+lit.Type.Params.List[0].Names[0].Name+")")
}

func (p *patcher) failure() {
	f := p.fn("common", "Fail")
	if f == nil {
		return
	}
	if s, ok := find(p, f.Body, "c.failed = true in common.Fail", func(s *ast.AssignStmt) bool { return p.text(s) == "c.failed = true" }); ok {
		p.after(s, "laneFail(c)")
	}
}

// message hooks a method of common that says something: c.log(s) becomes c.log(laneLog(c, s)).
func (p *patcher) message(name string) {
	f := p.fn("common", name)
	if f == nil {
		return
	}
	call, ok := find(p, f.Body, "c.log in common."+name, func(c *ast.CallExpr) bool {
		return p.text(c.Fun) == "c.log" && len(c.Args) == 1
	})
	if !ok {
		return
	}
	p.insert(call.Args[0].Pos(), "laneLog(c, ")
	p.insert(call.Args[0].End(), ")")
}

// exampleResult hooks the place where an example is judged.
func (p *patcher) exampleResult() {
	f := p.fn("InternalExample", "processRunResult")
	if f == nil {
		return
	}
	var args []string
	for _, field := range f.Type.Params.List {
		for _, n := range field.Names {
			args = append(args, n.Name)
		}
	}
	if len(args) != 4 {
		p.miss("the four arguments of InternalExample.processRunResult")
		return
	}
	spent, recovered := args[1], args[3]
	verdict, ok := find(p, f.Body, "passed = false in InternalExample.processRunResult", func(s *ast.IfStmt) bool {
		return slices.ContainsFunc(s.Body.List, func(s ast.Stmt) bool { return p.text(s) == "passed = false" })
	})
	if !ok {
		return
	}
	if !strings.Contains(p.text(verdict.Cond), "fail ") {
		p.miss("the text fail in InternalExample.processRunResult")
		return
	}
	p.first(verdict.Body, "laneExampleFinish(false, "+spent+", fail, "+recovered+")")
	p.after(verdict, "if passed { laneExampleFinish(true, "+spent+", \"\", nil) }")
}

func (p *patcher) exampleStart() {
	f := p.fn("", "runExample")
	if f == nil {
		return
	}
	if l := f.Type.Params.List; len(l) != 1 || len(l[0].Names) != 1 {
		p.miss("the argument of runExample")
		return
	}
	p.first(f.Body, "laneExampleStart("+f.Type.Params.List[0].Names[0].Name+".Name)")
}
