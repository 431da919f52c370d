package standin

import "errors"

// The sections of a module that are read or written, by their numbers in the binary format.
const (
	typeSection = 1 + iota
	importSection
	functionSection
	_
	memorySection
	_
	exportSection
	_
	_
	codeSection
)

// The kinds of imports and exports, and the types of values, as bytes of the format.
const (
	isFunction, isMemory = 0, 2

	functionType = 0x60
	typeI32      = 0x7f
	typeI64      = 0x7e
	typeF32      = 0x7d
	typeF64      = 0x7c
)

const headerSize = 8 // the magic number and the version

var errFormat = errors.New("the module has a form that is not known")

// zero has, for each type, the instruction that pushes 0.
var zero = map[byte]string{
	typeI32: "\x41\x00",
	typeI64: "\x42\x00",
	typeF32: "\x43\x00\x00\x00\x00",
	typeF64: "\x44\x00\x00\x00\x00\x00\x00\x00\x00",
}

// called reports whether go-graphviz calls functions of that name. Graphviz exports all its own functions,
// too.
func called(name []byte) bool {
	const bridge = "wasm_bridge_"
	return len(name) > len(bridge) && string(name[:len(bridge)]) == bridge || string(name) == "malloc" || string(name) == "free"
}

// hollow returns a module that has only those functions of the given module that go-graphviz calls, and each
// of them returns zeros. It exports a memory of one page, too.
func hollow(module []byte) (out []byte, err error) {
	defer func() {
		if recover() != nil { // the module ends within a number or a section
			err = errFormat
		}
	}()
	sections := split(module)
	types := sections[typeSection]
	bodies := bodiesOf(reader{types})
	typeOf := append(imported(reader{sections[importSection]}), reader{sections[functionSection]}.numbers()...)

	r := reader{sections[exportSection]}
	var functions, code []byte
	exports := make([]byte, 0, len(r.tail))
	functionOf := map[uint32]uint32{} // the new function of each type
	count := r.number()
	exported := uint32(0)
	for range count {
		name, kind, index := r.bytes(), r.byte(), r.number()
		switch {
		case kind == isFunction && called(name):
			t := typeOf[index]
			if _, known := functionOf[t]; !known {
				functionOf[t] = uint32(len(functionOf))
				functions = appendNumber(functions, t)
				code = appendBytes(code, bodies[t])
			}
			index = functionOf[t]
		case kind == isMemory:
			index = 0
		default:
			continue
		}
		exported++
		exports = append(appendBytes(exports, name), kind)
		exports = appendNumber(exports, index)
	}
	out = make([]byte, 0, 2*len(exports))
	out = append(out, module[:headerSize]...)
	used := uint32(len(functionOf))
	out = appendSection(out, typeSection, types)
	out = appendSection(out, functionSection, append(appendNumber(nil, used), functions...))
	out = appendSection(out, memorySection, []byte{1, 0, 1}) // one, without a maximum, of one page
	out = appendSection(out, exportSection, append(appendNumber(nil, exported), exports...))
	out = appendSection(out, codeSection, append(appendNumber(nil, used), code...))
	return out, nil
}

// split returns the content of each section by its number.
func split(module []byte) map[byte][]byte {
	sections := map[byte][]byte{}
	r := reader{module[headerSize:]}
	for len(r.tail) > 0 {
		number := r.byte()
		sections[number] = r.bytes()
	}
	return sections
}

// bodiesOf returns, for each type of function, code that returns zeros.
func bodiesOf(r reader) (bodies [][]byte) {
	for range r.number() {
		if r.byte() != functionType {
			panic(errFormat)
		}
		_, results := r.bytes(), r.bytes()
		body := []byte{0} // no local variables
		for _, result := range results {
			instruction, known := zero[result]
			if !known {
				panic(errFormat)
			}
			body = append(body, instruction...)
		}
		const end = 0x0b
		bodies = append(bodies, append(body, end))
	}
	return bodies
}

// imported returns the types of the functions that a module imports.
func imported(r reader) (types []uint32) {
	for range r.number() {
		_, _ = r.bytes(), r.bytes() // the names of a module and of its function
		if r.byte() != isFunction {
			panic(errFormat)
		}
		types = append(types, r.number())
	}
	return types
}

// reader reads the binary format. It panics at the end of its bytes.
type reader struct{ tail []byte }

func (r *reader) byte() byte {
	b := r.tail[0]
	r.tail = r.tail[1:]
	return b
}

// number reads an unsigned number of 32 bits: seven bits in each byte, the lowest first.
func (r *reader) number() (n uint32) {
	for shift := 0; ; shift += 7 {
		b := r.byte()
		n |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}

// bytes reads a number, then that many bytes.
func (r *reader) bytes() []byte {
	n := r.number()
	list := r.tail[:n:n]
	r.tail = r.tail[n:]
	return list
}

// numbers reads a number, then that many numbers.
func (r reader) numbers() []uint32 {
	count := r.number()
	list := make([]uint32, 0, min(int(count), len(r.tail)))
	for range count {
		list = append(list, r.number())
	}
	return list
}

// appendNumber appends a number as [reader.number] reads it.
func appendNumber(b []byte, n uint32) []byte {
	for n >= 0x80 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n))
}

func appendBytes(b, list []byte) []byte { return append(appendNumber(b, uint32(len(list))), list...) }

func appendSection(b []byte, number byte, content []byte) []byte {
	return appendBytes(append(b, number), content)
}
