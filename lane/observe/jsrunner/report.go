package jsrunner

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/vallane/lane/lane/observe"
)

// whole is the name of the test that a file as a whole is, as package nodetest joins it.
const whole = "(file)"

// report is what the scripts write.
type report struct {
	Files []struct {
		File  string  `json:"file"`
		Error *string `json:"error"` // why none of its tests ran
		Tests []struct {
			Name    []string       `json:"name"`
			Status  observe.Status `json:"status"`
			MS      float64        `json:"ms"`
			Message string         `json:"message"`
		} `json:"tests"`
	} `json:"files"`
}

// read makes the report of a run. Tests that the selection left out, and that the runner tells as skipped therefore, are not in it.
func read(left observe.Remains, selected []string) (observe.Report, error) {
	data, ok := left.Files[outFile]
	if !ok {
		detail := "the runner ended without a report"
		if why := left.Why[outFile]; why != "" {
			detail += ": " + why
		}
		return observe.Report{Detail: detail}, nil
	}
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		return observe.Report{}, &observe.Unparsed{Reporter: "jsrunner", What: "the report of the runner: " + err.Error(), Advice: "look at what else writes " + outFile}
	}
	asked := make(map[string]bool, len(selected))
	for _, id := range selected {
		asked[id] = true
	}
	var out observe.Report
	for _, f := range r.Files {
		u := observe.UnitReport{ID: f.File}
		for _, t := range f.Tests {
			if t.Status != observe.Passed && t.Status != observe.Skipped && t.Status != observe.Failed {
				return observe.Report{}, &observe.Unparsed{Reporter: "jsrunner", What: fmt.Sprintf("the report of the runner has a test that is %q", t.Status),
					Advice: "look at what else writes " + outFile}
			}
			name := strings.Join(t.Name, separator)
			if t.Status == observe.Skipped && selected != nil && !asked[f.File+separator+name] {
				continue
			}
			u.Tests = append(u.Tests, observe.Outcome{Name: name, Status: t.Status, Message: t.Message, Duration: time.Duration(max(0, min(t.MS, 1e9)) * 1e6)})
		}
		if f.Error != nil {
			u.Tests = append(u.Tests, observe.Outcome{Name: whole, Status: observe.Failed, Message: *f.Error})
		}
		if len(u.Tests) > 0 {
			out.Units = append(out.Units, u)
		}
	}
	if len(out.Units) == 0 {
		out.Detail = "the runner's report holds no test"
	}
	return out, nil
}
