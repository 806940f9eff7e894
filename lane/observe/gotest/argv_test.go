package gotest

import (
	"slices"
	"strings"
	"testing"
)

func TestParseCommand(t *testing.T) {
	tests := []struct {
		line     string
		packages string // "-" where the line is not go test
		flags    string // name=value of all flags
	}{
		{"go test", ".", ""},
		{"/nix/store/x-go/bin/go test ./...", "./...", ""},
		{"go build ./...", "-", ""},
		{"gotest ./...", "-", ""},
		{"go", "-", ""},
		{"sh -c test", "-", ""},
		{"go test -v -run TestX ./a ./b", "./a ./b", "v=true run=TestX"},
		{"go test ./a ./b -run=TestX -v", "./a ./b", "run=TestX v=true"},
		{"go test --count=2 -test.short .", ".", "count=2 short=true"},
		{"go test -C sub -race -tags a,b", ".", "C=sub race=true tags=a,b"},
		{"go test ./a -- -run x", "./a", ""},
		{"go test ./a -args -run x ./b", "./a", ""},
		{"go test ./a -run x positional ./b", "./a", "run=x"},
		{"go test -custom value ./a", ".", "custom= ="},
		{"go test ./a -custom value -v", "./a", "custom= = v=true"},
		{"go test -v=false -race=0 .", ".", "v=false race=0"},
		{"go test -run", ".", "run="},
	}
	for _, tt := range tests {
		argv := strings.Fields(tt.line)
		c, ok := parseCommand(argv)
		if !ok {
			if tt.packages != "-" {
				t.Errorf("%s: not taken for go test", tt.line)
			}
			continue
		}
		if got := strings.Join(c.packages(), " "); got != tt.packages {
			t.Errorf("%s: packages %q, want %q", tt.line, got, tt.packages)
		}
		var flags []string
		for _, w := range c.words {
			if w.kind == wordFlag {
				flags = append(flags, w.name+"="+w.value)
			}
		}
		if got := strings.Join(flags, " "); got != tt.flags {
			t.Errorf("%s: flags %q, want %q", tt.line, got, tt.flags)
		}
		if got := c.argv(); !slices.Equal(got, argv) {
			t.Errorf("%s: put together again: %q", tt.line, got)
		}
	}
}

func TestRewriteCommand(t *testing.T) {
	tests := []struct{ line, want string }{
		{"go test", "go test -run=X ./p"},
		{"go test -C sub ./a -v -run=Y", "go test -C sub -v -run=X ./p"},
		{"go test -run Y ./a ./b -args -run Z", "go test -run=X ./p -args -run Z"},
		{"go test -v -custom value", "go test -v -run=X ./p -custom value"},
		{"go test ./a -custom value", "go test -run=X ./p -custom value"},
		{"go test ./a -run Y positional", "go test -run=X ./p -args positional"},
		{"go test ./a -- x", "go test -run=X ./p -- x"},
	}
	for _, tt := range tests {
		c, ok := parseCommand(strings.Fields(tt.line))
		if !ok {
			t.Errorf("%s: not taken for go test", tt.line)
			continue
		}
		c.setPackages([]string{"./p"})
		c.set("run", "X")
		if got := strings.Join(c.argv(), " "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.line, got, tt.want)
		}
	}
}

func TestRelativeTo(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{".", ".", "."}, {".", "a/b", "./a/b"}, {"a", "a", "."}, {"a", "a/b", "./b"}, {"a", ".", ".."}, {"a/b", "a", ".."}, {"a/b", "c", "../../c"}, {"ab", "a", "../a"},
	} {
		if got := relativeTo(tt.from, tt.to); got != tt.want {
			t.Errorf("relativeTo(%s, %s) = %s, want %s", tt.from, tt.to, got, tt.want)
		}
	}
}

func FuzzParseCommand(f *testing.F) {
	f.Add("go\ntest\n-run\nX\n./...\n-args\n--\n-x")
	f.Add("go\ntest\n-\n--\n-=\n--run=\n")
	f.Fuzz(func(t *testing.T, line string) {
		argv := strings.Split(line, "\n")
		c, ok := parseCommand(argv)
		if !ok {
			return
		}
		if got := c.argv(); !slices.Equal(got, argv) {
			t.Errorf("%q became %q", argv, got)
		}
		if w := c.words[len(c.words)-1]; w.kind == wordFlag && len(w.args) == 1 && slices.Contains(valueFlags, w.name) && !strings.Contains(w.args[0], "=") {
			return // the go command refuses a flag that lacks its value
		}
		c.setPackages([]string{"./p"})
		c.set("run", "X")
		if again, ok := parseCommand(c.argv()); !ok || !slices.Equal(again.packages(), []string{"./p"}) {
			t.Errorf("%q: packages of %q are %q", argv, c.argv(), again.packages())
		} else if v, _ := again.flag("run"); v != "X" {
			t.Errorf("%q: -run of %q is %q", argv, c.argv(), v)
		}
	})
}
