package diagram

import (
	"context"
	"errors"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Diagram is one way to draw a run.
type Diagram struct {
	Name string
	// Doc describes in a line what the diagram shows.
	Doc string
	// Marks: the diagram can show the marks of a story, such as a witness. A diagram that cannot is not asked to draw a
	// story with spans.
	Marks bool
	// Cuts: the diagram draws the cut of a story.
	Cuts bool
	// Axis: the direction of time means something, which [story.Options] can choose.
	Axis bool
	// Spans: the diagram shows the stretches of a story.
	Spans bool
	// Variables: the diagram shows those of the processes.
	Variables bool
	// Columns: each process has a column, which a picture can do without where the process does nothing.
	Columns bool
	// Groups: the diagram shows groups of processes.
	Groups bool
	// Kinds are the kinds of events that the diagram shows; nil is all. A diagram of invocations shows operations, and
	// a diagram of no kind the run as a whole.
	Kinds []tracefmt.Kind
	// Build computes the drawing in the room that it has. Its time and memory grow with the number of
	// steps of the story.
	Build func(ctx context.Context, s *story.Story, l Layout) (*drawing.Drawing, error)
}

// Key returns the name of the diagram.
func (d Diagram) Key() string { return d.Name }

// Whole reports whether the diagram shows no single event.
func (d Diagram) Whole() bool { return d.Kinds != nil && len(d.Kinds) == 0 }

// Check returns the error for which a registry refuses the diagram: it draws nothing.
func (d Diagram) Check() error {
	if d.Build == nil {
		return errors.New("expected a function Build")
	}
	return nil
}

// Registry is a list of diagrams, see [text.Registry].
type Registry = text.Registry[Diagram]

// Builtin returns the diagrams of etrace. A longer list comes from With.
func Builtin() Registry {
	return text.NewRegistry("diagram",
		graphDiagram,
		historyDiagram,
		overviewDiagram,
		ringDiagram,
		sequenceDiagram,
	)
}
