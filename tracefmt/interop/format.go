package interop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Format is one foreign format. Package formats lists the formats of etrace.
type Format struct {
	// Name is what --from and --to call it.
	Name string
	// Doc describes the format in a line.
	Doc string
	// Describe describes the format in more detail than Doc; nil for nothing.
	Describe func() string
	// Source names the specification of the format.
	Source string
	// Detect judges the first bytes of a file, see [Input.Head]. It returns No for all files if the format has
	// no marks: then the user must name the format. A write-only format may have it, too; it serves the error
	// message of an import.
	Detect func(head []byte) Confidence
	// Read reads a file, see [Reading]. Nil if the format is written only.
	Read func(r *Reading) error
	// Suggest writes the description by which Read reads logs of one execution when it is given none.
	// Nil for formats that need none.
	Suggest func(ctx context.Context, files []*Input, w io.Writer) error
	// Slicer reads logs in parts. Nil for formats that read only whole files.
	Slicer *Slicer
	// Joins: files that are imported together are of one execution, and Read reads them
	// one after another, see [Input.Next].
	Joins bool
	// ReadOptions are the user's choices about reading.
	ReadOptions []Option
	// Write writes the runs in their order. Nil if the format is read only.
	Write func(w *Writing, runs []tracefmt.Recording) error
	// Extensions are those of files in the format, without dots, beside its name.
	Extensions []string
	// Keeps are the parts of a run that Write writes. Returns are the parts that Read recovers from them.
	Keeps, Returns Parts
	// WriteOptions are the user's choices about writing.
	WriteOptions []Option
}

// Key returns the name, for a [text.Registry].
func (f Format) Key() string { return f.Name }

// Check returns an error for a format that a registry must refuse: it does nothing, or its files cannot be
// recognised.
func (f Format) Check() error {
	switch {
	case f.Read == nil && f.Write == nil:
		return errors.New("expected a function Read or Write")
	case f.Read != nil && f.Detect == nil:
		return errors.New("expected a function Detect beside Read")
	}
	return nil
}

// Registry is a list of formats.
type Registry = text.Registry[Format]

// NewRegistry returns the registry of the formats, sorted by name. It panics
// at a mistake of the program, as [text.NewRegistry] does.
func NewRegistry(formats ...Format) Registry { return text.NewRegistry("format", formats...) }

// Readable returns the formats that can be read.
func Readable(known Registry) []Format {
	return slices.DeleteFunc(known.All(), func(f Format) bool { return f.Read == nil })
}

// Writable returns the formats that can be written.
func Writable(known Registry) []Format {
	return slices.DeleteFunc(known.All(), func(f Format) bool { return f.Write == nil })
}

// Names returns the names of formats.
func Names(formats []Format) []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}

// Confidence is how sure [Format.Detect] is.
type Confidence int

// The confidences, in ascending order.
const (
	// No: the file is not of the format.
	No Confidence = iota
	// Possible: the format accepts any file that no other format recognises.
	Possible
	// Maybe: the file looks like the format, but files of other formats may look so, too.
	Maybe
	// Sure: the file has a mark of the format.
	Sure
	// Certain: the file begins as files of no other format begin. The text after the beginning may quote other formats.
	Certain
)

// SureIf returns [Sure] if the file shows the marks of a format, and otherwise [No].
func SureIf(shows bool) Confidence {
	if shows {
		return Sure
	}
	return No
}

// CertainIf returns [Certain] if the file begins like files of a format, and otherwise [No].
func CertainIf(begins bool) Confidence {
	if begins {
		return Certain
	}
	return No
}

// ToRead returns the format in which to read a file: the format of that name. If name is empty, it is the only
// format with all the given options. If several have them, it is the format that is most confident about the
// first bytes of the file. ToRead fails without a format, and if two are equally confident.
func ToRead(known Registry, name string, given map[string]string, head []byte) (Format, error) {
	if name != "" {
		return formatNamed(known, name, Readable(known), "written")
	}
	formats := withOptions(Readable(known), given)
	if err := checkShared(formats, given); err != nil {
		return Format{}, err
	}
	switch {
	case len(formats) == 0:
		return Format{}, fmt.Errorf("no format has all the options %s", strings.Join(sortedKeys(given), ", "))
	case len(formats) == 1 && len(given) > 0:
		return formats[0], nil
	}
	unread := slices.DeleteFunc(known.All(), func(f Format) bool { return f.Read != nil })
	f, err := mostConfident(formats, unread, head)
	if errors.Is(err, ErrNotRecognised) && len(given) > 0 {
		// The advice of the caller, to name a map or a format, would not help.
		const message = "no format recognised that has the option %s: %s"
		return f, fmt.Errorf(message, strings.Join(sortedKeys(given), ", "), strings.Join(Names(formats), ", "))
	}
	return f, err
}

// OfAnother reports whether the first bytes of a file show that it is of another format with all the given
// options: f does not recognise them, and the other format is [Sure].
func OfAnother(known Registry, f Format, given map[string]string, head []byte) bool {
	if f.Detect(head) > Possible {
		return false
	}
	return slices.ContainsFunc(withOptions(Readable(known), given), func(rival Format) bool { return rival.Detect(head) >= Sure })
}

// withOptions keeps the formats that have all the given options to read.
func withOptions(formats []Format, given map[string]string) []Format {
	return slices.DeleteFunc(formats, func(f Format) bool {
		for option := range given {
			if find(f.ReadOptions, option) == nil {
				return true
			}
		}
		return false
	})
}

// ToWrite returns the format of that name. It fails if the format cannot be written.
func ToWrite(known Registry, name string) (Format, error) {
	return formatNamed(known, name, Writable(known), "read")
}

// formatNamed returns the format of that name if it is able. For other formats the error names the only direction
// that they support.
func formatNamed(known Registry, name string, able []Format, ability string) (Format, error) {
	f, err := known.Lookup(name)
	switch {
	case err != nil:
		return f, text.Unknown("format", name, Names(able)) // suggests only a format with the ability
	case !slices.Contains(Names(able), name):
		return f, fmt.Errorf("format %s is only %s, expected one of: %s", name, ability, strings.Join(Names(able), ", "))
	}
	return f, nil
}

// ErrNotRecognised is the error for a file that no format recognises.
var ErrNotRecognised = errors.New("no format recognised")

// mostConfident returns the format that is most confident about a file. It also knows the unread formats, to explain
// in the error that they cannot be read.
func mostConfident(formats, unread []Format, head []byte) (Format, error) {
	best, likely := Possible, []Format(nil)
	for _, f := range slices.Concat(formats, unread) {
		if f.Detect == nil {
			continue
		}
		c := f.Detect(head)
		if c > best {
			best, likely = c, nil
		}
		if c == best {
			likely = append(likely, f)
		}
	}
	switch {
	case len(likely) == 1 && likely[0].Read == nil:
		return Format{}, fmt.Errorf(
			"the file is of format %s, which is only written; expected one of: %s", likely[0].Name,
			strings.Join(Names(formats), ", "),
		)
	case len(likely) == 1:
		return likely[0], nil
	case len(likely) > 1:
		return Format{}, fmt.Errorf("the file may be %s: name its format", strings.Join(Names(likely), " or "))
	case len(head) == 0:
		return Format{}, errors.New("the file is empty, expected a recording")
	}
	return Format{}, ErrNotRecognised
}
