package gotest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

// Listing plans a build of packages in which the compiler lists its code. A command that has flags of its own for the compiler is refused:
// what they do to a listing is not known.
func (Reporter) Listing(r observe.Request, folders []string, files map[string][]byte) (observe.Step, error) {
	r.Canaries, r.Seed, r.FailFast = false, 0, false
	s, err := prepare(r)
	if err != nil {
		return observe.Step{}, err
	}
	defer s.close()
	if s.cmd == nil {
		return observe.Step{}, fmt.Errorf("plan listing: %q is not go test itself", strings.Join(r.Argv, " "))
	}
	if s.own(s.cmd, "gcflags") {
		return observe.Step{}, fmt.Errorf("plan listing: %q has -gcflags of its own", strings.Join(r.Argv, " "))
	}
	laid, err := s.files(nil)
	if err != nil {
		return observe.Step{}, err
	}
	if err := s.replace(laid, files); err != nil {
		return observe.Step{}, err
	}
	return observe.Step{
		Name: "list the code of survivors", Dir: r.Dir, Env: s.env(observe.Variation{NoVet: true}), Files: laid, Argv: s.listingArgv(folders),
	}, nil
}

// listingArgv is the command as go build, with the flags that decide what is built.
func (s *setup) listingArgv(folders []string) []string {
	cmd := s.cmd.clone()
	cmd.words = slices.DeleteFunc(cmd.words, func(w word) bool {
		return w.kind == wordRest || w.kind == wordFlag && !slices.Contains(buildFlags, w.name)
	})
	for _, flag := range []string{"vet", "cover", "covermode", "coverpkg"} {
		cmd.drop(flag)
	}
	cmd.set("o", "/dev/null")
	cmd.set("gcflags", "-S")
	var packages []string
	for _, dir := range folders {
		packages = append(packages, s.packageArg(dir))
	}
	cmd.setPackages(packages)
	argv := cmd.argv()
	argv[1] = "build"
	return argv
}

var _ observe.Lister = Reporter{}
