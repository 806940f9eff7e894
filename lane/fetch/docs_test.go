package fetch

import (
	"os"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/egress"
)

// docs/fetch.md has a row for each cache, with the variables that matter, and every reason.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile("../../docs/fetch.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, c := range Caches() {
		_, row, found := strings.Cut(page, "\n| `"+c.At()+"` |")
		row, _, _ = strings.Cut(row, "\n")
		if !found {
			t.Errorf("there is no row for %s", c.At())
		}
		for _, kv := range c.Both {
			if name, _, _ := strings.Cut(kv, "="); !strings.Contains(row, "`"+name+"`") {
				t.Errorf("the row of %s lacks %s", c.Name, name)
			}
		}
		for _, kv := range c.Test {
			if !strings.Contains(row, "`"+kv+"`") {
				t.Errorf("the row of %s lacks %s", c.Name, kv)
			}
		}
	}
	for _, r := range []egress.Reason{egress.BadRequest, egress.PlainHTTP, egress.BadHost, egress.NotAllowed, egress.BadAddress, egress.NameDiffers, egress.NoTLS, egress.Unresolved,
		egress.Unreachable, egress.TooManyConnections, egress.TooManyBytes, egress.Idle, egress.Stopped} {
		if !strings.Contains(page, "`"+string(r)+"`") {
			t.Errorf("the page lacks the reason %s", r)
		}
	}
}
