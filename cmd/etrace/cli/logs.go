package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"etrace/tracefmt/interop"
	"etrace/tracefmt/tracedb"
	"etrace/tracefmt/tracefile"
)

// Commands that read a trace also read the logs of other programs: these are imported first.
// Adjacent logs form one execution; the first log names it.

// mapFlag adds the flag --map, which names the mapping for the logs of a command.
func (a *app) mapFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.mapping, "map", "", "the mapping of the log: a name or `FILE`")
}

// mapOption returns the mapping as an option of formats, nil without --map.
func (a *app) mapOption() map[string]string {
	if a.mapping == "" {
		return nil
	}
	return map[string]string{"map": a.mapping}
}

// traceMark is a text in the first lines of every trace in JSON Lines.
const traceMark = `"etrace/`

// logFormat returns the format of the log at path; ok is false if the file is a trace, another file of etrace, or in no
// known format.
func (a *app) logFormat(path string) (format interop.Format, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return format, false
	}
	if s, known := sortOf(path); known && s.description != compressed { // not compressed: unpacked it may be a log
		return format, false
	}
	file, err := os.Open(path)
	if err != nil {
		return format, false
	}
	defer file.Close()
	input, err := interop.NewInput(path, file)
	if err != nil || tracedb.CheckFile(path) == nil ||
		bytes.HasPrefix(input.Head(), []byte(tracedb.ParquetMagic)) || bytes.Contains(input.Head(), []byte(traceMark)) {
		return format, false
	}
	format, err = interop.ToRead(a.Formats, "", a.mapOption(), input.Head())
	return format, err == nil
}

// copyOf returns the first of the files with the same bytes as the log, "" without such a file.
func copyOf(files []string, log string) string {
	info, err := os.Stat(log)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return ""
	}
	for _, file := range files {
		before, err := os.Stat(file)
		if err != nil || before.Size() != info.Size() {
			continue
		}
		if os.SameFile(before, info) || sameBytes(file, log) {
			return file
		}
	}
	return ""
}

// withoutRepeats returns each file once, and notes repeated names.
func (a *app) withoutRepeats(files []string) (once []string) {
	for _, file := range files {
		if same := func(f string) bool { return filepath.Clean(f) == filepath.Clean(file) }; slices.ContainsFunc(once, same) {
			a.note("%s: given twice, read once", file)
			continue
		}
		once = append(once, file)
	}
	return once
}

// sameBytes reports whether two files have the same content; false if one cannot be opened.
func sameBytes(first, second string) bool {
	a, err := os.Open(first)
	if err != nil {
		return false
	}
	defer a.Close()
	b, err := os.Open(second)
	if err != nil {
		return false
	}
	defer b.Close()
	left, right := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(a, left)
		m, _ := io.ReadFull(b, right)
		if !bytes.Equal(left[:n], right[:m]) {
			return false
		}
		if err != nil { // at the end; an error of reading comes up again when the log is imported
			return true
		}
	}
}

// isLog reports whether the file at path is a log in a known format.
func (a *app) isLog(path string) bool {
	_, ok := a.logFormat(path)
	return ok
}

// executions groups files: adjacent logs whose format joins files form one execution. It returns the first file of each
// execution; a.joined has the other files by the first.
func (a *app) executions(paths []string) (firsts []string) {
	a.joined = make(map[string][]string)
	first := ""
	for _, path := range a.withoutEmpty(a.withoutRepeats(paths)) {
		format, isLog := a.logFormat(path)
		if isLog && format.Joins && first != "" {
			a.joined[first] = append(a.joined[first], path)
			continue
		}
		firsts = append(firsts, path)
		first = ""
		if isLog && format.Joins {
			first = path
		}
	}
	return firsts
}

// withoutEmpty returns the files without empty logs, unless all are empty.
func (a *app) withoutEmpty(paths []string) (written []string) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > 0 || namesTrace(path) {
			written = append(written, path)
		}
	}
	if len(written) == 0 {
		return paths
	}
	for _, path := range paths {
		if !slices.Contains(written, path) {
			a.note("%s: left out, because it is empty: its process has no record", path)
		}
	}
	return written
}

// oneTrace checks the arguments of a command that takes one TRACE. Several files are accepted if they are the logs of one
// execution.
func (a *app) oneTrace(cmd *cobra.Command, args []string) error {
	if len(args) > 1 && len(a.executions(args)) == 1 {
		return nil
	}
	return atMost(1, "a trace")(cmd, args)
}

// openLogs imports the log at path and the other logs of its execution, and returns them as a trace. It prints a line on
// each input.
func (a *app) openLogs(ctx context.Context, path string, o tracefile.Options) (*tracefile.Trace, error) {
	files := append([]string{path}, a.joined[path]...)
	return tracefile.Made(path, func(trace io.Writer) error {
		w := tracefile.NewWriter(trace)
		reading := a.inputProgress(files)
		defer reading.bar.done()
		f := &importFlags{options: a.mapOption}
		sink := &importSink{Sink: w, reading: reading}
		for remaining := files; len(remaining) > 0; {
			rep, read, err := a.importNext(ctx, remaining, f, sink)
			if err != nil {
				return err
			}
			a.note("%s: %s", filesText(remaining[:read]), rep.Line())
			remaining = remaining[read:]
		}
		return w.Commit()
	}, o)
}
