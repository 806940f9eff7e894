package treesitter

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

const (
	page      = 1 << 16
	firstSize = 512       // pages that tree-sitter wants to begin with
	maxSize   = 8 * 1024  // pages, 512 MiB: more than trees of the largest source that is read take
	stackSize = 1 << 20   // bytes
	chunkSize = 10 * 1024 // bytes of the buffer into which tree-sitter has its input put
)

// compiled keeps what modules were compiled to, for all machines of the process.
var compiled = wazero.NewCompilationCache()

// errBudget says that a source took too long.
var errBudget = errors.New("it takes too long to parse")

// machine is one guest: tree-sitter, one grammar, and the memory that both use. The stack lies below the data, so that one that
// overflows is caught and overwrites nothing. A machine serves one caller at a time.
type machine struct {
	runtime wazero.Runtime
	memory  api.Memory
	core    api.Module
	exports map[string]api.FunctionDefinition // of the core
	funcs   map[string]api.Function
	stack   [8]uint64

	transfer, parser, input uint32 // where tree-sitter puts results, and the handles that a parse takes
	symbols, fields         []string
	named                   []bool

	source   []uint16 // being parsed
	deadline time.Time
}

// start links tree-sitter and a grammar. The caller closes the machine.
func start(ctx context.Context, l Language) (m *machine, err error) {
	coreWasm, err := modules.ReadFile(core)
	if err != nil {
		return nil, err
	}
	grammarWasm, err := modules.ReadFile(l.file())
	if err != nil {
		return nil, fmt.Errorf("there is no grammar of %s: %w", l, err)
	}
	m = &machine{runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(compiled)), funcs: map[string]api.Function{}}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("start the grammar of %s: %w", l, err), m.close(ctx))
		}
	}()
	coreNeeds, err := readNeeds(coreWasm)
	if err != nil {
		return m, err
	}
	grammarNeeds, err := readNeeds(grammarWasm)
	if err != nil {
		return m, err
	}
	link := linker{m: m, table: 1 + coreNeeds.table + grammarNeeds.table}
	if err := link.startCore(ctx, coreWasm, coreNeeds); err != nil {
		return m, err
	}
	language, err := link.startGrammar(ctx, l, grammarWasm, grammarNeeds, 1+coreNeeds.table)
	if err != nil {
		return m, err
	}
	return m, m.use(ctx, language)
}

func (m *machine) close(ctx context.Context) error { return m.runtime.Close(ctx) }

// call calls a function of tree-sitter. An error says that the guest gave out: the machine is of no use any more.
func (m *machine) call(ctx context.Context, name string, args ...uint32) (uint32, error) {
	f := m.funcs[name]
	if f == nil {
		if f = m.core.ExportedFunction(name); f == nil {
			return 0, fmt.Errorf("tree-sitter has no %s", name)
		}
		m.funcs[name] = f
	}
	m.stack = [8]uint64{}
	for i, a := range args {
		m.stack[i] = uint64(a)
	}
	if err := f.CallWithStack(ctx, m.stack[:]); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return uint32(m.stack[0]), nil
}

// use takes a grammar into use and reads the names that it has.
func (m *machine) use(ctx context.Context, language uint32) error {
	var err error
	if m.transfer, err = m.call(ctx, "ts_init"); err != nil {
		return err
	}
	if _, err := m.call(ctx, "ts_parser_new_wasm"); err != nil {
		return err
	}
	m.parser, _ = m.memory.ReadUint32Le(m.transfer)
	m.input, _ = m.memory.ReadUint32Le(m.transfer + 4)
	if ok, err := m.call(ctx, "ts_parser_set_language", m.parser, language); err != nil || ok == 0 {
		return errors.Join(err, errors.New("tree-sitter does not know its format"))
	}
	if m.symbols, err = m.names(ctx, language, "ts_language_symbol_count", "ts_language_symbol_name", 0); err != nil {
		return err
	}
	for i := range m.symbols {
		kind, err := m.call(ctx, "ts_language_symbol_type", language, uint32(i))
		if err != nil {
			return err
		}
		m.named = append(m.named, kind == 0)
	}
	m.fields, err = m.names(ctx, language, "ts_language_field_count", "ts_language_field_name_for_id", 1)
	return err
}

// names reads all names of a kind; more says how many there are beyond the count.
func (m *machine) names(ctx context.Context, language uint32, count, name string, more uint32) ([]string, error) {
	n, err := m.call(ctx, count, language)
	if err != nil {
		return nil, err
	}
	out := make([]string, n+more)
	for i := range out {
		at, err := m.call(ctx, name, language, uint32(i))
		if err != nil {
			return nil, err
		}
		if at != 0 {
			out[i] = m.cString(at)
		}
	}
	return out, nil
}

func (m *machine) cString(at uint32) string {
	var out []byte
	for {
		c, ok := m.memory.ReadByte(at)
		if !ok || c == 0 {
			return string(out)
		}
		out, at = append(out, c), at+1
	}
}

// linker puts the modules of a machine together.
type linker struct {
	m     *machine
	table uint32 // entries
}

func (k linker) instantiate(ctx context.Context, name string, wasm []byte) (api.Module, error) {
	c, err := k.m.runtime.CompileModule(ctx, wasm)
	if err != nil {
		return nil, err
	}
	return k.m.runtime.InstantiateModule(ctx, c, wazero.NewModuleConfig().WithName(name).WithStartFunctions())
}

// resolved lets a module import from modules by other names than theirs.
func resolved(ctx context.Context, by map[string]api.Module) context.Context {
	return experimental.WithImportResolver(ctx, func(name string) api.Module { return by[name] })
}

func (k linker) startCore(ctx context.Context, wasm []byte, n needs) error {
	m := k.m
	own := &linkage{}
	own.machine(k.table, firstSize, maxSize, stackSize)
	shared, err := k.instantiate(ctx, "machine", own.binary())
	if err != nil {
		return err
	}
	m.memory = shared.ExportedMemory("memory")

	comp, err := m.runtime.CompileModule(ctx, wasm)
	if err != nil {
		return err
	}
	m.exports = comp.ExportedFunctions()
	if err := k.host(ctx, comp); err != nil {
		return err
	}
	env, places := &linkage{}, &linkage{}
	for _, f := range comp.ImportedFunctions() {
		if module, name, _ := f.Import(); module == "env" {
			env.importFunc("host", name, f)
		}
	}
	env.importMachine(k.table, firstSize, maxSize)
	env.global("__memory_base", false, stackSize)
	env.global("__table_base", false, 1)
	places.global("__stack_low", true, 0)
	places.global("__stack_high", true, stackSize)
	places.global("__heap_base", true, (stackSize+n.memory+15)&^15)
	e, err := k.instantiate(ctx, "environment of the core", env.binary())
	if err != nil {
		return err
	}
	p, err := k.instantiate(ctx, "places of the core", places.binary())
	if err != nil {
		return err
	}
	m.core, err = m.runtime.InstantiateModule(resolved(ctx, map[string]api.Module{"env": e, "GOT.mem": p}), comp,
		wazero.NewModuleConfig().WithName("core").WithStartFunctions())
	if err != nil {
		return err
	}
	return initialize(ctx, m.core)
}

// initialize does what a dynamic linker does last.
func initialize(ctx context.Context, module api.Module) error {
	for _, name := range []string{"__wasm_apply_data_relocs", "__wasm_call_ctors"} {
		if f := module.ExportedFunction(name); f != nil {
			if _, err := f.Call(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// host gives the core what it imports from outside. Nothing of it reaches further than the machine.
func (k linker) host(ctx context.Context, comp wazero.CompiledModule) error {
	builders := map[string]wazero.HostModuleBuilder{
		"env": k.m.runtime.NewHostModuleBuilder("host"), "wasi_snapshot_preview1": k.m.runtime.NewHostModuleBuilder("wasi_snapshot_preview1"),
	}
	calls := k.m.calls()
	for _, f := range comp.ImportedFunctions() {
		module, name, _ := f.Import()
		b, do := builders[module], calls[name]
		if b == nil || do == nil {
			return fmt.Errorf("tree-sitter wants a function %s.%s", module, name)
		}
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) { do(stack) }),
			f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for _, b := range builders {
		if _, err := b.Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}

// calls are the functions that the core imports.
func (m *machine) calls() map[string]func(stack []uint64) {
	const badFile = 8 // of WASI
	refuse := func(stack []uint64) { stack[0] = badFile }
	return map[string]func(stack []uint64){
		"emscripten_resize_heap": func(stack []uint64) {
			want := uint32(stack[0])
			stack[0] = 1
			if have := m.memory.Size(); want > have {
				if _, ok := m.memory.Grow((want - have + page - 1) / page); !ok {
					stack[0] = 0
				}
			}
		},
		"_abort_js":                           func([]uint64) { panic(errors.New("tree-sitter gave out, as it does where memory runs out")) },
		"tree_sitter_log_callback":            func([]uint64) {},
		"tree_sitter_query_progress_callback": func(stack []uint64) { stack[0] = 0 },
		"tree_sitter_progress_callback": func(stack []uint64) {
			stack[0] = 0
			if time.Now().After(m.deadline) {
				stack[0] = 1
			}
		},
		"tree_sitter_parse_callback": m.read,
		"fd_write":                   refuse, "fd_seek": refuse, "fd_close": refuse,
	}
}

// read puts the source from a place on into the buffer of tree-sitter.
func (m *machine) read(stack []uint64) {
	buffer, index, length := uint32(stack[0]), uint32(stack[1]), uint32(stack[4])
	var rest []uint16
	if uint64(index) < uint64(len(m.source)) {
		rest = m.source[index:]
	}
	rest = rest[:min(len(rest), chunkSize/2-1)]
	b, ok := m.memory.Read(buffer, uint32(2*len(rest)))
	if !ok || !m.memory.WriteUint32Le(length, uint32(len(rest))) {
		panic(errors.New("tree-sitter asked for its input outside of its memory"))
	}
	for i, u := range rest {
		binary.LittleEndian.PutUint16(b[2*i:], u)
	}
}

// startGrammar links a grammar to the core and returns where its tables lie.
func (k linker) startGrammar(ctx context.Context, l Language, wasm []byte, n needs, tableBase uint32) (uint32, error) {
	m := k.m
	comp, err := m.runtime.CompileModule(ctx, wasm)
	if err != nil {
		return 0, err
	}
	base, err := m.call(ctx, "calloc", n.memory+n.align, 1)
	if err != nil || base == 0 {
		return 0, errors.Join(err, errors.New("no memory for its tables"))
	}
	env, own := &linkage{}, m.runtime.NewHostModuleBuilder("host of the grammar")
	for _, f := range comp.ImportedFunctions() {
		module, name, _ := f.Import()
		switch {
		case module == "env" && m.exports[name] != nil:
			env.importFunc("core", name, f)
		case module == "env" && name == "__assert_fail":
			own.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(context.Context, api.Module, []uint64) {
				panic(errors.New("the grammar gave out"))
			}), f.ParamTypes(), f.ResultTypes()).Export(name)
			env.importFunc("host of the grammar", name, f)
		default:
			return 0, fmt.Errorf("it wants a function %s.%s", module, name)
		}
	}
	if _, err := own.Instantiate(ctx); err != nil {
		return 0, err
	}
	env.importMachine(k.table, firstSize, maxSize)
	env.global("__memory_base", false, (base+n.align-1)&^(n.align-1))
	env.global("__table_base", false, tableBase)
	e, err := k.instantiate(ctx, "environment of the grammar", env.binary())
	if err != nil {
		return 0, err
	}
	grammar, err := m.runtime.InstantiateModule(resolved(ctx, map[string]api.Module{"env": e}), comp,
		wazero.NewModuleConfig().WithName("grammar").WithStartFunctions())
	if err != nil {
		return 0, err
	}
	if err := initialize(ctx, grammar); err != nil {
		return 0, err
	}
	entry := grammar.ExportedFunction("tree_sitter_" + string(l))
	if entry == nil {
		return 0, errors.New("it is the grammar of another language")
	}
	res, err := entry.Call(ctx)
	if err != nil {
		return 0, err
	}
	return uint32(res[0]), nil
}
