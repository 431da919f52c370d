package sim

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Operation is a declared operation of clients, with the arguments of the struct A and the results of the struct
// R. The scenario makes a process invoke it. The process returns from it once, in the same or in a later step.
// Until then further operations of the scenario wait: a return names no invocation, so a process has at most one
// open operation.
type Operation[A, R any] struct{ spec *operationOf[A] }

// operationOf is the part of a declaration that depends on the type of the arguments.
type operationOf[A any] struct {
	index  int
	handle func(p *Process, arguments A)
}

// operationSpec is a declared operation.
type operationSpec struct {
	arguments, results       payload
	newArguments, newResults func() any
	invoke                   func(p *Process, arguments any)
}

// The outcomes of an operation, see docs/vocabulary.md.
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
		p.recordReturn(o.spec.index, outcomeOK, unsafe.Pointer(scratch))
	}
}

// Fail records that the operation had no effect.
func (o Operation[A, R]) Fail(p *Process) { p.recordEmptyReturn(o.spec.index, outcomeFail) }

// Unknown records that the process gives up the operation: it may take effect at any later time, or never.
func (o Operation[A, R]) Unknown(p *Process) { p.recordEmptyReturn(o.spec.index, outcomeUnknown) }

// operands is the memory for the arguments and results of an operation while they are recorded.
type operands struct{ arguments, results any }

// recordEmptyReturn records a return without results.
func (p *Process) recordEmptyReturn(index int, outcome string) {
	if p.ready() {
		p.recordReturn(index, outcome, nil)
	}
}

// recordReturn records a return. results is the address of the results, nil for none.
func (p *Process) recordReturn(index int, outcome string, results unsafe.Pointer) {
	k := p.k
	spec := &k.protocol.operations[index].results
	b := append(append(append(k.buf[:0], `{"outcome":"`...), outcome...), '"', '}')
	if results != nil && len(spec.fields) > 0 {
		b[len(b)-1] = ','
		brace := len(b)
		b = spec.appendJSON(b, k.roster, results)
		b = append(b[:brace], b[brace+1:]...) // joins outcome and results to one object
	}
	k.buf = b
	p.open = false
	k.rec.Local(k.net.Now(), tracefmt.Return, p.id, 0, spec.name, b)
}

// invokeOrWait makes the process invoke the operation of an action, or keeps the action until the open operation
// returns.
func (k *kernel) invokeOrWait(p *Process, a *Action) {
	if p.open {
		p.held = append(p.held, a)
		return
	}
	_ = k.invoke(p, a.Operation, a.Arguments) // validated
}

// invokeWaiting makes the process of the present step invoke its waiting operations, if its open operation has
// returned.
func (k *kernel) invokeWaiting() {
	p := k.stepping
	if p == nil || len(k.local) > 0 {
		return
	}
	for !p.open && len(p.held) > 0 {
		a := p.held[0]
		p.held = p.held[1:]
		k.invokeOrWait(p, a)
		p.flush()
	}
}

// appendHeld appends the waiting operations of a process to a global state.
func (k *kernel) appendHeld(b []byte, p *Process) []byte {
	b = binary.AppendVarint(b, int64(len(p.held)))
	for _, a := range p.held {
		b = append(binary.AppendVarint(b, int64(len(a.Operation)+len(a.Arguments))), a.Operation...)
		b = append(b, a.Arguments...)
	}
	return b
}

// invoke records the invocation of an operation with the arguments of a JSON object, and makes the protocol
// handle it.
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

// operation returns the index of an operation. The error suggests a known one.
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

// checkInvocation returns an error for an unknown operation or wrong arguments.
func (pr *Protocol) checkInvocation(operation string, arguments []byte, members []tracefmt.Member) error {
	i, err := pr.operation(operation)
	if err != nil {
		return err
	}
	spec := pr.operations[i]
	return spec.arguments.parseFields(newRoster(members), arguments, reflect.ValueOf(spec.newArguments()).UnsafePointer(), operation)
}

// Arguments returns the arguments of an operation as a JSON object, from JSON values in the order of the
// operation's fields. A text may lack its quotes.
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
		if err := f.parseWritten(r, values[i], value.UnsafePointer()); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", f.name, operation, err)
		}
		object = f.appendJSON(appendKey(object, f.name), r, value.UnsafePointer())
	}
	return append(object, '}'), nil
}
