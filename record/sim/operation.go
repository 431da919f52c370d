package sim

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Operation is a declared operation of clients, with the arguments of the
// struct A and the results of the struct R. The scenario has a process invoke
// it; the process returns from it once, at once or in a later step. Until then
// further operations of the scenario wait: a return names no invocation, so a
// process has one operation open at a time.
type Operation[A, R any] struct{ spec *operationOf[A] }

type operationOf[A any] struct {
	index  int
	handle func(p *Process, arguments A)
}

type operationSpec struct {
	arguments, results       payload
	newArguments, newResults func() any
	invoke                   func(p *Process, arguments any)
}

// outcomes of an operation, as docs/vocabulary.md has them.
const (
	outcomeOK      = "ok"
	outcomeFail    = "fail"
	outcomeUnknown = "unknown"
)

// DeclareOperation declares an operation by its name.
func DeclareOperation[A, R any](pr *Protocol, name, doc string) Operation[A, R] {
	spec := &operationOf[A]{index: len(pr.operations)}
	pr.operations = append(pr.operations, &operationSpec{
		arguments: declarePayload[A]("operation", name, doc), results: declarePayload[R]("operation", name, "what it returns"),
		newArguments: func() any { return new(A) }, newResults: func() any { return new(R) },
		invoke: func(p *Process, arguments any) {
			if spec.handle != nil {
				spec.handle(p, *arguments.(*A))
			}
		},
	})
	return Operation[A, R]{spec}
}

// On sets the function that is called when a process invokes the operation.
func (o Operation[A, R]) On(handle func(p *Process, arguments A)) { o.spec.handle = handle }

// Return records that the operation took effect, with its results.
func (o Operation[A, R]) Return(p *Process, results R) {
	if p.ready() {
		scratch := p.k.operations[o.spec.index].results.(*R)
		*scratch = results
		p.returns(o.spec.index, outcomeOK, unsafe.Pointer(scratch))
	}
}

// Fail records that the operation had no effect.
func (o Operation[A, R]) Fail(p *Process) { p.returnsNothing(o.spec.index, outcomeFail) }

// Unknown records that the process gives the operation up: it may take effect
// at any later time, or never.
func (o Operation[A, R]) Unknown(p *Process) { p.returnsNothing(o.spec.index, outcomeUnknown) }

// operands are where a run keeps the arguments and results of an operation while
// they are recorded.
type operands struct{ arguments, results any }

func (p *Process) returnsNothing(index int, outcome string) {
	if p.ready() {
		p.returns(index, outcome, nil)
	}
}

// returns records a return, with the results at an address unless that is nil.
func (p *Process) returns(index int, outcome string, results unsafe.Pointer) {
	k := p.k
	spec := &k.protocol.operations[index].results
	b := append(append(append(k.buf[:0], `{"outcome":"`...), outcome...), '"', '}')
	if results != nil && len(spec.fields) > 0 {
		b[len(b)-1] = ','
		brace := len(b)
		b = spec.appendJSON(b, k.roster, results)
		b = append(b[:brace], b[brace+1:]...) // the fields are those of one object
	}
	k.buf = b
	p.open = false
	k.rec.Local(k.net.Now(), tracefmt.Return, p.id, 0, spec.name, b)
}

// request has the process invoke the operation of an action, or keeps the
// action until the operation that is open returns.
func (k *kernel) request(p *Process, a *Action) {
	if p.open {
		p.held = append(p.held, a)
		return
	}
	_ = k.invoke(p, a.Operation, a.Arguments) // validated
}

// resume has the process that took a step invoke what waited for the return of
// its operation, in the same step.
func (k *kernel) resume() {
	p := k.stepping
	if p == nil || len(k.local) > 0 {
		return
	}
	for !p.open && len(p.held) > 0 {
		a := p.held[0]
		p.held = p.held[1:]
		k.request(p, a)
		p.flush()
	}
}

// appendHeld appends which operations wait for the return of another.
func (k *kernel) appendHeld(b []byte, p *Process) []byte {
	b = binary.AppendVarint(b, int64(len(p.held)))
	for _, a := range p.held {
		b = append(binary.AppendVarint(b, int64(len(a.Operation)+len(a.Arguments))), a.Operation...)
		b = append(b, a.Arguments...)
	}
	return b
}

// invoke has the process invoke an operation with the fields of an object, and
// records that.
func (k *kernel) invoke(p *Process, name string, arguments []byte) error {
	index, err := k.protocol.operation(name)
	if err != nil {
		return err
	}
	spec, scratch := k.protocol.operations[index], k.operations[index].arguments
	at := reflect.ValueOf(scratch).UnsafePointer()
	if err := spec.arguments.parseFields(k.roster, arguments, at, name); err != nil {
		return err
	}
	p.open = true
	k.rec.Local(k.net.Now(), tracefmt.Invoke, p.id, 0, name, k.encode(&spec.arguments, at))
	spec.invoke(p, scratch)
	return nil
}

func (pr *Protocol) operation(name string) (int, error) {
	var names []string
	for i, o := range pr.operations {
		if o.arguments.name == name {
			return i, nil
		}
		names = append(names, o.arguments.name)
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("unknown operation %q: the algorithm has none", text.Printable(name))
	}
	return 0, text.Unknown("operation", name, names)
}

// checkInvocation refuses what could not be invoked.
func (pr *Protocol) checkInvocation(operation string, arguments []byte, members []tracefmt.Member) error {
	i, err := pr.operation(operation)
	if err != nil {
		return err
	}
	spec := pr.operations[i]
	return spec.arguments.parseFields(newRoster(members), arguments, reflect.ValueOf(spec.newArguments()).UnsafePointer(), operation)
}

// Arguments returns the arguments of an operation as an object, from JSON values
// in the order of the operation's fields, in which a text may be without quotes.
func (pr *Protocol) Arguments(operation string, values []string, members []tracefmt.Member) ([]byte, error) {
	i, err := pr.operation(operation)
	if err != nil {
		return nil, err
	}
	spec := &pr.operations[i].arguments
	if len(values) != len(spec.fields) {
		return nil, fmt.Errorf("%s given, expected %s", text.Counted(len(values), "argument is", "arguments are"), spec.signature())
	}
	object, r := []byte{'{'}, newRoster(members)
	for i := range spec.fields {
		f := &spec.fields[i]
		value := reflect.New(f.typ)
		written := []byte(strings.TrimSpace(values[i]))
		if err := f.parse(r, written, value.UnsafePointer()); err != nil {
			quoted := tracefmt.AppendString(nil, string(written))
			if f.parse(r, quoted, value.UnsafePointer()) != nil {
				return nil, fmt.Errorf("%s of %s: %w", f.name, operation, err)
			}
		}
		object = f.appendJSON(appendKey(object, f.name), r, value.UnsafePointer())
	}
	return append(object, '}'), nil
}
