package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"etrace/analyze/lint"
)

var githubFormat = Format{
	Name:  "github",
	Doc:   "annotations of GitHub Actions: an error for each violated property, a warning for each open one",
	Write: func(w io.Writer, r *Report, s Style) error { return r.findings(s).writeGitHub(w) },
}

var lintGitHub = LintFormat{
	Name:  "github",
	Doc:   "annotations of GitHub Actions: an error, a warning or a notice for each finding that is listed",
	Write: func(w io.Writer, r *Lint, _ Style) error { return r.findings().writeGitHub(w) },
}

// writeGitHub writes an annotation for each finding, at the line of the log of its last event.
func (f *findings) writeGitHub(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, found := range f.list {
		if found.rule == noRule && found.severity == lint.Note && found.fine {
			continue
		}
		location := ""
		// The last place with a log line is where the violation shows. Without one, the trace itself is annotated.
		for i, p := range slices.Backward(found.places) {
			if p.Origin.File != "" {
				location = fmt.Sprintf("file=%s,line=%d,", inProperty.Replace(harmless(p.Origin.File)), p.Origin.Line)
				break
			}
			if i == 0 {
				location = "file=" + inProperty.Replace(harmless(p.trace)) + ","
			}
		}
		command := string(found.severity)
		if found.severity == lint.Note {
			command = "notice"
		}
		fmt.Fprintf(
			b, "::%s %stitle=%s::%s\n", command, location, inProperty.Replace(found.title),
			inMessage.Replace(cmp.Or(found.text, found.message)),
		)
	}
	return b.Flush()
}

// Replacers for the characters that workflow commands reserve: without them a text could end a command
// and begin another.
var (
	// inMessage and inProperty escape the characters that workflow commands reserve. Otherwise a text from a
	// trace could end a command and begin another.
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
