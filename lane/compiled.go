package lane

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/mutate/syntax"
)

// compilers are the extensions of languages that are compiled and that Lane has no grammar of. Go proves what compiles itself.
var compilers = strings.Fields(".kt .cc .cpp .hpp .cs .swift .scala .zig .proto")

// blind says of which files a mutant that fails the tests of a task may as well be no program: those of a compiled language, where
// nothing says whether it compiled. Not with a build command, nor where the reporter's own command builds and says so. TypeScript is
// compiled where a project's own command does so: a reporter in the process of the tests hears nothing of one that was not, and vitest takes
// types away without looking at them.
func (j *job) blind(t *task) func(file string) string {
	builds := len(t.spec.Build) > 0 || len(t.seen) > 0 && t.seen[0].seen.Plan.Builds
	forgeable := t.runner.Reporter.Class() == observe.Forgeable && t.runner.Reporter.Name() != "vitest"
	return func(file string) string {
		ext := path.Ext(file)
		typed := forgeable && slices.Contains([]string{".ts", ".mts", ".cts", ".tsx"}, ext)
		if builds || !typed && !syntax.Compiled(file) && !slices.Contains(compilers, ext) {
			return ""
		}
		return fmt.Sprintf("a test fails, or it does not compile: task %s cannot tell which; give it build = [...], the command that compiles", t.spec.Name)
	}
}
