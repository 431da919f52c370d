package logs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/envelope"
	"etrace/tracefmt/interop/mapping"
	"etrace/tracefmt/text"
)

const (
	// A mapping is guessed from at most maxGuessed lines and maxGuessedBytes bytes of each file.
	maxGuessed      = 10_000
	maxGuessedBytes = 4 << 20
	// maxQuoted is how many characters of a line an error quotes.
	maxQuoted = 120
)

// testMark matches the line that begins a test.
var testMark = text.Pattern(mapping.TestMark)

// Guess guesses a mapping from the first lines of the logs of one execution, and writes it. Lines without a rule are
// listed in comments; an import counts and shows them. If no line is understood, Guess writes the processes and times
// that it found, and rules to complete by hand.
func Guess(ctx context.Context, files []*interop.Input, w io.Writer) error {
	s, err := newSample(interop.Join(files...))
	if err != nil {
		return err
	}
	return s.write(ctx, w)
}

// write writes the guess.
func (s *sample) write(ctx context.Context, w io.Writer) error {
	best, err := s.best(ctx)
	var nothing *nothingError
	switch {
	case errors.As(err, &nothing):
		_, err = io.WriteString(w, s.skeleton(nothing.text))
	case err == nil:
		_, err = io.WriteString(w, best.String())
	}
	return err
}

// guess returns a guessed mapping.
func guess(ctx context.Context, r *interop.Reading) (*mapping.Map, error) {
	s, err := newSample(r.Input)
	if err != nil {
		return nil, err
	}
	best, err := s.best(ctx)
	if err != nil {
		return nil, err
	}
	return s.use(r, best, "")
}

// use returns a guess as the mapping, and notes the reason.
func (s *sample) use(r *interop.Reading, best *suggestion, reason string) (*mapping.Map, error) {
	m, err := mapping.Parse("guessed.yaml", []byte(best.String()))
	if err != nil {
		return nil, err
	}
	if reason != "" {
		reason += "; "
	}
	found := ""
	if s.partly() {
		found = "in these "
	}
	r.Note(
		"%sread by a mapping guessed from %s%s, which etrace import --suggest prints: %s%s", reason, s.extent(),
		s.layers.Remark(), found, best.account(),
	)
	return m, nil
}

// newSample reads the first lines of the files, and cuts them into fields. The layers removes the envelope that a
// collector put around each line.
func newSample(input *interop.Input) (*sample, error) {
	s := new(sample)
	name := ""
	var heads [][]byte
	for file, first := range input.Samples(maxGuessedBytes) {
		name = cmp.Or(name, file)
		s.files = append(s.files, newSampleFile(file, first))
		heads = append(heads, s.files[len(s.files)-1].head)
	}
	s.layers = envelope.Find(heads...)
	for _, f := range s.files {
		s.take(f)
	}
	switch {
	case len(s.files[0].head) > 0 && !isText(s.files[0].head) && bytes.IndexByte(s.files[0].head, 0) >= 0:
		return nil, fmt.Errorf("%s: is no text, expected a log of lines", name)
	case len(s.records) == 0:
		return nil, fmt.Errorf("%s: has no lines, expected a log", name)
	}
	if document := s.document(); document != "" {
		return nil, fmt.Errorf("%s: is %s, expected a log of lines: write each of its objects on a line", name, document)
	}
	s.cut()
	return s, nil
}

// best returns the guess whose events contradict each other least.
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
		case x.tally != nil && (x.tally.understood() == 0 || x.prose()): // its rules are for none of the lines, or by chance
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
		best.prune()
		best.findBystanders()
		return best, nil
	case failed != nil:
		return nil, fmt.Errorf("no mapping could be guessed, since no guess reads the log: %w; etrace explain map says how to write one", failed)
	}
	reason := s.unheard() + s.undecided()
	for _, doubt := range r.doubts() {
		reason += "; " + doubt
	}
	return nil, &nothingError{fmt.Sprintf("%s: nothing is understood of its %s, such as %s%s",
		s.fileNames(), strings.TrimPrefix(s.extent(), "the "), text.Quote(text.Short(s.records[0].text, maxQuoted)), reason)}
}

// prose reports whether the file is a text and not a log: its lines have no time and no process, and most of them are
// not understood.
func (x *suggestion) prose() bool {
	return x.time == "" && x.process == "file" && len(x.files) == 1 && 2*x.tally.understood() < len(x.records)
}

// compete compares a guess with a ready mapping on the first lines. The ready mapping is used, unless it cannot order
// its events and the guess makes events of more lines, or only the guess makes events that properties are about.
func (s *sample) compete(ctx context.Context, ready *mapping.Map) (guessed *suggestion, said string, err error) {
	account, err := s.importBy(ctx, ready)
	if err == nil && account.findings == 0 && account.decisive {
		return nil, "", nil
	}
	best, unread := s.best(ctx)
	if ctx.Err() != nil || unread != nil {
		return nil, "", ctx.Err()
	}
	made := best.tally.understood() - best.tally.findings
	switch placed := account.events - account.findings; {
	case err != nil:
		return best, fmt.Sprintf("the ready map %s cannot read it (%v)", ready.Name, err), nil
	case !account.decisive: // its notes decide nothing
		m, err := mapping.Parse("guessed.yaml", []byte(best.String()))
		if err != nil {
			return nil, "", err
		}
		guessed, err := s.importBy(ctx, m)
		if err == nil && guessed.findings == 0 && guessed.decisive {
			return best, fmt.Sprintf("the ready map %s makes only notes of these lines", ready.Name), nil
		}
		return nil, "", ctx.Err()
	case made > placed:
		return best, fmt.Sprintf("the ready map %s places %d of these lines, the guess %d", ready.Name, max(placed, 0), made), nil
	}
	return nil, "", nil
}

// trial is what a mapping makes of the first lines: events, and findings about them. It is decisive if properties are
// about the events: notes that belong to no problem decide nothing.
type trial struct {
	tracefmt.Discard
	events, findings int
	decisive         bool
}

// Begin implements [tracefmt.Sink].
func (t *trial) Begin(run *tracefmt.Run) error {
	t.decisive = t.decisive || run.Problem != ""
	return nil
}

// Write implements [tracefmt.Sink].
func (t *trial) Write(e *tracefmt.Event) error {
	t.decisive = t.decisive || e.Kind != tracefmt.Note
	return nil
}

// importBy imports the first lines by a mapping, to count events and findings.
func (s *sample) importBy(ctx context.Context, m *mapping.Map) (t trial, err error) {
	inputs := make([]*interop.Input, len(s.files))
	for i, f := range s.files {
		inputs[i], err = interop.NewInput(f.name, bytes.NewReader(f.head))
		if err != nil {
			return t, err
		}
	}
	report, err := interop.Import(ctx, interop.Format{Name: "map", Read: m.Read}, interop.Join(inputs...), &t, interop.Settings{})
	for _, run := range report.Runs {
		t.findings += run.FindingCount
		t.events += int(run.Events)
	}
	return t, err
}

// nothingError is the error if no line of a log is understood.
type nothingError struct{ text string }

// Error implements error.
func (e *nothingError) Error() string { return e.text }

// Unwrap returns the error that no format recognises the log.
func (e *nothingError) Unwrap() error { return interop.ErrNotRecognised }

// bold selects what a guess infers from the lines.
type bold struct{ names, messages, lives, time bool }

// boldness lists the selections in the order in which they are tried. If the log contradicts an inference, for
// example because numbers do not identify messages, a later selection leaves it out.
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

// sample is the first lines of logs.
type sample struct {
	files  []sampleFile
	layers *envelope.Layers
	// records are the lines of all files, without blank lines.
	records []*sampled
	shape   lineLayout
	// arrivals is true if the envelopes have times. tests is true if the lines come from tests.
	arrivals, tests bool
}

type sampleFile struct {
	name string
	head []byte // the lines, as they are
	more bool   // there are further ones
}

// sampled is a line with its fields.
type sampled struct {
	// file is the name of the file without folder and extension, or the source in the envelope.
	file    string
	line    int
	text    string
	arrival string // the time of the envelope
	// fields is nil for a line that does not fit the form.
	fields map[string]string
	pairs  map[string]string // see [sample.findPairs]
}

// newSampleFile stores the part of a file that is examined, in complete lines.
func newSampleFile(name string, first interop.Sample) sampleFile {
	f := sampleFile{name: name, head: first.Bytes, more: first.More}
	if end := bytes.LastIndexByte(f.head, '\n'); f.more && end >= 0 {
		f.head = f.head[:end+1]
	}
	at := 0
	for range maxGuessed {
		end := bytes.IndexByte(f.head[at:], '\n')
		if end < 0 {
			return f
		}
		at += end + 1
	}
	f.more = f.more || at < len(f.head)
	f.head = f.head[:at]
	return f
}

// take adds the lines of a file to the sample, without the envelopes that collectors put around them.
func (s *sample) take(f sampleFile) {
	base := filepath.Base(f.name)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	n, peel := 0, s.layers.Peeler()
	for line := range bytes.Lines(f.head) {
		n++
		out := peel(envelope.PlainLine(line))
		if out.Fence || strings.TrimSpace(out.Text) == "" {
			continue
		}
		s.arrivals = s.arrivals || out.Time != ""
		if testMark().MatchString(out.Text) {
			s.tests = true
			continue
		}
		if !strings.HasPrefix(out.Text, "{") { // a JSON object keeps its full length until it is cut into values
			out.Text = beginning(out.Text)
		}
		s.records = append(s.records, &sampled{file: cmp.Or(out.Source, base), line: n, text: out.Text, arrival: out.Time})
	}
}

// maxSampledLine is how many bytes of a line are examined, since patterns are tried at each byte.
const maxSampledLine = 8 << 10

// beginning returns the part of a text that is examined.
func beginning(line string) string {
	if len(line) <= maxSampledLine {
		return line
	}
	return strings.ToValidUTF8(line[:maxSampledLine], "")
}

// try imports the lines by the guessed mapping and counts the results.
func (x *suggestion) try(ctx context.Context) error {
	m, err := mapping.Parse("suggested.yaml", []byte(x.String()))
	if err != nil {
		return err
	}
	count := &tally{took: make([]int, len(x.rules)), left: make(map[string]int)}
	m.Watch(count.count)
	result, err := x.importBy(ctx, m)
	count.findings = result.findings
	x.tally = count
	return err
}

var arrayOfObjects = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[\s*\{\s*["}]`) })

// document describes a file that is one JSON document. For a file of lines it returns "".
func (s *sample) document() string {
	if len(s.files) > 1 {
		return ""
	}
	head := bytes.TrimSpace(s.files[0].head)
	line, _, _ := bytes.Cut(head, []byte("\n"))
	// Of a long file only the beginning is known: an array that does not end on its line.
	complete := !s.files[0].more && json.Valid(head) || s.files[0].more && !json.Valid(line)
	switch {
	case complete && arrayOfObjects().Match(head):
		return "an array of JSON objects (--from tlc reads the states of TLC)"
	case complete && !s.files[0].more && len(s.records) > 1 && (head[0] == '[' || head[0] == '{') &&
		mapping.JSONFields(s.records[0].text) == nil:
		return "a JSON document over several lines"
	}
	return ""
}

// fileNames returns the names of the files in words.
func (s *sample) fileNames() string {
	var names []string
	for _, f := range s.files {
		names = append(names, text.Printable(filepath.Base(f.name)))
	}
	return text.And(text.Few(names, 4))
}

// extent describes how much was read, such as 12 lines, or the first 10,000 lines of each file.
func (s *sample) extent() string {
	lines := text.Counted(len(s.records), "line", "lines")
	if s.partly() {
		return "the first " + lines
	}
	return lines
}

// partly reports whether a file has more lines than the sample.
func (s *sample) partly() bool {
	return slices.ContainsFunc(s.files, func(f sampleFile) bool { return f.more })
}
