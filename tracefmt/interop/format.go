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

// Format is one foreign format. Package formats lists those that etrace knows.
type Format struct {
	// Name is what --from and --to call it.
	Name string
	// Doc says in a line what the format is.
	Doc string
	// Describe says more about the format than Doc; nil for nothing.
	Describe func() string
	// Source says where the format is specified.
	Source string
	// Detect judges the first bytes of a file, see [Input.Head]; No for all
	// files if the format has no marks: it is then read where it is named. A format
	// that is written only may have it, too: who imports such a file is told so.
	Detect func(head []byte) Confidence
	// Read reads a file, see [Reading]. Nil if the format is written only.
	Read func(r *Reading) error
	// Suggest writes the description by which Read reads logs of one execution when it is given none.
	// Nil for formats that need none.
	Suggest func(ctx context.Context, files []*Input, to io.Writer) error
	// Joins: files that are imported together are of one execution, and Read reads them
	// one after another, see [Input.Next].
	Joins bool
	// ReadOptions are the user's choices about reading.
	ReadOptions []Option
	// Write writes the runs in their order. Nil if the format is read only.
	Write func(w *Writing, runs []tracefmt.Recording) error
	// Extensions are those of files in the format, without dots, beside its name.
	Extensions []string
	// Keeps says what of a run is in what Write writes, Returns what Read makes of that again.
	Keeps, Returns Parts
	// WriteOptions are the user's choices about writing.
	WriteOptions []Option
}

// Key returns the name, for a [text.Registry].
func (f Format) Key() string { return f.Name }

// Check says what a registry must refuse: a format that does nothing, or whose
// files cannot be recognised.
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
func NewRegistry(all ...Format) Registry { return text.NewRegistry("format", all...) }

// Readable returns the formats that can be read.
func Readable(known Registry) []Format {
	return slices.DeleteFunc(known.All(), func(f Format) bool { return f.Read == nil })
}

// Writable returns the formats that can be written.
func Writable(known Registry) []Format {
	return slices.DeleteFunc(known.All(), func(f Format) bool { return f.Write == nil })
}

// Names returns the names of formats.
func Names(all []Format) []string {
	names := make([]string, len(all))
	for i, f := range all {
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
	// Possible: the format is for whatever no other takes for its own.
	Possible
	// Maybe: it looks like it, but files of other formats may look so too.
	Maybe
	// Sure: it carries a mark of the format.
	Sure
	// Certain: it begins as files of no other format do, whatever they quote later on.
	Certain
)

// SureIf is [Sure] of a file that shows the marks of a format, and [No] of others.
func SureIf(shows bool) Confidence {
	if shows {
		return Sure
	}
	return No
}

// CertainIf is [Certain] of a file that begins as those of a format do, and [No] of others.
func CertainIf(begins bool) Confidence {
	if begins {
		return Certain
	}
	return No
}

// ToRead returns the format in which to read a file: the one of that name or,
// if name is empty, the only one that has all the given options or, if there
// are several such, the one that is most confident about the first bytes of the
// file. No format, or two that are equally confident, is an error.
func ToRead(known Registry, name string, given map[string]string, head []byte) (Format, error) {
	if name != "" {
		return named(known, name, Readable(known), "written")
	}
	all := withOptions(Readable(known), given)
	if err := checkShared(all, given); err != nil {
		return Format{}, err
	}
	switch {
	case len(all) == 0:
		return Format{}, fmt.Errorf("no format has all the options %s", strings.Join(sortedKeys(given), ", "))
	case len(all) == 1 && len(given) > 0:
		return all[0], nil
	}
	unread := slices.DeleteFunc(known.All(), func(f Format) bool { return f.Read != nil })
	return sniff(all, unread, head)
}

// OfAnother reports whether a file is of another format that has all the given options, by its
// first bytes: f has no sign of its own there, and the other one is sure.
func OfAnother(known Registry, f Format, given map[string]string, head []byte) bool {
	if f.Detect(head) > Possible {
		return false
	}
	return slices.ContainsFunc(withOptions(Readable(known), given), func(other Format) bool { return other.Detect(head) >= Sure })
}

// withOptions keeps the formats that have all the given options to read.
func withOptions(all []Format, given map[string]string) []Format {
	return slices.DeleteFunc(all, func(f Format) bool {
		for option := range given {
			if find(f.ReadOptions, option) == nil {
				return true
			}
		}
		return false
	})
}

// ToWrite returns the format of that name, which must be one that can be written.
func ToWrite(known Registry, name string) (Format, error) {
	return named(known, name, Writable(known), "read")
}

// named returns the format of that name, which must be one of those that are able; of the others
// is said what alone can be done.
func named(known Registry, name string, able []Format, only string) (Format, error) {
	f, err := known.Lookup(name)
	switch {
	case err != nil:
		return f, text.Unknown("format", name, Names(able)) // the nearest of those that will do
	case !slices.Contains(Names(able), name):
		return f, fmt.Errorf("format %s is only %s, expected one of: %s", name, only, strings.Join(Names(able), ", "))
	}
	return f, nil
}

// ErrNotRecognised is the error for a file that no format takes for its own.
var ErrNotRecognised = errors.New("no format recognised")

// sniff returns the one of the formats that is most confident about a file. Those that are unread
// are known, so that who has such a file hears of it.
func sniff(all, unread []Format, head []byte) (Format, error) {
	best, likely := Possible, []Format(nil)
	for _, f := range slices.Concat(all, unread) {
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
		return Format{}, fmt.Errorf("the file is of format %s, which is only written; expected one of: %s", likely[0].Name, strings.Join(Names(all), ", "))
	case len(likely) == 1:
		return likely[0], nil
	case len(likely) > 1:
		return Format{}, fmt.Errorf("the file may be %s: name its format", strings.Join(Names(likely), " or "))
	case len(head) == 0:
		return Format{}, errors.New("the file is empty, expected a recording")
	}
	return Format{}, ErrNotRecognised
}
