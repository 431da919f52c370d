package sim

import (
	"unsafe"

	"etrace/tracefmt"
)

// Note is a declared note: an event that describes a step of a process beside its messages and variables, such
// as the delivery of a message. Its fields are those of the struct T. A note is only recorded: it is no part
// of the global state, and has no effect.
type Note[T any] struct{ index int }

// noteSpec is a declared note.
type noteSpec struct {
	payload
	newScratch func() any
}

// DeclareNote declares a note by its label.
func DeclareNote[T any](pr *Protocol, label, doc string) Note[T] {
	pr.notes = append(pr.notes, &noteSpec{declarePayload[T]("note", label, doc), func() any { return new(T) }})
	return Note[T]{len(pr.notes) - 1}
}

// Record records the note at p.
func (n Note[T]) Record(p *Process, fields T) {
	if p.ready() {
		scratch := p.k.scratch[n.index].(*T)
		*scratch = fields
		spec := p.k.protocol.notes[n.index]
		p.k.rec.Local(p.k.net.Now(), tracefmt.Note, p.id, 0, spec.name, p.k.encode(&spec.payload, unsafe.Pointer(scratch)))
	}
}

// Label is a declared note without fields.
type Label struct{ note Note[struct{}] }

// Label declares a note without fields, such as enter.
func (pr *Protocol) Label(label, doc string) Label {
	return Label{DeclareNote[struct{}](pr, label, doc)}
}

// Record records the note at p.
func (l Label) Record(p *Process) { l.note.Record(p, struct{}{}) }
