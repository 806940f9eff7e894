package plugin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/edit"
	"github.com/vallane/lane/mutate/treesitter"
)

// Limits bound one run of a plugin. The zero value is the usual ones.
type Limits struct {
	Time   time.Duration // 0 = 10 s
	Memory int           // bytes; 0 = 256 MiB
	Output int           // bytes; 0 = 4 MiB
}

func (l Limits) withDefaults() Limits {
	if l.Time == 0 {
		l.Time = 10 * time.Second
	}
	if l.Memory == 0 {
		l.Memory = 256 << 20
	}
	if l.Output == 0 {
		l.Output = 4 << 20
	}
	return l
}

// maxSource is the size of the largest source that a plugin is asked about, in bytes.
const maxSource = 1 << 20

// Error says that a plugin failed. It says nothing about any code or test.
type Error struct {
	Plugin string // its path, as the user wrote it
	File   string // that it was asked about; "" for none
	Why    string
	Said   string // the end of what it wrote to standard error
}

func (e *Error) Error() string {
	at := ""
	if e.File != "" {
		at = " on " + e.File
	}
	said := ""
	if e.Said != "" {
		said = "; it said: " + e.Said
	}
	return fmt.Sprintf("plugin %s%s: %s%s", e.Plugin, at, e.Why, said)
}

// Plugin is a command that made itself known. Close it.
type Plugin struct {
	path    string
	name    string
	wants   []string
	limits  Limits
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// Open checks a plugin against its pin, 64 hexadecimal digits of SHA-256, and asks it who it is. An *Error says that it is not to be used.
func Open(ctx context.Context, path string, wasm []byte, pin string, l Limits) (p *Plugin, err error) {
	if sum := sha256.Sum256(wasm); hex.EncodeToString(sum[:]) != strings.ToLower(pin) {
		return nil, &Error{Plugin: path, Why: fmt.Sprintf("it is not the file that was pinned: its SHA-256 is %x", sum)}
	}
	l = l.withDefaults()
	const page = 1 << 16
	opened := &Plugin{path: path, limits: l, runtime: wazero.NewRuntimeWithConfig(ctx,
		wazero.NewRuntimeConfig().WithCloseOnContextDone(true).WithMemoryLimitPages(uint32(max(l.Memory/page, 1))))}
	defer func() {
		if err != nil {
			err = errors.Join(err, opened.Close(ctx))
		}
	}()
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, opened.runtime); err != nil {
		return nil, fmt.Errorf("start plugin %s: %w", path, err)
	}
	if opened.module, err = opened.runtime.CompileModule(ctx, wasm); err != nil {
		return nil, &Error{Plugin: path, Why: "it is no WebAssembly that can be run: " + oneLine(err)}
	}
	for _, f := range opened.module.ImportedFunctions() {
		if module, name, _ := f.Import(); module != wasi_snapshot_preview1.ModuleName {
			return nil, &Error{Plugin: path, Why: fmt.Sprintf("it wants a function %s.%s, and gets those of WASI preview 1 alone", module, name)}
		}
	}
	out, err := opened.ask(ctx, "", question{Protocol: Protocol, Ask: "hello"})
	if err != nil {
		return nil, err
	}
	h, err := readHello(out)
	if err != nil {
		return nil, &Error{Plugin: path, Why: err.Error()}
	}
	opened.name, opened.wants = h.Name, h.Languages
	return opened, nil
}

// Name is what the plugin calls itself.
func (p *Plugin) Name() string { return p.name }

// Wants reports whether the plugin makes mutants of a language.
func (p *Plugin) Wants(language string) bool {
	return slices.Contains(p.wants, language) || slices.Contains(p.wants, "*")
}

// Close frees what the plugin holds.
func (p *Plugin) Close(ctx context.Context) error { return p.runtime.Close(context.WithoutCancel(ctx)) }

// Mutants asks for the mutants of a source. tree is nil where the language has no grammar. A source that is no UTF-8, or too large, has
// none.
func (p *Plugin) Mutants(ctx context.Context, file, language string, src []byte, tree *treesitter.Node) ([]mutate.Mutant, error) {
	if len(src) > maxSource || !utf8.Valid(src) {
		return nil, nil
	}
	out, err := p.ask(ctx, file, question{Protocol: Protocol, Ask: "mutate", File: file, Language: language, Source: string(src), Tree: treeOf(tree)})
	if err != nil {
		return nil, err
	}
	edits, err := readEdits(out, src)
	if err != nil {
		return nil, &Error{Plugin: p.path, File: file, Why: err.Error()}
	}
	f := edit.New(file, src)
	for _, e := range edits {
		line, _ := f.Position(e.Start)
		around, _, _ := strings.Cut(string(src[f.Start(line):]), "\n")
		x := edit.Fault{
			Operator: p.name + "/" + e.Name, Start: e.Start, End: e.End, Text: e.Text, Origin: mutate.Plugin,
			Say:     edit.Swap(string(src[e.Start:e.End]), e.Text) + ": " + e.Reason,
			Context: strings.Join(strings.Fields(around), " "),
		}
		if e.Start == e.End {
			x.From, x.To = e.Start, min(e.Start+1, len(src))
		}
		f.Add(x)
	}
	return f.Mutants(), nil
}

// ask runs the plugin once, in a machine of its own.
func (p *Plugin) ask(ctx context.Context, file string, q question) ([]byte, error) {
	in, err := json.Marshal(q)
	if err != nil {
		return nil, fmt.Errorf("ask plugin %s: %w", p.path, err)
	}
	within, cancel := context.WithTimeout(ctx, p.limits.Time)
	defer cancel()
	out, said := &bounded{left: p.limits.Output, stop: cancel}, &tail{}
	module, err := p.runtime.InstantiateModule(within, p.module, wazero.NewModuleConfig().WithName("").WithArgs("plugin").
		WithStdin(strings.NewReader(string(in))).WithStdout(out).WithStderr(said))
	if module != nil {
		err = errors.Join(err, module.Close(context.WithoutCancel(ctx)))
	}
	var exit *sys.ExitError
	why := ""
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case out.over:
		why = fmt.Sprintf("it wrote more than %d bytes", p.limits.Output)
	case within.Err() != nil:
		why = fmt.Sprintf("it did not end within %v", p.limits.Time)
	case errors.As(err, &exit) && exit.ExitCode() != 0:
		why = fmt.Sprintf("it ended with status %d", exit.ExitCode())
	case err != nil && exit == nil:
		why = "it broke off: " + oneLine(err)
	default:
		return out.data, nil
	}
	return nil, &Error{Plugin: p.path, File: file, Why: why, Said: said.text()}
}

// oneLine is the beginning of an error, which may hold a trace of the guest.
func oneLine(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return edit.OneLine(first)
}
