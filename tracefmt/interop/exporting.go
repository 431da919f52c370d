package interop

import (
	"fmt"
	"io"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Export writes runs in a format. The omissions are the things that the format cannot express, in the order of their first
// occurrence; the caller should show them to the user.
func Export(f Format, w io.Writer, runs []tracefmt.Recording, options map[string]string) ([]Omission, error) {
	v, err := values(f.Name, f.WriteOptions, options)
	if err != nil {
		return nil, err
	}
	writing := &Writing{Writer: w, Values: v, format: f.Name}
	err = f.Write(writing, runs)
	return writing.omissions, err
}

// Writing is a file that a format writes: the destination, and the values of the format's options.
type Writing struct {
	io.Writer
	Values
	format    string
	omissions []Omission
}

// Omit records that one of the things, such as a timer, was left out, since the format cannot express it.
func (w *Writing) Omit(singular, many string) {
	for i := range w.omissions {
		if w.omissions[i].singular == singular {
			w.omissions[i].Count++
			return
		}
	}
	w.omissions = append(w.omissions, Omission{1, w.format, singular, many})
}

// Omission is a sort of thing that a format could not express.
type Omission struct {
	// Count is how often it was left out.
	Count                  int64
	format, singular, many string
}

// String writes "12 timers are left out, shiviz has no words for them".
func (o Omission) String() string {
	verb, them := "are", "them"
	if o.Count == 1 {
		verb, them = "is", "it"
	}
	return fmt.Sprintf("%s %s left out, %s has no words for %s", text.Counted(o.Count, o.singular, o.many), verb, o.format, them)
}
