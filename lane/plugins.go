package lane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/plugin"
	"github.com/vallane/lane/mutate/treesitter"
)

// tongue is what a plugin is told of the language of a file.
type tongue struct {
	name    string
	grammar treesitter.Language // "" = there is none
}

var tongues = map[string]tongue{
	".go": {"go", ""}, ".py": {"python", ""}, ".pyi": {"python", ""}, ".sh": {"shell", ""}, ".bash": {"shell", ""},
	".js": {"javascript", treesitter.JavaScript}, ".mjs": {"javascript", treesitter.JavaScript}, ".cjs": {"javascript", treesitter.JavaScript},
	".jsx": {"javascript", treesitter.JavaScript}, ".ts": {"typescript", treesitter.TypeScript}, ".mts": {"typescript", treesitter.TypeScript},
	".cts": {"typescript", treesitter.TypeScript}, ".tsx": {"tsx", treesitter.TSX}, ".rs": {"rust", treesitter.Rust}, ".java": {"java", treesitter.Java},
	".rb": {"ruby", treesitter.Ruby}, ".c": {"c", treesitter.C}, ".h": {"c", treesitter.C},
}

// tongueOf is by the extension; a language that is not listed is called as its files end.
func tongueOf(file string) tongue {
	ext := path.Ext(file)
	if t, ok := tongues[ext]; ok {
		return t
	}
	return tongue{name: ext[min(1, len(ext)):]}
}

// pluginMutants asks the plugins of the spec for mutants of some files. One that fails ends the check: without it nobody knows what would
// have been asked of the tests.
func (j *job) pluginMutants(ctx context.Context, head fs.FS, files []string) (all []mutate.Mutant, err error) {
	for _, pin := range j.spec.Mutation.Plugins {
		ms, err := j.askPlugin(ctx, head, pin, files)
		var failed *plugin.Error
		if errors.As(err, &failed) {
			return nil, &declined{assurance.Refusal{Code: "plugin-failed", Msg: failed.Error(), Hint: "docs/plugins.md says what a plugin has to do; without it, take its [[mutation.plugin]] out"}}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, ms...)
	}
	return all, nil
}

func (j *job) askPlugin(ctx context.Context, head fs.FS, pin spec.Plugin, files []string) (all []mutate.Mutant, err error) {
	wasm, err := readPlugin(filepath.Join(filepath.Dir(j.file), filepath.FromSlash(pin.Path)))
	if err != nil {
		return nil, &declined{assurance.Refusal{Code: "missing-input", Msg: "read the plugin: " + err.Error(), Hint: "mutation.plugin.path names a file, relative to the spec"}}
	}
	p, err := plugin.Open(ctx, pin.Path, wasm, pin.SHA256, plugin.Limits{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close(ctx)) }()
	for _, file := range files {
		t := tongueOf(file)
		if isTest(file) || !p.Wants(t.name) {
			continue
		}
		ms, err := pluginFile(ctx, p, head, file, t)
		if err != nil {
			return nil, err
		}
		all = append(all, ms...)
	}
	j.note(fmt.Sprintf("mutants by the plugin %s: %d (%s, SHA-256 %s, pinned by the word of %s)", p.Name(), len(all), pin.Path, pin.SHA256, j.evidence.Plan.Spec.Authority))
	return all, nil
}

// pluginFile asks for the mutants of one file, and finds out which of them are no syntax of its language.
func pluginFile(ctx context.Context, p *plugin.Plugin, head fs.FS, file string, t tongue) ([]mutate.Mutant, error) {
	src, err := fs.ReadFile(head, file)
	if err != nil {
		return nil, fmt.Errorf("ask a plugin: %w", err)
	}
	if t.grammar == "" {
		return p.Mutants(ctx, file, t.name, src, nil)
	}
	parser := treesitter.New(t.grammar)
	defer parser.Close(context.WithoutCancel(ctx))
	tree, err := parser.Parse(ctx, src)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ms, asked := p.Mutants(ctx, file, t.name, src, tree)
	if asked != nil || err != nil { // what cannot be read cannot be checked either
		return ms, asked
	}
	for i := range ms {
		out, err := ms[i].Apply(src)
		if err == nil {
			err = parser.Check(ctx, out)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			ms[i].Known, ms[i].Why = mutate.Unviable, "it is no syntax of the language any more"
		}
	}
	return ms, nil
}

// maxPlugin is the size of the largest plugin, in bytes.
const maxPlugin = 64 << 20

// readPlugin reads a file, and waits for none that is no file.
func readPlugin(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxPlugin {
		return nil, fmt.Errorf("%s is no regular file of at most %d bytes", name, maxPlugin)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxPlugin))
}
