package interop

import (
	"fmt"
	"io"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Summary is the result of an import of several files.
type Summary struct {
	Output string // the trace that has the runs now
	First  int    // the number of the first run in Output, 0 if it does not number runs
	Files  []FileReport
}

// FileReport is the report of one file.
type FileReport struct {
	File string `json:"file"`
	Report
}

// JSONVersion is the version mark of the summary for programs.
const JSONVersion = "etrace.import/1"

// WriteJSON writes a summary for programs.
func (s *Summary) WriteJSON(w io.Writer) error {
	return tracefmt.WriteJSON(w, struct {
		Format string       `json:"format"`
		Output string       `json:"output"`
		Files  []FileReport `json:"files"`
	}{JSONVersion, s.Output, s.Files})
}

// WriteText writes a line for each run. Remarks about a file or run go to remark, a sentence at a time and in
// between.
func (s *Summary) WriteText(w io.Writer, remark func(sentence string)) error {
	number := s.First
	for _, f := range s.Files {
		for _, note := range f.Notes {
			remark(f.File + ": " + note)
		}
		for _, run := range f.Runs {
			name := f.Format
			if run.Name != "" {
				name = text.Printable(run.Name)
			}
			_, err := fmt.Fprintf(w, "%s%s: %s from %s, %s\n", s.Output, numbered(s.First, number), name, text.Printable(f.File), run.Counts())
			if err != nil {
				return err
			}
			for _, sentence := range run.Remarks() {
				remark(f.File + ": " + sentence)
			}
			number++
		}
	}
	return nil
}

// numbered returns " run 3" for the run with an index, or "" if the output does not number runs, as JSON Lines.
func numbered(first, number int) string {
	if first == 0 {
		return ""
	}
	return fmt.Sprintf(" run %d", number)
}
