package interop

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt/text"
)

const (
	// maxListed bounds the lines and findings of one sort that a report lists. It only counts the others.
	maxListed = 10
	// maxQuoted bounds a quotation from a file, in characters.
	maxQuoted = 81
)

// Report describes the result of an import of a file. Its sentences are safe to print, see [text.Printable];
// names of runs are as in the file.
type Report struct {
	Format string       `json:"format"`
	Runs   []*RunReport `json:"runs"`
	// Notes concern the file as a whole.
	Notes []string `json:"notes,omitempty"`
	// Cautions are the first parts of the notes that limit what verdicts mean.
	Cautions []string `json:"-"`
}

// Line describes in a line how much was read, in which format, how much was not understood, and what limits verdicts.
func (r *Report) Line() string {
	var events, processes, left int
	for _, run := range r.Runs {
		events += int(run.Events)
		processes = max(processes, run.Processes)
		left += run.Skipped.Lines
	}
	said := []string{"read as " + r.Format}
	if len(r.Notes) > 0 {
		said[0] = r.Notes[0]
	}
	if len(r.Runs) > 1 {
		runs := text.Counted(len(r.Runs), "run", "runs")
		if i := slices.IndexFunc(r.Runs, func(run *RunReport) bool { return run.Begins != "" }); i >= 0 {
			runs += fmt.Sprintf(" (run %d begins %s)", i+1, r.Runs[i].Begins)
		}
		said = append(said, runs)
	}
	said = append(said, text.Counted(processes, "process", "processes"), text.Counted(events, "event", "events"))
	if left > 0 {
		said = append(said, text.Counted(left, "line is", "lines are")+" not part of any event")
	}
	if len(r.Runs) == 1 {
		said = append(said, r.Runs[0].Account...)
	}
	for _, caution := range r.Cautions {
		if !strings.HasPrefix(said[0], caution) {
			said = append(said, caution)
		}
	}
	return strings.Join(said, ", ")
}

// RunReport describes the import of one run. It counts what the sink got.
type RunReport struct {
	Name   string `json:"name"`
	Events int64  `json:"events"`
	// Processes are the members of the run, those without events, too.
	Processes int `json:"processes"`
	// Messages are sends, Receives their ends; the difference is in flight
	// or lost.
	Messages int64 `json:"messages"`
	Receives int64 `json:"receives"`
	// Edges are direct happened-before pairs between processes. A message
	// may leave none, and an edge need not be a message.
	Edges int64 `json:"edges"`
	// Begins is the place where a run after the first begins, with the reason, if no line marks it.
	Begins string `json:"begins,omitempty"`
	// Notes are remarks that need no action.
	Notes []string `json:"notes,omitempty"`
	// Account lists, in sentences, the events that the log itself shows to be missing.
	Account []string `json:"account,omitempty"`
	// Findings are broken rules, by line: at most ten of each rule.
	Findings []Finding `json:"findings,omitempty"`
	// FindingCount includes findings that Findings omits.
	FindingCount int     `json:"finding_count"`
	Skipped      Skipped `json:"skipped"`
}

// Finding is a violated rule of the format. The file could be read all the same.
type Finding struct {
	Rule string `json:"rule"`
	// File is the name of the file, "" if the import has only one.
	File string `json:"file,omitempty"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

func (f Finding) String() string {
	if f.File != "" {
		return fmt.Sprintf("%s:%d: %s: %s", text.Printable(f.File), f.Line, f.Rule, f.Text)
	}
	return fmt.Sprintf("line %d: %s: %s", f.Line, f.Rule, f.Text)
}

// Skipped is the text that belongs to no event.
type Skipped struct {
	// Lines counts lines that are not blank, also lines with a part that belongs to an event.
	Lines int `json:"lines"`
	// First are the first ten.
	First []Line `json:"first,omitempty"`
}

// Line is a line of the file, or the part of it that was skipped, shortened.
type Line struct {
	// File is the name of the file, "" if the import has only one.
	File   string `json:"file,omitempty"`
	Number int    `json:"number"`
	Text   string `json:"text"`
}

// Skip counts a line that belongs to no event, and keeps the first ones. Blank
// lines do not count.
func (r *RunReport) Skip(line int, quotation string) {
	if strings.TrimSpace(quotation) == "" {
		return
	}
	s := &r.Skipped
	s.Lines++
	if len(s.First) < maxListed {
		s.First = append(s.First, Line{Number: line, Text: text.Printable(Shorten(quotation))})
	}
}

// Find adds a finding: a rule that a line violates. Of each rule it keeps the findings that are first in the
// file.
func (r *RunReport) Find(rule string, line int, format string, args ...any) {
	r.FindingCount++
	same, last := 0, -1
	for i, f := range r.Findings {
		if f.Rule == rule {
			same++
			if last < 0 || f.Line >= r.Findings[last].Line {
				last = i
			}
		}
	}
	if same == maxListed {
		if line >= r.Findings[last].Line {
			return
		}
		r.Findings = slices.Delete(r.Findings, last, last+1)
	}
	f := Finding{Rule: rule, Line: line, Text: text.Printable(fmt.Sprintf(format, args...))}
	at, _ := slices.BinarySearchFunc(r.Findings, line+1, func(f Finding, line int) int { return cmp.Compare(f.Line, line) })
	r.Findings = slices.Insert(r.Findings, at, f)
}

// takeIn adds the counts and remarks of a report about lines that belong to no other run.
func (r *RunReport) takeIn(from *RunReport) {
	r.Notes = append(r.Notes, from.Notes...)
	for _, f := range from.Findings {
		r.Find(f.Rule, f.Line, "%s", f.Text)
	}
	r.FindingCount += from.FindingCount - len(from.Findings)
	r.Skipped.Lines += from.Skipped.Lines
	first := slices.Concat(r.Skipped.First, from.Skipped.First)
	slices.SortStableFunc(first, func(a, b Line) int { return cmp.Compare(a.Number, b.Number) })
	r.Skipped.First = first[:min(len(first), maxListed)]
}

// Note adds a remark that needs no action.
func (r *RunReport) Note(format string, args ...any) {
	r.Notes = append(r.Notes, text.Printable(fmt.Sprintf(format, args...)))
}

// note adds a remark about the file as a whole.
func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, text.Printable(fmt.Sprintf(format, args...)))
}

// run adds a run to the report.
func (r *Report) run(name string) *RunReport {
	run := &RunReport{Name: name}
	r.Runs = append(r.Runs, run)
	return run
}

// Counts describes how much was imported: 2 processes, 4 events, 1 message, 1 edge.
func (r *RunReport) Counts() string {
	return strings.Join([]string{
		text.Counted(r.Processes, "process", "processes"), text.Counted(r.Events, "event", "events"),
		text.Counted(r.Messages, "message", "messages"), text.Counted(r.Edges, "edge", "edges"),
	}, ", ")
}

// Remarks returns notes, findings and skipped lines as sentences.
func (r *RunReport) Remarks() []string {
	var notes []string
	if r.Begins != "" {
		notes = append(notes, "a new execution begins "+r.Begins+"; a mapping with split would decide")
	}
	notes = slices.Concat(notes, r.Notes, r.Account)
	for _, f := range r.Findings {
		notes = append(notes, f.String())
	}
	if more := r.FindingCount - len(r.Findings); more > 0 {
		notes = append(notes, fmt.Sprintf("%d more findings", more))
	}
	if s := r.Skipped; s.Lines > 0 {
		places := make([]string, len(s.First))
		for i, line := range s.First {
			places[i] = strconv.Itoa(line.Number)
			if line.File != "" {
				places[i] = text.Printable(line.File) + ":" + places[i]
			}
		}
		notes = append(notes, fmt.Sprintf("%s not part of any event (%s), the first is %q",
			text.Counted(s.Lines, "line is", "lines are"), listPlaces(places, s.Lines, s.First[0].File != ""), s.First[0].Text))
	}
	return notes
}

// strict returns an error about the first complaint of the runs, or nil.
func (r *Report) strict(input *Input) error {
	var notes []Finding
	total := 0
	for _, run := range r.Runs {
		notes = append(notes, run.Findings...)
		for _, s := range run.Skipped.First {
			notes = append(notes, Finding{Rule: "every-line", Line: s.Number, Text: fmt.Sprintf("expected a part of an event, not %q", s.Text)})
		}
		total += run.FindingCount + run.Skipped.Lines
	}
	if total == 0 {
		return nil
	}
	first := slices.MinFunc(notes, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	more := ""
	if total > 1 {
		more = fmt.Sprintf(" (and %s)", text.Counted(total-1, "more finding", "more findings"))
	}
	return input.Errorf(first.Line, "%s: %s%s", first.Rule, first.Text, more)
}

// Shorten shortens a quotation of a file to fit on a line.
func Shorten(s string) string { return text.Short(s, maxQuoted) }

// listLines writes "line 3" or "lines 3, 7, …" of total lines, with the first few of them. For several files
// it writes "n1.log:3, n2.log:7, …".
func (input *Input) listLines(lines []int, total int) string {
	var places []string
	for _, line := range lines[:min(len(lines), maxListed)] {
		if input.Joined() {
			places = append(places, text.Printable(input.lineText(line)))
		} else {
			places = append(places, strconv.Itoa(line))
		}
	}
	return listPlaces(places, total, input.Joined())
}

// listPlaces is listLines for places as text: line numbers, or file:line if files is true.
func listPlaces(places []string, total int, files bool) string {
	if total > maxListed {
		places = append(places, "…")
	}
	list := strings.Join(places, ", ")
	switch {
	case files:
		return list
	case total > 1:
		return "lines " + list
	}
	return "line " + list
}

// localize replaces line numbers through all files by a file and its line number, if the import has several
// files.
func (r *Report) localize(input *Input) {
	for _, run := range r.Runs {
		for i := range run.Findings {
			f := &run.Findings[i]
			f.File, f.Line = input.local(f.Line)
		}
		for i := range run.Skipped.First {
			s := &run.Skipped.First[i]
			s.File, s.Number = input.local(s.Number)
		}
	}
}

// local returns the file and the line number in it; the file is "" if the import has only one.
func (input *Input) local(line int) (file string, local int) {
	if !input.Joined() {
		return "", line
	}
	return input.place(line)
}
