package hunt

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// effort describes how much was tried.
func (f *Finding) effort() string {
	digits := 100 * time.Microsecond
	if f.Took > time.Second {
		digits = 100 * time.Millisecond
	}
	s := fmt.Sprintf(
		"%s of up to %s (%v", text.Counted(f.Plans, "plan", "plans"),
		text.Counted(f.Largest, "fault", "faults"), f.Took.Round(digits),
	)
	if f.Took > time.Millisecond {
		s += fmt.Sprintf(", %.0f a second", float64(f.Plans)/f.Took.Seconds())
	}
	s += ")"
	if f.Refused > 0 {
		s += fmt.Sprintf(", without %s that the algorithm does not take", text.Counted(f.Refused, "plan", "plans"))
	}
	return s
}

// WriteText writes a finding for people, with the command line that repeats it.
func (f *Finding) WriteText(w io.Writer) error {
	name := f.Property.Name
	if f.Scenario == nil {
		reason := "that is no proof"
		if f.OutOfTime {
			reason = "the time was over; " + reason
		}
		_, err := fmt.Fprintf(w, "%s: no violation found in %s: %s\n", name, f.effort(), reason)
		return err
	}
	where := "after " + f.effort()
	if f.Largest == 0 {
		where = "in the scenario itself"
	}
	saved := ""
	if number := f.Recording.Run().Number; number > 0 {
		saved = fmt.Sprintf(", recorded as run %d", number)
	}
	_, err := fmt.Fprintf(w, "%s violated: %s\nfound %s, shrunk in %s%s\n  etrace record %s\n", name,
		text.Printable(f.Result.Explanation),
		where, text.Counted(f.Shrinking, "further run", "further runs"), saved,
		text.Printable(f.Scenario.CommandLine()))
	return err
}

// jsonVersion is the version mark of reports for programs.
const jsonVersion = "etrace.hunt/1"

// WriteJSON writes a finding for programs; run is the number of the run in the trace that stores it.
func (f *Finding) WriteJSON(w io.Writer) error {
	d := document.Object{
		"format", jsonVersion,
		"property", f.Property.Name,
		"violated", f.Scenario != nil,
		"plans", f.Plans,
		"largest", f.Largest,
		"refused?", f.Refused,
		"out_of_time", f.OutOfTime,
		"shrinking?", f.Shrinking,
		"seconds", f.Took.Seconds(),
	}
	if f.Scenario != nil {
		d = append(d,
			"run?", f.Recording.Run().Number,
			"scenario", json.RawMessage(f.Scenario.JSON()),
			"command", "etrace record "+f.Scenario.CommandLine(),
			"witness", json.RawMessage(f.Result.WitnessJSON()),
			"explanation?", strings.ToValidUTF8(f.Result.Explanation, "\uFFFD"),
		)
	}
	return tracefmt.WriteJSON(w, d)
}
