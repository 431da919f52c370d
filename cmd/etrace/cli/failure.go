package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"etrace/analyze/spec"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// errorVersion is the format of a failure in JSON.
const errorVersion = "etrace.error/1"

// failure is the error of a command that could not do its work, for programs.
type failure struct {
	Format string `json:"format"`
	Error  string `json:"error"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// report says on stderr, in a line, why the command with the arguments failed:
// of a rule with a mistake also the line, and a caret below the place. If JSON
// was asked for and stdout is still empty, it says it there, too.
func (a *app) report(args []string, err error) {
	f := failure{Format: errorVersion, Error: oneLine(describe(err))}
	var mistake *spec.Error
	if errors.As(err, &mistake) {
		f.Error, f.File, f.Line, f.Column = oneLine(mistake.Message), mistake.File, mistake.Line, mistake.Column
		fmt.Fprintln(a.err, "etrace: "+harmlessLines(mistake.Error()))
	} else {
		f.place(args)
		fmt.Fprintln(a.err, "etrace: "+f.Error)
	}
	if out, ok := a.out.(*jsonOutput); ok && !out.written {
		_ = tracefmt.WriteJSON(a.out, f) // the exit status says it as well
	}
}

// beginsWithPlace is how an error names a place in a file.
var beginsWithPlace = regexp.MustCompile(`^(\S.*?):([0-9]+)(?::([0-9]+))?: `)

// place finds the file that the error begins with: one with a line, or one that
// an argument names.
func (f *failure) place(args []string) {
	if m := beginsWithPlace.FindStringSubmatch(f.Error); m != nil {
		f.File = m[1]
		f.Line, _ = strconv.Atoi(m[2])
		f.Column, _ = strconv.Atoi(m[3])
		return
	}
	if name, _, ok := strings.Cut(f.Error, ": "); ok && (name == defaultTrace || slices.Contains(args[min(1, len(args)):], name)) {
		f.File = name
	}
}

// wantsJSON reports whether a command line asks for JSON on stdout. It does not
// take a command that understands it: which one cannot be parsed may be the
// failure.
func wantsJSON(args []string) bool {
	for i, arg := range args {
		switch {
		case arg == "--":
			return false
		case arg == "--json", arg == "--format=json", arg == "json" && i > 0 && args[i-1] == "--format":
			return true
		}
	}
	return false
}

// jsonOutput is a stdout that knows whether something was written to it.
type jsonOutput struct {
	io.Writer
	written bool
}

// Write implements [io.Writer].
func (o *jsonOutput) Write(b []byte) (int, error) {
	o.written = o.written || len(b) > 0
	return o.Writer.Write(b)
}

// describe makes the common errors of the operating system readable: place
// first, then what is wrong.
func describe(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	var path *fs.PathError
	if errors.As(err, &path) && err == error(path) {
		return path.Path + ": " + path.Err.Error()
	}
	return err.Error()
}

func oneLine(s string) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = text.Printable(strings.TrimSpace(strings.ReplaceAll(lines[i], "\t", " ")))
	}
	return strings.Join(lines, " ")
}

func harmlessLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = text.Printable(strings.ReplaceAll(lines[i], "\t", " "))
	}
	return strings.Join(lines, "\n")
}
