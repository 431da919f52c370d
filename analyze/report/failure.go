package report

import (
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text/document"
)

// FailureVersion is the version mark of a failure in JSON.
const FailureVersion = "etrace.error/1"

// Failure is the reason why a command failed, for programs.
type Failure struct {
	// Error is the message of the command, a line.
	Error string
	// File is the file that the error names, "" for none. Line and Column are the place in it, from 1; 0 if the
	// error names none.
	File         string
	Line, Column int
}

// beginsWithPlace matches an error that names a place in a file.
var beginsWithPlace = regexp.MustCompile(`^(\S.*?):([0-9]+)(?::([0-9]+))?: `)

// NewFailure returns the failure for an error of one line. Its file is the one at the beginning of the error,
// which must have a line number or be one of the names.
func NewFailure(err string, names ...string) Failure {
	f := Failure{Error: err}
	if strings.HasPrefix(err, "--") { // about a flag, whose value may look like a place
		return f
	}
	if m := beginsWithPlace.FindStringSubmatch(err); m != nil {
		f.File = m[1]
		f.Line, _ = strconv.Atoi(m[2])
		f.Column, _ = strconv.Atoi(m[3])
		return f
	}
	if name, _, ok := strings.Cut(err, ": "); ok && slices.Contains(names, name) {
		f.File = name
	}
	return f
}

// WriteJSON writes the failure for programs.
func (f Failure) WriteJSON(w io.Writer) error {
	return tracefmt.WriteJSON(w, document.Object{
		"format", FailureVersion, "error", f.Error, "file?", f.File, "line?", f.Line, "column?", f.Column,
	})
}
