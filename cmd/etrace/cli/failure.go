package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"etrace/analyze/report"
	"etrace/analyze/spec"
	"etrace/record/scenario"
	"etrace/tracefmt/text"
	"etrace/tracefmt/tracedb"
)

// report prints the error of the command on one line of stderr. For a mistake in a rule it also prints the line, with
// a caret below the place. If the user requested JSON and stdout is still empty, it also prints the error there.
func (a *app) report(err error) {
	shown := a.describe(err)
	f := report.NewFailure(shown, append([]string{defaultTrace}, a.args[min(1, len(a.args)):]...)...)
	var mistake *spec.Error
	if errors.As(err, &mistake) && shown == oneLine(describe(err)) {
		shown = printableLines(mistake.Error())
		f = report.Failure{Error: oneLine(mistake.Message), File: mistake.File, Line: mistake.Line, Column: mistake.Column}
	}
	fmt.Fprintln(a.err, "etrace: "+shown)
	if out, ok := a.out.(*jsonOutput); ok && !out.written {
		_ = f.WriteJSON(a.out) // if stdout fails, the exit status still reports the error
	}
}

// describe returns the text of an error on one line. For a file of the wrong kind it names the command that reads it.
func (a *app) describe(err error) string {
	var damage *tracedb.Error
	if isParquet(err) && errors.As(err, &damage) {
		damage.Text = "this is Parquet" + parquetHint(a.args[0], damage.Path)
	}
	return oneLine(cmp.Or(wrongSort(a.args, oneLine(err.Error())), describe(err)))
}

// isParquet reports whether a file or folder could not be read because it is Parquet.
func isParquet(err error) bool {
	var damage *tracedb.Error
	return errors.As(err, &damage) && damage.Kind == tracedb.ErrParquet
}

// parquetHint returns the command that reads the Parquet file at path: a pipe, or a file if the command reads two
// inputs or shards open the file later. A command that only writes runs needs another output name.
func parquetHint(command, path string) string {
	cat := ": etrace-parquet cat " + scenario.ShellWord(path)
	switch command {
	case "record", "suite", "sweep":
		return ", expected another name"
	case "plan", "diff":
		return cat + " > run.jsonl"
	case "query":
		return cat + " | etrace query SQL -"
	}
	return cat + " | etrace " + command + " -"
}

// wantsJSON reports whether a command line asks for JSON on stdout. It reads only the arguments, because the failure
// may be that they cannot be parsed.
func wantsJSON(args []string) bool {
	for i, arg := range args {
		switch {
		case arg == "--":
			return false
		case arg == "--json", arg == "--format=json", arg == "json" && i > 0 && args[i-1] == "--format":
			return true
		}
		if value, ok := strings.CutPrefix(arg, "--json="); ok {
			wants, err := strconv.ParseBool(value)
			return err == nil && wants
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

// noDefaultTrace is the error of a folder in which nothing was recorded.
const noDefaultTrace = defaultTrace + ": no such file or directory"

// describe returns the text of an error. For an error of the operating system, the path comes first, then the fault,
// then a hint.
func describe(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist) && err.Error() == noDefaultTrace:
		return noDefaultTrace + "; it is read where no trace is named, and etrace record or etrace import makes it"
	case errors.As(err, &path) && err == error(path):
		return path.Path + ": " + path.Err.Error() + hint(err, path.Path)
	case path != nil && strings.HasPrefix(err.Error(), path.Path+": "): // the text begins with the path already
		return strings.Replace(err.Error(), path.Error(), path.Err.Error(), 1) + hint(err, path.Path)
	case path != nil:
		return err.Error() + hint(err, path.Path)
	}
	place, _, _ := strings.Cut(err.Error(), ": ")
	return err.Error() + hint(err, place)
}

// hint returns the hint of [missing] for the error of a file that does not exist, else "".
func hint(err error, path string) string {
	if errors.Is(err, fs.ErrNotExist) {
		return missingFileHint(path)
	}
	return ""
}

// oneLine returns the text on one line, without control characters.
func oneLine(s string) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = text.Printable(strings.TrimSpace(strings.ReplaceAll(lines[i], "\t", " ")))
	}
	return strings.Join(lines, " ")
}

// printableLines returns the text without control characters other than the ends of lines, so that it cannot command a
// terminal.
func printableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = text.Printable(strings.ReplaceAll(lines[i], "\t", " "))
	}
	return strings.Join(lines, "\n")
}
