package treesitter

import (
	"encoding/binary"
	"errors"

	"github.com/tetratelabs/wazero/api"
)

// Modules that were linked dynamically import their memory, their table and the places of their data. WebAssembly lets a module
// have these from another module only, so a small module is written for each: it defines or imports what is asked for, and
// exports it by the name that is asked for.

// section ids and kinds of the binary format.
const (
	sectionType, sectionImport, sectionTable, sectionMemory, sectionGlobal, sectionExport = 1, 2, 4, 5, 6, 7
	kindFunc, kindTable, kindMemory, kindGlobal                                           = 0, 1, 2, 3
	typeI32, typeFunc, typeFuncRef                                                        = 0x7f, 0x60, 0x70
	withMax                                                                               = 1
)

// list is the content of a section: n entries.
type list struct {
	n    int
	data []byte
}

// linkage writes such a module.
type linkage struct {
	types, imports, tables, memories, globals, exports list
	funcs, nextGlobal                                  int
}

func unsigned(b []byte, v uint32) []byte { return binary.AppendUvarint(b, uint64(v)) }

func signed(b []byte, v int32) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func text(b []byte, s string) []byte { return append(unsigned(b, uint32(len(s))), s...) }

func (l *linkage) export(name string, kind byte, index int) {
	l.exports.data = unsigned(append(text(l.exports.data, name), kind), uint32(index))
	l.exports.n++
}

// importFunc passes a function of another module on.
func (l *linkage) importFunc(module, name string, f api.FunctionDefinition) {
	t := append(l.types.data, typeFunc)
	for _, types := range [][]api.ValueType{f.ParamTypes(), f.ResultTypes()} {
		t = unsigned(t, uint32(len(types)))
		t = append(t, types...)
	}
	l.types.data = t
	l.imports.data = unsigned(append(text(text(l.imports.data, module), name), kindFunc), uint32(l.types.n))
	l.types.n++
	l.imports.n++
	l.export(name, kindFunc, l.funcs)
	l.funcs++
}

// importMachine passes the machine's memory, table and stack pointer on.
func (l *linkage) importMachine(table, memory, maxMemory uint32) {
	d := append(text(text(l.imports.data, "machine"), "memory"), kindMemory, withMax)
	d = unsigned(unsigned(d, memory), maxMemory)
	d = append(text(text(d, "machine"), "__indirect_function_table"), kindTable, typeFuncRef, 0)
	d = unsigned(d, table)
	d = append(text(text(d, "machine"), "__stack_pointer"), kindGlobal, typeI32, 1)
	l.imports.data = d
	l.imports.n += 3
	l.export("memory", kindMemory, 0)
	l.export("__indirect_function_table", kindTable, 0)
	l.export("__stack_pointer", kindGlobal, l.nextGlobal)
	l.nextGlobal++
}

// machine defines the memory, the table and the stack pointer.
func (l *linkage) machine(table, memory, maxMemory, stack uint32) {
	l.memories = list{1, unsigned(unsigned([]byte{withMax}, memory), maxMemory)}
	l.tables = list{1, unsigned([]byte{typeFuncRef, 0}, table)}
	l.export("memory", kindMemory, 0)
	l.export("__indirect_function_table", kindTable, 0)
	l.global("__stack_pointer", true, stack)
}

func (l *linkage) global(name string, mutable bool, v uint32) {
	d := append(l.globals.data, typeI32, 0)
	if mutable {
		d[len(d)-1] = 1
	}
	const i32Const, end = 0x41, 0x0b
	l.globals.data = append(signed(append(d, i32Const), int32(v)), end)
	l.globals.n++
	l.export(name, kindGlobal, l.nextGlobal)
	l.nextGlobal++
}

// binary is the module.
func (l *linkage) binary() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range []struct {
		id byte
		list
	}{{sectionType, l.types}, {sectionImport, l.imports}, {sectionTable, l.tables}, {sectionMemory, l.memories}, {sectionGlobal, l.globals},
		{sectionExport, l.exports}} {
		if s.n > 0 {
			body := append(unsigned(nil, uint32(s.n)), s.data...)
			out = append(unsigned(append(out, s.id), uint32(len(body))), body...)
		}
	}
	return out
}

// needs is what a module says in its section dylink.0 that it wants of memory and table.
type needs struct{ memory, align, table uint32 }

var errNotDynamic = errors.New("it was not linked dynamically")

// readNeeds reads the section, which has to be the first of the module.
func readNeeds(wasm []byte) (n needs, err error) {
	const header, custom, memoryInfo = 8, 0, 1
	if len(wasm) <= header || wasm[header] != custom {
		return n, errNotDynamic
	}
	section, _ := chunk(wasm[header+1:])
	name, rest := chunk(section)
	if string(name) != "dylink.0" {
		return n, errNotDynamic
	}
	for len(rest) > 0 {
		id := rest[0]
		body, after := chunk(rest[1:])
		if id == memoryInfo {
			var v [3]uint64
			for i := range v {
				x, width := binary.Uvarint(body)
				if width <= 0 {
					return n, errNotDynamic
				}
				v[i], body = x, body[width:]
			}
			return needs{memory: uint32(v[0]), align: 1 << uint32(v[1]), table: uint32(v[2])}, nil
		}
		rest = after
	}
	return n, errNotDynamic
}

// chunk cuts off bytes that are led by their number.
func chunk(b []byte) (body, rest []byte) {
	n, width := binary.Uvarint(b)
	if width <= 0 || n > uint64(len(b)-width) {
		return nil, nil
	}
	return b[width : width+int(n)], b[width+int(n):]
}
