package interop

import (
	"fmt"
	"io"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Export writes runs in a format. The omissions are what the format has no
// words for, in the order in which it was met; a caller shows them.
func Export(f Format, w io.Writer, runs []tracefmt.Recording, options map[string]string) ([]Omission, error) {
	v, err := values(f.Name, f.WriteOptions, options)
	if err != nil {
		return nil, err
	}
	return f.export(&Writing{Writer: w, Values: v, format: f.Name}, runs)
}

// ExportFolder writes runs in a format, with options by which that writes a folder: create makes
// the files in it, whose names have slashes.
func ExportFolder(f Format, create func(name string) (io.WriteCloser, error), runs []tracefmt.Recording, options map[string]string) ([]Omission, error) {
	v, err := values(f.Name, f.WriteOptions, options)
	if err != nil {
		return nil, err
	}
	return f.export(&Writing{Create: create, Values: v, format: f.Name}, runs)
}

func (f *Format) export(to *Writing, runs []tracefmt.Recording) ([]Omission, error) {
	err := f.Write(to, runs)
	return to.omissions, err
}

// WritesFolder reports whether a format, with these options, writes a folder.
func (f *Format) WritesFolder(options map[string]string) (bool, error) {
	v, err := values(f.Name, f.WriteOptions, options)
	return err == nil && f.Folder != nil && f.Folder(v), err
}

// Writing is a file that is being written in a format: where the bytes go, and
// the values of the format's options.
type Writing struct {
	io.Writer
	Values
	// Create makes a file in the folder that is written, see [Format.Folder]; nil if a file is.
	Create    func(name string) (io.WriteCloser, error)
	format    string
	omissions []Omission
}

// Omit says that one of the things, such as a timer, was left out, since the
// format has no words for it.
func (w *Writing) Omit(one, many string) {
	for i := range w.omissions {
		if w.omissions[i].one == one {
			w.omissions[i].Count++
			return
		}
	}
	w.omissions = append(w.omissions, Omission{1, w.format, one, many})
}

// Omission is what a format could not say.
type Omission struct {
	// Count says how often.
	Count             int64
	format, one, many string
}

// String writes "12 timers are left out, shiviz has no words for them".
func (o Omission) String() string {
	verb, them := "are", "them"
	if o.Count == 1 {
		verb, them = "is", "it"
	}
	return fmt.Sprintf("%s %s left out, %s has no words for %s", text.Counted(o.Count, o.one, o.many), verb, o.format, them)
}
