package docs

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/vallane/lane/lane/spec"
)

// walk calls f for each file of the repository whose name has the suffix, but
// for those below testdata, examples and folders whose names begin with a dot.
func walk(t *testing.T, suffix string, f func(file string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && (name == "testdata" || name == "examples" || name == "bin" || len(name) > 2 && name[0] == '.') {
			return filepath.SkipDir
		}
		if entry.Type().IsRegular() && strings.HasSuffix(name, suffix) {
			f(file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func readText(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestLinksLeadSomewhere(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	seen := 0
	walk(t, ".md", func(file string) {
		for _, match := range links.FindAllStringSubmatch(readText(t, file), -1) {
			link := match[1]
			if strings.Contains(link, "://") {
				continue
			}
			seen++
			path, anchor, _ := strings.Cut(link, "#")
			target := file
			if path != "" {
				target = filepath.Join(filepath.Dir(file), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", file, link, err)
				continue
			}
			if anchor != "" && !slices.Contains(anchors(readText(t, target)), anchor) {
				t.Errorf("%s links to %s: no such heading", file, link)
			}
		}
	})
	if seen == 0 {
		t.Error("no link was looked at")
	}
}

// anchors returns the names by which a page's headings are linked to.
func anchors(page string) []string {
	var all []string
	for line := range strings.Lines(page) {
		heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !ok || !strings.HasPrefix(line, "#") {
			continue
		}
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', r >= 'a' && r <= 'z', r >= '0' && r <= '9':
				return r
			}
			return -1
		}, strings.ToLower(strings.TrimSpace(heading))))
	}
	return all
}

func TestEveryDependencyIsArgued(t *testing.T) {
	mod, err := modfile.Parse("go.mod", []byte(readText(t, "../go.mod")), nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := modfile.Parse("go.mod", []byte(readText(t, "../.ci/tools/go.mod")), nil)
	if err != nil {
		t.Fatal(err)
	}
	var required []string
	for _, r := range slices.Concat(mod.Require, tools.Require) {
		required = append(required, r.Mod.Path)
	}

	// Used is what our own code imports, whatever go.mod calls it.
	used := make(map[string]string)
	for _, tool := range tools.Tool {
		used[moduleOf(tool.Path, required)] = "the tools"
	}
	walk(t, ".go", func(file string) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if module := moduleOf(path, required); module != "" {
				used[module] = file
			}
		}
	})

	page := readText(t, "dependencies.md")
	argued := make(map[string]bool)
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z0-9.-]+\.[a-z]+/\S+) \|`).FindAllStringSubmatch(page, -1) {
		argued[row[1]] = true
	}
	for _, module := range slices.Sorted(maps.Keys(used)) {
		if !argued[module] {
			t.Errorf("%s is imported by %s and not argued in docs/dependencies.md", module, used[module])
		}
	}
	for _, module := range slices.Sorted(maps.Keys(argued)) {
		if !slices.Contains(required, module) {
			t.Errorf("docs/dependencies.md argues for %s, which go.mod does not require", module)
		}
	}
}

// moduleOf returns the required module that holds the package, or "".
func moduleOf(path string, required []string) string {
	best := ""
	for _, module := range required {
		if (path == module || strings.HasPrefix(path, module+"/")) && len(module) > len(best) {
			best = module
		}
	}
	return best
}

// A whole spec begins with its id; other blocks show a part of one.
func TestShownSpecsAreValid(t *testing.T) {
	block := regexp.MustCompile("(?ms)^ *```toml\n( *id = .*?)^ *```")
	seen := 0
	walk(t, ".md", func(file string) {
		for _, match := range block.FindAllStringSubmatch(readText(t, file), -1) {
			seen++
			if _, err := spec.Parse(file, []byte(match[1])); err != nil {
				t.Errorf("%s shows a spec that Lane refuses: %v\n%s", file, err, match[1])
			}
		}
	})
	if seen == 0 {
		t.Error("no spec was looked at")
	}
}
