package cli

import (
	"bytes"
	"context"
	"os"

	"github.com/spf13/cobra"

	"etrace/tracefmt/interop"
	"etrace/tracefmt/tracedb"
	"etrace/tracefmt/tracefile"
)

// Commands that read a trace read the logs of other programs, too: these are imported into memory first.
// Several logs after one another are one execution, of which the first gives the name.

// logFormat returns the format of a file that is no trace.
func (a *app) logFormat(path string) (format interop.Format, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return format, false
	}
	if s, known := sortOf(path); known && s.what != compressed { // not compressed: unpacked it may be a log
		return format, false
	}
	file, err := os.Open(path)
	if err != nil {
		return format, false
	}
	defer file.Close()
	in, err := interop.NewInput(path, file)
	if err != nil || tracedb.CheckFile(path) == nil || bytes.HasPrefix(in.Head(), []byte(tracedb.ParquetMagic)) || bytes.Contains(in.Head(), []byte(`"etrace/`)) {
		return format, false
	}
	format, err = interop.ToRead(a.Formats, "", nil, in.Head())
	return format, err == nil
}

func (a *app) isLog(path string) bool {
	_, ok := a.logFormat(path)
	return ok
}

// executions groups files: logs that follow one another are of one execution, and the first stands for them.
func (a *app) executions(paths []string) (firsts []string) {
	a.joined = make(map[string][]string)
	first := ""
	for _, path := range paths {
		format, isLog := a.logFormat(path)
		if isLog && format.Joins && first != "" {
			a.joined[first] = append(a.joined[first], path)
			continue
		}
		firsts = append(firsts, path)
		if first = ""; isLog && format.Joins {
			first = path
		}
	}
	return firsts
}

// oneTrace checks the arguments of a command that takes one TRACE: several are logs of one execution.
func (a *app) oneTrace(cmd *cobra.Command, args []string) error {
	if len(args) > 1 && len(a.executions(args)) == 1 {
		return nil
	}
	return atMost(1, "a trace")(cmd, args)
}

// openLogs imports logs into a trace in memory, and says in a line what was read.
func (a *app) openLogs(ctx context.Context, path string, o tracefile.Options) (*tracefile.Trace, error) {
	files := append([]string{path}, a.joined[path]...)
	var jsonl bytes.Buffer
	w := tracefile.NewWriter(&jsonl)
	intake := a.intake(files)
	defer intake.bar.done()
	f := &importFlags{options: func() map[string]string { return nil }}
	sink := &importSink{Sink: w, intake: intake}
	for rest := files; len(rest) > 0; {
		rep, read, err := a.importNext(ctx, rest, f, sink)
		if err != nil {
			return nil, err
		}
		a.note("%s: %s", named(rest[:read]), rep.Line())
		rest = rest[read:]
	}
	if err := w.Commit(); err != nil {
		return nil, err
	}
	return tracefile.Read(path, &jsonl, o)
}
