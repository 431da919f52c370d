package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt"
)

var githubFormat = Format{
	Name:  "github",
	Doc:   "annotations of GitHub Actions: an error for each violated property, a warning for what stayed open or was named in vain",
	Write: writeGitHub,
}

func writeGitHub(w io.Writer, r *Report, s Style) error {
	b := bufio.NewWriter(w)
	writeAt := func(command string, at tracefmt.Origin, title, message string) {
		place := ""
		if at.File != "" {
			place = "file=" + inProperty.Replace(plain(at.File)) + ","
		}
		if at.Line > 0 {
			place += fmt.Sprintf("line=%d,", at.Line)
		}
		fmt.Fprintf(b, "::%s %stitle=%s::%s\n", command, place, inProperty.Replace(title), inMessage.Replace(message))
	}
	write := func(command, file, title, message string) {
		writeAt(command, tracefmt.Origin{File: file}, title, message)
	}
	inVain := r.InVain()
	for i, run := range r.Runs {
		for _, remark := range run.Remarks {
			write("warning", run.Trace, fmt.Sprintf("run %d", run.Run.Number), plain(remark))
		}
		if assumed := run.assumed(s); assumed != "" && outcomes[run.Verdict] >= open {
			write("notice", run.Trace, fmt.Sprintf("run %d", run.Run.Number), assumed)
		}
		for _, p := range run.Results {
			if v := firstInVain(inVain, i, p); v != nil {
				write(ifOpen(!s.AllowOpen), run.Trace, plain(v.Property)+" applies to no run", plain(v.Why))
			}
			if command := annotation(p, s); command != "" {
				title := fmt.Sprintf("%s is %s in run %d", plain(p.Property.Name), p.Verdict, run.Run.Number)
				text := strings.Join(append([]string{run.detail(p)}, r.explanation(run, p)...), "\n")
				at := run.last(p.Witness)
				if at.File == "" {
					at = tracefmt.Origin{File: run.Trace}
				}
				writeAt(command, at, title, text)
			}
		}
	}
	for _, missing := range r.missing() {
		for _, what := range missing.list {
			write("error", r.fileOf(what), missing.title, plain(what))
		}
	}
	return b.Flush()
}

// annotation is the command for a result, "" for none.
func annotation(p *analyze.Result, s Style) string {
	switch o := outcomes[p.Verdict]; {
	case o == failed:
		return "error"
	case o == open:
		return ifOpen(s.counts(p))
	}
	return ""
}

// ifOpen is the command for what stayed open, which may count.
func ifOpen(counts bool) string {
	if counts {
		return "warning"
	}
	return "notice"
}

// What workflow commands demand to be escaped, so that no text can end a
// command and begin another.
var (
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
