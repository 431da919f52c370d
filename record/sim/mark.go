package sim

import (
	"etrace/tracefmt"
)

// Mark names a declared mark: an event by which a process tells what it does,
// beside its messages and variables, such as that it enters the critical
// section or that an operation returns. A mark is told and forgotten: it is no
// part of the global state, and nothing follows from it.
type Mark int

type markSpec struct {
	kind tracefmt.Kind
	messageSpec
}

// Note declares a note with its label and its fields, in the order in which
// [Process.Mark] takes them.
func (pr *Protocol) Note(label, doc string, fields ...Field) Mark {
	return pr.mark(tracefmt.Note, label, doc, fields)
}

// Invoke declares the invocation of an operation with its arguments.
func (pr *Protocol) Invoke(operation, doc string, arguments ...Field) Mark {
	return pr.mark(tracefmt.Invoke, operation, doc, arguments)
}

// Return declares the return of an operation with its results.
func (pr *Protocol) Return(operation, doc string, results ...Field) Mark {
	return pr.mark(tracefmt.Return, operation, doc, results)
}

func (pr *Protocol) mark(kind tracefmt.Kind, name, doc string, fields []Field) Mark {
	pr.marks = append(pr.marks, markSpec{kind, messageSpec{name: name, doc: doc, fields: fields}})
	return Mark(len(pr.marks) - 1)
}

// Marks yields kind, name with fields, and meaning of every mark, for
// documentation.
func (pr *Protocol) Marks() (marks [][3]string) {
	for i := range pr.marks {
		m := &pr.marks[i]
		marks = append(marks, [3]string{m.kind.String(), m.signature(), m.doc})
	}
	return marks
}

// Mark records a mark with the values of its fields; those that are not given
// are 0, or nobody.
func (p *Process) Mark(m Mark, values ...int64) {
	if p.ready() {
		spec := &p.k.protocol.marks[m]
		p.k.rec.Local(p.k.net.Now(), spec.kind, p.id, 0, spec.name, p.k.markPayload(spec, values))
	}
}

// markPayload returns the JSON object of a mark's fields, nil if it has none.
// The bytes are overwritten by the next call.
func (k *kernel) markPayload(spec *markSpec, values []int64) []byte {
	if len(spec.fields) == 0 {
		return nil
	}
	b := append(k.buf[:0], '{')
	for i, f := range spec.fields {
		value := int64(0)
		if i < len(values) {
			value = values[i]
		}
		b = k.appendValue(appendKey(b, f.name), f.kind, nil, value)
	}
	k.buf = append(b, '}')
	return k.buf
}
