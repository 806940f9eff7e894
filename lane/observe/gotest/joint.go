package gotest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

const (
	jointFile   = "/lane/go/joint" // what the patched package testing reads
	jointReport = "lane-joint"     // in the build cache's folder
	jointBefore = "-before"        // what a record's name gets
)

// program names the program that holds a test; "" = none does.
func (s *setup) program(units []*unit, id string) string {
	name, _, ok := s.split(id)
	for _, u := range units {
		if ok && u.id == name {
			return name
		}
	}
	return ""
}

// joint plans a process that runs tests again and again. Where the command says which parts of tests are to run, there is none.
func (s *setup) joint(units []*unit, env []string, o observe.JointOrder) (observe.JointPlan, error) {
	if own, _ := s.cmd.flag("run"); strings.Contains(own, "/") {
		return observe.JointPlan{}, errors.New("the command runs parts of tests")
	}
	tests := o.Tests
	for _, e := range o.Entries {
		tests = append(tests, e.Tests...)
	}
	if len(tests) == 0 {
		return observe.JointPlan{}, errors.New("no test is asked")
	}
	plans, err := s.switchRuns(units, env, o.Value+"s", tests, false)
	if err != nil {
		return observe.JointPlan{}, err
	}
	if len(plans) != 1 {
		return observe.JointPlan{}, fmt.Errorf("the tests are those of %d programs", len(plans))
	}
	p := observe.JointPlan{Plan: plans[0], Report: s.req.Cache + "/" + jointReport, Before: map[string]string{}}
	p.Results = readJoint
	p.Files[jointFile] = s.jointText(o, p.Report)
	p.Collect = []string{p.Report}
	for _, name := range o.Records {
		p.Before[name] = name + jointBefore
		p.Collect = append(p.Collect, name+jointBefore)
	}
	return p, nil
}

// jointText is the order as package testing reads it: tabs between words, and a line for each entry.
func (s *setup) jointText(o observe.JointOrder, report string) []byte {
	names := func(ids []string) (out []string) {
		for _, id := range ids {
			_, test, _ := s.split(id)
			out = append(out, Top(test))
		}
		return out
	}
	lines := []string{strings.Join([]string{o.Page, report, strconv.FormatInt(int64(o.Test), 10)}, "\t")}
	if o.Entries == nil {
		lines = append(lines, strings.Join(append([]string{"twice"}, o.Records...), "\t"))
		lines = append(lines, names(o.Tests)...)
	} else {
		lines = append(lines, "try")
	}
	for _, e := range o.Entries {
		lines = append(lines, strings.Join(append(e.Values[:], names(e.Tests)...), "\t"))
	}
	return []byte(strings.Join(lines, "\n"))
}

// jointStatuses are how a run of a test ended, by what package testing writes.
var jointStatuses = [...]observe.Status{1: observe.Passed, 2: observe.Failed, 3: observe.Skipped}

// readJoint reads a report: eight bytes for each entry, as the patched package testing describes them. What it did not write says that nothing
// was begun.
func readJoint(report []byte, n int) []observe.JointResult {
	const size, running, panicked, ended = 8, 1, 2, 3
	out := make([]observe.JointResult, n)
	for i := range min(n, len(report)/size) {
		b := report[size*i:]
		r := &out[i]
		r.Begun, r.Ended, r.Panicked = b[0] >= running && b[0] <= ended, b[0] == ended, b[0] == panicked
		r.Test = int(b[2]) | int(b[3])<<8
		for k := range r.Statuses {
			if s := int(b[4+k]); s < len(jointStatuses) {
				r.Statuses[k] = jointStatuses[s]
			}
		}
	}
	return out
}
