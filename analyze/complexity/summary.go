package complexity

import (
	"encoding/json"
	"fmt"
	"io"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Summary is what runs come to that were just recorded, in few words.
type Summary struct {
	// File to which they were recorded.
	File string
	Runs []*Stats
}

// summaryVersion is the version mark of the summary for programs.
const summaryVersion = "etrace.record/1"

type jsonSummary struct {
	Format string        `json:"format"`
	File   string        `json:"file"`
	Runs   []jsonOutcome `json:"runs"`
}

type jsonOutcome struct {
	Run       int             `json:"run"`
	Algorithm string          `json:"algorithm"`
	Processes int             `json:"processes"`
	Events    int64           `json:"events"`
	Messages  int64           `json:"messages"`
	End       tracefmt.End    `json:"end"`
	Leader    json.RawMessage `json:"leader"`
}

// WriteJSON writes a summary for programs.
func (m *Summary) WriteJSON(w io.Writer) error {
	out := jsonSummary{Format: summaryVersion, File: m.File}
	for _, s := range m.Runs {
		out.Runs = append(out.Runs, jsonOutcome{s.Run, s.Algorithm, s.Processes, s.Events, s.Messages.Sent, s.End, s.Leader})
	}
	return tracefmt.WriteJSON(w, out)
}

// WriteText writes a line for each run.
func (m *Summary) WriteText(w io.Writer) error {
	for _, s := range m.Runs {
		number := ""
		if s.Run > 0 {
			number = fmt.Sprintf(" run %d", s.Run)
		}
		leader := ""
		switch {
		case s.Leader != nil:
			leader = ", leader " + s.leader("")
		case s.Problem == "election":
			leader = ", no common leader"
		}
		_, err := fmt.Fprintf(w, "%s%s: %s, %s, %s%s\n",
			m.File, number, s.size(), text.Counted(s.Messages.Sent, "message", "messages"), s.End, leader)
		if err != nil {
			return err
		}
	}
	return nil
}
