package contract_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/lane/contract"
	"github.com/vallane/lane/lane/spec"
)

// Every key of a service shows in the terms.
func TestEveryKeyOfAServiceIsATerm(t *testing.T) {
	const plain = "id = \"x\"\n[[task]]\nname = \"unit\"\nrun = [\"a\"]\n[[task]]\nname = \"other\"\nrun = [\"a\"]\n[[service]]\nname = \"a\"\nup = [\"a\"]\nport = 2000\n"
	parse := func(text string) any {
		s, err := spec.Parse("lane.toml", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return contract.Terms(s)
	}
	for _, text := range []string{
		plain[:strings.Index(plain, "[[service]]")], plain + `prepare = ["b"]`, plain + `health = ["b"]`, plain + `tasks = ["unit"]`, plain + `timeout = "2m"`,
		strings.Replace(plain, `name = "a"`, `name = "b"`, 1), strings.Replace(plain, `up = ["a"]`, `up = ["b"]`, 1), strings.Replace(plain, "port = 2000", "port = 2001", 1),
	} {
		if cmp.Equal(parse(plain), parse(text)) {
			t.Errorf("the terms do not show this:\n%s", text)
		}
	}
}

// Every key of a target shows in the terms. That it is no production is no term: no spec may say anything else.
func TestEveryKeyOfATargetIsATerm(t *testing.T) {
	const plain = "id = \"x\"\n[[task]]\nname = \"unit\"\nrun = [\"a\"]\n[[task]]\nname = \"other\"\nrun = [\"a\"]\n" +
		"[target]\nproduction = false\nup = [\"a\"]\nport = 1\ncheck = [\"a\"]\n"
	parse := func(text string) any {
		s, err := spec.Parse("lane.toml", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return contract.Terms(s)
	}
	for _, text := range []string{
		plain[:strings.Index(plain, "[target]")], plain + `name = "b-{label}"`, plain + `task = "other"`, plain + `build = ["b"]`, plain + `health = "/b"`,
		plain + `down = ["b"]`, plain + `timeout = "2m"`, strings.Replace(plain, `up = ["a"]`, `up = ["b"]`, 1),
		strings.Replace(plain, "port = 1", "port = 2", 1), strings.Replace(plain, `check = ["a"]`, `check = ["b"]`, 1),
		strings.Replace(plain, `name = "other"`, "name = \"other\"\nkind = \"api\"", 1),
	} {
		if cmp.Equal(parse(plain), parse(text)) {
			t.Errorf("the terms do not show this:\n%s", text)
		}
	}
}
