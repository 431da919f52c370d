package complexity

import (
	"fmt"
	"io"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// Summary has the outcomes of runs that were just recorded.
type Summary struct {
	// File is the file that holds them.
	File string
	Runs []*Outcome
}

// summaryVersion is the version mark of the summary for programs.
const summaryVersion = "etrace.record/1"

// WriteJSON writes a summary for programs.
func (m *Summary) WriteJSON(w io.Writer) error {
	return tracefmt.WriteJSON(w, document.Object{"format", summaryVersion, "file", m.File, "runs", m.Runs})
}

// WriteText writes a line for each run.
func (m *Summary) WriteText(w io.Writer) error {
	for _, run := range m.Runs {
		number := ""
		if run.Run > 0 {
			number = fmt.Sprintf(" run %d", run.Run)
		}
		elected := ""
		switch {
		case run.Leader != nil:
			elected = ", leader " + text.Printable(string(run.Leader))
		case run.Problem == "election":
			elected = ", no common leader"
		}
		_, err := fmt.Fprintf(w, "%s%s: %s, %s, %s%s\n", m.File, number,
			size(run.Title, run.Processes, run.Events), text.Counted(run.Messages, "message", "messages"), run.End,
			elected)
		if err != nil {
			return err
		}
	}
	return nil
}
