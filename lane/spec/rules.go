package spec

import (
	"fmt"
	"strings"

	"github.com/vallane/lane/lane/spec/position"
)

// rules holds what several keys have to agree on.
func (c *checker) rules(s *Spec) {
	c.sourceRules(s)
	c.criterionRules(s)
	c.taskRules(s)
	c.serviceRules(s)
	c.targetRules(s)
	c.testRules(s)
	c.hiddenRules(s)
	c.deployRules(s)
	c.downstreamRules(s)
	if s.Mutation.Budget > s.Limits.Deadline && c.given["mutation.budget"] && s.Limits.Deadline > 0 {
		c.at("mutation.budget", fmt.Sprintf("\"budget\" is longer than the deadline of %s", formatDuration(s.Limits.Deadline)), "raise limits.deadline")
	}
	if s.Mutation.Scope == ScopeCriteria && !hasCode(s) {
		c.at("mutation.scope", `"scope" is "criteria", and no criterion names its code`, `add code to a [[criterion]], or write scope = "diff"`)
	}
}

func (c *checker) at(path position.Path, msg, hint string) {
	c.report(nearest(c.index, path), msg, hint)
}

func hasCode(s *Spec) bool {
	for _, criterion := range s.Criteria {
		if len(criterion.Code) > 0 {
			return true
		}
	}
	return false
}

func (c *checker) sourceRules(s *Spec) {
	if !c.given["source.patch"] {
		return
	}
	if c.given["source.head"] {
		c.at("source.patch", `"patch" and "head" exclude each other: a patch is applied onto base`, "take one of them out")
	}
	if s.Change == ChangeTree {
		c.at("source.patch", `change = "tree" verifies what is there, and a patch is a change`, "take the patch out, or say what kind of change it is")
	}
}

func (c *checker) criterionRules(s *Spec) {
	ids := map[string]position.Path{}
	for i, criterion := range s.Criteria {
		path := position.Path("criterion").At(i)
		c.unique(ids, path.Key("id"), criterion.ID, "criterion")
		named := c.given[path.Key("tests")] && len(criterion.Tests) > 0 || c.given[path.Key("removes")] && len(criterion.Removes) > 0
		broken := c.meant[path.Key("tests")] || c.given[path.Key("tests")] && c.values[path.Key("tests")] == nil
		switch {
		case criterion.Kind == KindTest && !named && !broken && !c.partial:
			c.at(path, `a criterion of kind "test" names no test: nothing can show that it is met`,
				`add tests = ["..."], or write kind = "manual" if only a person can tell`)
		case criterion.Kind == KindManual && len(criterion.Tests) > 0:
			c.at(path.Key("tests"), `a criterion of kind "manual" is never met by tests`, `write kind = "test", or take the tests out`)
		case criterion.Kind == KindBlackBox && len(criterion.Tests) > 0:
			c.at(path.Key("tests"), `a criterion of kind "black-box" is met by hidden tests`, `name them in the archive, or write kind = "test"`)
		case criterion.Kind == KindTarget:
			c.targetCriterion(s, path, criterion)
		}
	}
}

func (c *checker) taskRules(s *Spec) {
	names := map[string]position.Path{}
	for i, task := range s.Tasks {
		path := position.Path("task").At(i)
		c.unique(names, path.Key("name"), task.Name, "task")
		if task.Timeout > s.Limits.Deadline && c.given[path.Key("timeout")] && s.Limits.Deadline > 0 {
			c.at(path.Key("timeout"), fmt.Sprintf("\"timeout\" is longer than the deadline of %s", formatDuration(s.Limits.Deadline)), "raise limits.deadline")
		}
		if task.OnTarget() && s.Target == nil && !c.partial {
			c.at(path.Key("kind"), fmt.Sprintf("a task of kind %s tests a running target, and the spec has none", quote(task.Kind)), "say in [target] how it is put up")
		}
	}
	if len(s.Tasks) > 0 && len(s.treeTasks()) == 0 && !c.partial {
		c.at("task[0].kind", "no task tests the tree: tests of a running target show no change by themselves", `add a [[task]] of kind "test"`)
	}
}

// unique reports an id that differs from an earlier one in nothing or in case
// only: on some file systems the two are one name.
func (c *checker) unique(seen map[string]position.Path, path position.Path, id, what string) {
	if id == "" {
		return
	}
	folded := strings.ToLower(id)
	first, known := seen[folded]
	if !known {
		seen[folded] = path
		return
	}
	msg := fmt.Sprintf("the %s %s is already defined in line %d", what, quote(id), nearest(c.index, first).Line)
	if c.values[first] != id {
		msg += fmt.Sprintf(" as %s: ids differ by more than case", quote(c.values[first].(string)))
	}
	c.at(path, msg, "")
}

// testRules refuses a test that is to pass and may go at once.
func (c *checker) testRules(s *Spec) {
	required := map[string]bool{}
	for _, name := range s.RequiredNames() {
		required[name] = true
	}
	clash := func(path position.Path, names []string) {
		for i, name := range names {
			if required[name] {
				c.at(path.At(i), fmt.Sprintf("the test %s is required and may be removed at once", quote(name)), "take it out of one of the two")
			}
		}
	}
	clash("tests.removes", s.Tests.Removes)
	for i, criterion := range s.Criteria {
		clash(position.Path("criterion").At(i).Key("removes"), criterion.Removes)
	}
}
