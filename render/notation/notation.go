package notation

import (
	"errors"
	"io"

	"etrace/render/story"
	"etrace/tracefmt/text"
)

// Notation is one language in which stories are written.
type Notation struct {
	// Name is also the extension of file names, without its dot.
	Name string
	// Doc describes in a line the use of the notation, and what it omits.
	Doc string
	// Diagram is the name of the diagram that the notation expresses.
	Diagram string
	// Write writes the story. A comment in the first line with the words "Written
	// by etrace" lets the next drawing replace the file.
	Write func(w io.Writer, s *story.Story) error
}

// Key is the name of the notation, by which a registry finds it.
func (n Notation) Key() string { return n.Name }

// Check returns an error for a notation without a function Write. A registry refuses it.
func (n Notation) Check() error {
	if n.Write == nil {
		return errors.New("expected a function Write")
	}
	return nil
}

// Builtin returns the notations of etrace.
func Builtin() text.Registry[Notation] {
	return text.NewRegistry("notation",
		mermaid,
	)
}
