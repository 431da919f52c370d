package interop

import (
	"fmt"
	"io"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Format is one foreign format.
type Format struct {
	// Name is what --from and --to call it.
	Name string
	// Doc says in a line what the format is.
	Doc string
	// Source says where the format is specified.
	Source string
	// Detect judges the first bytes of a file, see [Input.Head].
	Detect func(head []byte) Confidence
	// Read hands the runs of in to sink, one after another. The report is
	// valid, as far as it goes, also beside an error. What the sink got
	// before an error is the caller's to discard. Nil if the format is
	// written only.
	Read func(in *Input, sink tracefmt.Sink, o Options) (Report, error)
	// Write writes the runs in their order. Nil if the format is read only.
	Write func(w io.Writer, runs []tracefmt.Recording) error
}

// Confidence is how sure [Format.Detect] is.
type Confidence int

// The confidences, in ascending order.
const (
	// No: the file is not of the format.
	No Confidence = iota
	// Maybe: it looks like it, but files of other formats may look so too.
	Maybe
	// Sure: it carries a mark of the format.
	Sure
)

// Options are the choices of a reader. The zero value reads what it can and
// reports the rest.
type Options struct {
	// Strict makes errors of skipped lines and of findings.
	Strict bool
	ShiViz ShiVizOptions
}

// All returns the formats, sorted by name.
func All() []Format {
	return []Format{jsonl, shiviz}
}

// Lookup returns the format of that name.
func Lookup(name string) (Format, error) {
	for _, f := range All() {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, text.Unknown("format", name, names(All()))
}

// Sniff returns the format that is most confident about the first bytes of a
// file. No format, or two that are equally confident, is an error.
func Sniff(head []byte) (Format, error) {
	best, likely := Maybe, []Format(nil)
	for _, f := range All() {
		c := No
		if f.Read != nil {
			c = f.Detect(head)
		}
		if c > best {
			best, likely = c, nil
		}
		if c == best {
			likely = append(likely, f)
		}
	}
	switch {
	case len(likely) == 1:
		return likely[0], nil
	case len(likely) > 1:
		return Format{}, fmt.Errorf("the file may be %s: name its format", strings.Join(names(likely), " or "))
	case len(head) == 0:
		return Format{}, fmt.Errorf("the file is empty")
	}
	return Format{}, fmt.Errorf("no format recognised: name one of %s", strings.Join(names(All()), ", "))
}

func names(formats []Format) []string {
	list := make([]string, len(formats))
	for i, f := range formats {
		list[i] = f.Name
	}
	return list
}
