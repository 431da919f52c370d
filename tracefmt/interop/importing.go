package interop

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/spill"
	"etrace/tracefmt/text"
)

// Settings are what a user decides about an import. The zero value reads what
// it can and reports the rest.
type Settings struct {
	// Strict makes an error of the first finding or skipped line.
	Strict bool
	// Options are values of the format's options, by name.
	Options map[string]string
	// Tool is named as the recorder of runs that a [Builder] makes.
	Tool string
	// Completeness overrides the completeness that the runs declare, see [tracefmt.Run.Declare]; nil for no
	// change.
	Completeness *tracefmt.Completeness
	// Stated is added to the statements of the file.
	Stated tracefmt.Statement
	// Explain gets what the format made of each line; nil for nowhere. Not every format has
	// words for it.
	Explain io.Writer
	// Copies are files that are not read, since each has the same bytes as another file.
	Copies []string
	// Preview, unless nil, is called when a run begins that a [Builder] makes, and its writer gets the events while the
	// file is read, in the order of the file. It is called again, and all events so far come again, when the
	// description of the run changes, as by a further process. The run that the sink gets at the end counts: it may
	// have another order, more pairs of messages and a lower completeness.
	Preview func(*tracefmt.Run) tracefmt.Writer
	// Share, unless nil, has the import read some of the files, and write their entries instead of runs.
	Share *Share
	// Memory is about how many bytes of what a [Builder] keeps until the file was read are in
	// memory, 0 for 64 MiB. The rest is in a temporary file.
	Memory int
}

const defaultMemory = 64 << 20

// Copies returns the files that are left out as copies, see [Settings.Copies].
func (r *Reading) Copies() []string { return r.settings.Copies }

// Import reads a file and hands its runs to a sink, one after another. It handles what all formats share:
// options, strictness, limits and interruption; only well-formed runs pass. The report is valid, as far as it
// goes, also beside an error. The caller must discard the runs that the sink got before an error. While a text
// is read as a whole, as JSON documents are, the memory limit of the process (debug.SetMemoryLimit) is 64 MiB
// and 12 times the text above the heap before. A limit that is set already stays.
func Import(ctx context.Context, f Format, input *Input, sink tracefmt.Sink, s Settings) (Report, error) {
	s.Memory = cmp.Or(s.Memory, defaultMemory)
	r := &Reading{Input: input, sink: sink, settings: s, report: Report{Format: f.Name}, store: spill.New(s.Memory)}
	defer r.store.Close()
	defer r.heap.lift()
	input.ctx = ctx
	defer func() { r.report.localize(input) }()
	var err error
	r.Values, err = values(f.Name, f.ReadOptions, s.Options)
	if err != nil {
		return r.report, input.Errorf(0, "%w", err)
	}
	for _, p := range slices.Concat([]part{r.part}, r.unread) {
		r.files = append(r.files, sharedFile{p.file, p.size})
	}
	err = f.Read(r)
	if r.err != nil { // r.err came first, and Read may only have passed on a consequence
		err = r.err
	}
	switch {
	case err != nil:
	case s.Share != nil:
		err = r.writeShare()
	case r.sharesMustNot():
		err = r.sink.(*OrderSink).writeAtOnce(r.atOnce)
	default:
		err = r.finish()
	}
	return r.report, err
}

// finish writes the runs of all Builders to the sink. The sink gets nothing before the whole file was
// understood, so a file that is refused leaves nothing in it.
func (r *Reading) finish() error {
	if err := r.hasEvents(); err != nil {
		return err
	}
	r.dropEmpty()
	for _, b := range r.builders {
		if err := b.complete(); err != nil {
			return err
		}
	}
	if r.settings.Strict {
		if err := r.report.strict(r.Input); err != nil {
			return err
		}
	}
	for _, b := range r.builders {
		if err := b.emit(); err != nil {
			return err
		}
	}
	return nil
}

// dropEmpty drops executions without events, such as the text before the first line that divides executions. The next
// execution with events takes their remarks; those of the last executions go to the execution before.
func (r *Reading) dropEmpty() {
	var full []*Builder
	var pending *RunReport // the remarks of dropped executions that no execution has taken
	named := 0
	for _, b := range r.builders {
		if b.events.Len() > 0 {
			full = append(full, b)
			if pending != nil {
				b.RunReport.takeIn(pending)
				pending = nil
			}
			continue
		}
		r.report.Runs = slices.DeleteFunc(r.report.Runs, func(run *RunReport) bool { return run == b.RunReport })
		if pending == nil {
			pending = new(RunReport)
		}
		pending.takeIn(b.RunReport)
		if b.run.Name != "" {
			named++
		}
	}
	if pending != nil && len(full) > 0 {
		full[len(full)-1].RunReport.takeIn(pending)
	}
	if named > 0 {
		r.Note("%s without events, left out", text.Counted(named, "execution is", "executions are"))
	}
	r.builders = full
}

// hasEvents returns an error if the file has no event.
func (r *Reading) hasEvents() error {
	for _, b := range r.builders {
		if b.events.Len() > 0 {
			return nil
		}
	}
	switch runs := r.report.Runs; {
	case len(runs) > len(r.builders):
		return nil // the runs were passed on to the sink while they were read
	case len(runs) > 0 && runs[0].Skipped.Lines > 0:
		first := runs[0].Skipped.First[0]
		return r.Errorf(first.Number, "no event of format %s in the file, here it says %q", r.report.Format, first.Text)
	}
	return r.Errorf(0, "no event of format %s in the file", r.report.Format)
}

// Reading is a file that a format reads: its contents, the values of the format's options, and the destination
// of its runs.
type Reading struct {
	*Input
	Values
	sink     tracefmt.Sink
	settings Settings
	report   Report
	store    *spill.Store // the store of all that the builders keep
	builders []*Builder
	files    []sharedFile // in the order in which they were joined
	heap     heapBound
	atOnce   string // see AtOnce
	// unbounded is the bytes of the lines since heap was raised.
	unbounded int
	err       error // the first error of methods without an error result, such as Builder.Add
}

// Context is that of the import.
func (r *Reading) Context() context.Context { return cmp.Or(r.ctx, context.Background()) }

// Explain returns the writer for the fate of each line, nil if unused.
func (r *Reading) Explain() io.Writer { return r.settings.Explain }

// Place names a line for people, with its file: n1.log:12.
func (r *Reading) Place(line int) string {
	file, local := r.place(line)
	return text.Printable(fmt.Sprintf("%s:%d", file, local))
}

// Note adds a remark about the file as a whole to the report.
func (r *Reading) Note(format string, args ...any) { r.report.note(format, args...) }

// Caution adds a remark about the file as a whole that limits the meaning of verdicts. [Report.Line] contains
// the fact, but not the reason.
func (r *Reading) Caution(fact, reason string) {
	r.Note("%s: %s", fact, reason)
	r.report.Cautions = append(r.report.Cautions, text.Printable(fact))
}

// Pass begins a run whose events need no Builder, such as a run in JSON Lines. The reader writes its description
// and events to the passage unchanged, and finishes it.
func (r *Reading) Pass(run *tracefmt.Run) (*Passage, error) {
	return r.pass(run, r.report.run(run.Name))
}

// pass is Pass with a report that exists already.
func (r *Reading) pass(run *tracefmt.Run, report *RunReport) (*Passage, error) {
	if err := run.Declare(r.settings.Completeness); err != nil {
		return nil, err
	}
	if err := run.Validate(); err != nil {
		return nil, err
	}
	p := &Passage{RunReport: report, input: r.Input, sink: r.sink, valid: tracefmt.NewValidator(run)}
	if stated := r.settings.Stated; !stated.Empty() {
		p.sink = &staging{statement: stated, sink: r.sink, passage: p}
	}
	p.Processes, p.Account = len(run.Members), run.Account()
	return p, p.sink.Begin(run)
}

// Passage passes the events of a run from a reader to the caller's sink. It stops at the first event that is not
// well-formed, and counts the events.
type Passage struct {
	*RunReport
	input *Input
	sink  tracefmt.Sink
	valid *tracefmt.Validator
	// replaced are the inferred crashes and halts that stated crashes replace.
	replaced []tracefmt.Seq
}

// Write checks an event and passes it on.
func (p *Passage) Write(e *tracefmt.Event) error {
	if err := p.valid.Check(e); err != nil {
		return err
	}
	if e.Seq&1023 == 0 {
		if err := p.input.interrupted(); err != nil {
			return err
		}
	}
	p.count(e)
	return p.sink.Write(e)
}

// Finish ends the run.
func (p *Passage) Finish(end tracefmt.End) error { return p.sink.Finish(end) }

// count adds an event to the counts of the report.
func (p *Passage) count(e *tracefmt.Event) {
	p.Events++
	switch e.Kind {
	case tracefmt.Send:
		p.Messages++
	case tracefmt.Receive:
		p.Receives++
	}
	if e.Cause != 0 && e.Peer != e.Process {
		p.Edges++
	}
}

// staging keeps a run in memory until its last event, and then writes it with the user's statements.
type staging struct {
	tracefmt.Memory
	statement tracefmt.Statement
	sink      tracefmt.Sink
	passage   *Passage
}

// Finish implements [tracefmt.Sink].
func (s *staging) Finish(end tracefmt.End) error {
	if err := s.Memory.Finish(end); err != nil {
		return err
	}
	replaced, err := s.statement.Replaces(&s.Memory)
	if err != nil {
		return err
	}
	s.passage.Events += int64(len(s.statement.Crashes) - len(replaced))
	s.passage.replaced = replaced
	return s.statement.Write(s.sink, &s.Memory)
}

// interrupted returns an error if the import was cancelled, otherwise nil.
func (input *Input) interrupted() error {
	if input.ctx == nil || input.ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("interrupted: %w", context.Cause(input.ctx))
}
