package mapping

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

const (
	// maxGuessed bounds the lines of each file from which a mapping is guessed, and
	// maxGuessedBytes their bytes.
	maxGuessed      = 10_000
	maxGuessedBytes = 16 << 20
)

// Suggest writes a first mapping of logs of one execution, guessed from their first lines, at
// most 10,000 of each file. It imports these lines without an error. What it does not understand
// it lists in comments, and leaves to be counted and shown by an import; a log of which it
// understands nothing is an error.
func Suggest(ctx context.Context, files []*interop.Input, to io.Writer) error {
	s := new(sample)
	for _, in := range files {
		if err := s.read(in); err != nil {
			return err
		}
	}
	switch {
	case len(s.records) == 0:
		return fmt.Errorf("%s: has no lines, expected a log", files[0].Name())
	case s.document():
		return fmt.Errorf("%s: is a JSON document over several lines, expected a log of lines: write each of its objects on a line", files[0].Name())
	}
	s.cut()
	best, err := s.best(ctx)
	if err != nil {
		return err
	}
	best.prune()
	_, err = io.WriteString(to, best.String())
	return err
}

// best is the suggestion with which the lines break the fewest rules of traces.
func (s *sample) best(ctx context.Context) (best *suggestion, failed error) {
	r := s.roles()
	for _, bold := range boldness {
		x := s.suggest(r, bold)
		if len(x.rules) == 0 {
			continue
		}
		err := x.try(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case x.tally != nil && x.tally.understood() == 0: // its rules are for none of the lines
		case err != nil:
			failed = err
		case best == nil || x.tally.findings < best.tally.findings:
			best = x
		}
		if best != nil && best.tally.findings == 0 {
			break
		}
	}
	switch {
	case best != nil:
		return best, nil
	case failed != nil:
		return nil, fmt.Errorf("no mapping could be guessed, since no guess reads the log: %w; etrace explain map says how to write one", failed)
	}
	return nil, fmt.Errorf("%s: nothing is understood of its %s, such as %s: none is an end of a message, a start, a role or a vote in words that are known%s; etrace explain map says how to write a mapping",
		s.fileNames(), strings.TrimPrefix(s.extent(), "the "), text.Quote(text.Short(s.records[0].text, maxShown)), s.unheard())
}

// bold says what a guess dares to say of the lines.
type bold struct{ names, messages, lives, time bool }

// boldness are the guesses in the order in which they are tried: what the log refutes, such as
// numbers that do not name messages, a later one leaves out.
var boldness = []bold{
	{true, true, true, true},
	{false, true, true, true},
	{true, true, false, true},
	{false, true, false, true},
	{false, false, true, true},
	{false, false, false, true},
	{true, true, true, false},
	{false, true, false, false},
	{false, false, false, false},
}

// sample are the first lines of logs.
type sample struct {
	files   []sampleFile
	records []*sampled // of all files, without blank lines
	shape   lineLayout
}

type sampleFile struct {
	name string
	head []byte // the lines, as they are
	more bool   // there are further ones
}

// sampled is a line with its fields.
type sampled struct {
	file   string // its name, without folder and ending
	line   int
	text   string
	fields map[string]string // nil for a line that is not of the form
}

// read takes in the first lines of a file.
func (s *sample) read(in *interop.Input) error {
	file := sampleFile{name: in.Name()}
	base := filepath.Base(in.Name())
	base = strings.TrimSuffix(base, filepath.Ext(base))
	lines := bufio.NewReader(io.LimitReader(in, maxGuessedBytes))
	for n := 1; n <= maxGuessed; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return in.Errorf(n, "%w", err)
		}
		if err == io.EOF && n > 1 && len(file.head)+len(line) == maxGuessedBytes {
			break // the line may go on
		}
		file.head = append(file.head, line...)
		if plain := plainLine(line); strings.TrimSpace(plain) != "" {
			s.records = append(s.records, &sampled{file: base, line: n, text: plain})
		}
		if err == io.EOF {
			s.files = append(s.files, file)
			return nil
		}
	}
	_, err := lines.Peek(1)
	file.more = !errors.Is(err, io.EOF) || len(file.head) > maxGuessedBytes/2
	s.files = append(s.files, file)
	return nil
}

// plainLine is a line as an import has it: without its end and byte order mark, in UTF-8.
func plainLine(line []byte) string {
	line = bytes.TrimPrefix(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), []byte("\uFEFF"))
	return string(bytes.ToValidUTF8(line, []byte("\uFFFD")))
}

// try imports the lines by the mapping, and counts what becomes of them.
func (x *suggestion) try(ctx context.Context) error {
	m, err := Parse("suggested.yaml", []byte(x.String()))
	if err != nil {
		return err
	}
	count := &tally{took: make([]int, len(x.rules)), left: make(map[string]int)}
	m.watch = count.count
	inputs := make([]*interop.Input, len(x.files))
	for i, f := range x.files {
		if inputs[i], err = interop.NewInput(f.name, bytes.NewReader(f.head)); err != nil {
			return err
		}
	}
	report, err := interop.Import(ctx, interop.Format{Name: "map", Read: m.Read}, interop.Join(inputs...), tracefmt.Discard{}, interop.Settings{})
	for _, run := range report.Runs {
		count.findings += run.FindingCount
	}
	x.tally = count
	return err
}

// document reports whether the file is one JSON text over several lines.
func (s *sample) document() bool {
	if len(s.files) > 1 || s.files[0].more || len(s.records) < 2 || jsonFields(s.records[0].text) != nil {
		return false
	}
	head := bytes.TrimSpace(s.files[0].head)
	return (head[0] == '[' || head[0] == '{') && json.Valid(head)
}

// fileNames are the files, in words.
func (s *sample) fileNames() string {
	var names []string
	for _, f := range s.files {
		names = append(names, text.Printable(filepath.Base(f.name)))
	}
	return text.And(text.Few(names, 4))
}

// extent says how much was looked at: 12 lines, or the first 10,000 lines of each file.
func (s *sample) extent() string {
	for _, f := range s.files {
		if f.more {
			return fmt.Sprintf("the first %s", text.Counted(len(s.records), "line", "lines"))
		}
	}
	return text.Counted(len(s.records), "line", "lines")
}
