package diff

import (
	"fmt"

	"etrace/tracefmt"
)

// Outcome is the result of comparing two runs.
type Outcome string

// The outcomes.
const (
	// Equal: the same steps and losses, recorded in the same order, at the same times.
	Equal Outcome = "equal"
	// Reordered: the same steps at each process and the same messages. The recorded order of concurrent events
	// differs, or the times, or fields of a log beside its texts.
	Reordered Outcome = "reordered"
	// Different: some process did something else, or a message met another fate.
	Different Outcome = "different"
	// Open: the runs differ only in facts that one of them records incompletely, so the difference may be due
	// to missing events.
	Open Outcome = "open"
)

// Options select what to compare.
type Options struct {
	// Strict: the recorded order, the times and the fields of logs count, too.
	Strict bool
	// Ignore names what does not count; see [Parts]. "payload.NAME" leaves
	// out one field of all payloads.
	Ignore []string
	// Apart asks for Report.Apart, for pictures.
	Apart bool
	// Brief leaves out the details of the report that need a second pass to the end of the runs; the second pass
	// ends at the last divergence.
	Brief bool
	// Watch gets each event of the two runs in order, so that a caller need not read them again; nil for none.
	Watch [2]tracefmt.Writer
	// Names are the names of the two runs in the report, by default A and B.
	Names [2]string
}

// Place is an event of one run; Seq 0 is no event, after the last step.
type Place struct {
	Seq  tracefmt.Seq
	Time tracefmt.Time
	// Text describes the event in words, harmless for terminals.
	Text string
}

// MarshalJSON writes null for no event.
func (p Place) MarshalJSON() ([]byte, error) {
	if p.Seq == 0 {
		return []byte("null"), nil
	}
	return append(tracefmt.AppendString(fmt.Appendf(nil, `{"seq":%d,"time":%v,"text":`, p.Seq, p.Time), p.Text), '}'), nil
}

// Times are a time in each run.
type Times [2]tracefmt.Time

// MarshalJSON writes numbers with all their digits.
func (t Times) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "[%v,%v]", t[0], t[1]), nil }

// Divergence is the first step of a process that differs.
type Divergence struct {
	// Process is the name; "" is the network.
	Process string `json:"process"`
	// Step counts the steps of the process that were compared, from 1.
	Step int64 `json:"step"`
	// Of is the number of steps that the process took in each run.
	Of [2]int64 `json:"of"`
	// Follows: in one of the runs another process diverged before, so this divergence may be a mere
	// consequence. If that holds for all divergences, Follows marks only those after another one in both runs.
	Follows bool `json:"follows"`
	// At is the step in each run, Before the one before it, which both share.
	At     [2]Place `json:"at"`
	Before [2]Place `json:"before"`
}

// MessageCount is a count of messages that differs: of a type, from one process to another, with one fate.
type MessageCount struct {
	Type string `json:"type"`
	From string `json:"from"`
	To   string `json:"to"`
	// Fate is sent, received, or lost.
	Fate  string   `json:"fate"`
	Count [2]int64 `json:"count"`
	// First is the first surplus message.
	First tracefmt.Seq `json:"first"`
}

// Value is a variable of a process, or its status, that differs at the end;
// "none" where the run has none.
type Value struct {
	Process string    `json:"process"`
	Name    string    `json:"name"`
	Values  [2]string `json:"values"`
}

// Reordering is the first difference of the recorded order: the two events at the same place.
type Reordering struct {
	// Event counts the events that were compared, from 1.
	Event int64           `json:"event"`
	At    [2]tracefmt.Seq `json:"at"`
}

// Shift describes steps that differ in their time, or in the due time of their timer: the first, and their
// number.
type Shift struct {
	Process string `json:"process"`
	Step    int64  `json:"step"`
	Times   Times  `json:"times"`
	// Steps counts all that are shifted.
	Steps int64 `json:"steps"`
}

// LossShift describes losses that both runs have at different times: the first in each run, and their number.
type LossShift struct {
	At    [2]tracefmt.Seq `json:"at"`
	Times Times           `json:"times"`
	// Losses counts all whose times differ.
	Losses int64 `json:"losses"`
}

// FieldShift is the first step for which logs record other fields beside their texts.
type FieldShift struct {
	Process string `json:"process"`
	Step    int64  `json:"step"`
	// Steps counts all such steps.
	Steps int64 `json:"steps"`
}

// Lost counts the losses that only one run has: no loss of the other has the same message and reason.
type Lost struct {
	Count int64        `json:"count"`
	First tracefmt.Seq `json:"first,omitempty"`
}

// Report is the outcome of a comparison.
type Report struct {
	Names   [2]string
	Runs    [2]*tracefmt.Run
	Outcome Outcome
	// Same reports whether the runs are equal as far as the options ask.
	Same bool
	// Events is how many events of each run were compared.
	Events [2]int64
	// Order, Times, Fields and LossTimes are nil where there is no difference;
	// Times and Fields are about the steps that both runs share, LossTimes about
	// the losses.
	Order     *Reordering
	Times     *Shift
	Fields    *FieldShift
	LossTimes *LossShift
	// Omitted lists what was not compared.
	Omitted []Omission
	// Missing are, for each run, the processes that only the other has.
	Missing [2][]string
	// Divergences are in causal order: first the differences that follow no other. Each group is in the order of the
	// runs.
	Divergences []Divergence
	Messages    []MessageCount
	Losses      [2]Lost
	States      []Value
	// Apart lists, if asked for, the steps of each run from the divergence of their process on, at most maxApart,
	// and the losses that the other run does not have.
	Apart [2][]tracefmt.Seq
}

// maxApart bounds Report.Apart; a picture has no place for more.
const maxApart = 10_000

// Compare compares two runs. It fails if a run cannot be read, or if an option is unknown.
func Compare(a, b tracefmt.Recording, o Options) (*Report, error) {
	ignore, err := parseIgnore(o.Ignore)
	if err != nil {
		return nil, err
	}
	recs := [2]tracefmt.Recording{a, b}
	x, err := compareAligned(recs, ignore, o.Watch)
	if err != nil {
		return nil, err
	}
	r := x.report()
	// The first comparison is of complete records. Only if they differ may facts that one record lacks explain it.
	if u := newGaps(recs); u != nil && r.Outcome == Different {
		x, r, err = compareRecorded(recs, o, u)
		if err != nil {
			return nil, err
		}
	}
	for i, name := range o.Names {
		r.Names[i] = name
		if name == "" {
			r.Names[i] = [2]string{"A", "B"}[i]
		}
	}
	if r.Outcome == Different {
		if err := x.addDetails(r, o); err != nil {
			return nil, err
		}
	}
	r.Same = r.Outcome == Equal || r.Outcome == Reordered && !o.Strict
	return r, nil
}

// compareRecorded compares the facts that both runs record completely. If these are equal, the outcome is
// open.
func compareRecorded(recs [2]tracefmt.Recording, o Options, u *gaps) (*alignment, *Report, error) {
	ignore, err := parseIgnore(o.Ignore)
	if err != nil {
		return nil, nil, err
	}
	ignore.gaps = u
	x, err := compareAligned(recs, ignore, [2]tracefmt.Writer{})
	if err != nil {
		return nil, nil, err
	}
	r := x.report()
	if r.Outcome != Different {
		r.Outcome = Open
	}
	return x, r, nil
}

// compareAligned reads both runs and aligns them. Texts of logs are ignored in two cases: if only one run has
// texts, which takes a second reading, and if a mapping read the log, since its texts are whole lines with
// dates.
func compareAligned(recs [2]tracefmt.Recording, ignore *ignored, watch [2]tracefmt.Writer) (*alignment, error) {
	if recs[0].Run().Source == tracefmt.Mapped || recs[1].Run().Source == tracefmt.Mapped {
		ignore.leaveOutTexts("they are the lines that a mapping read")
	}
	x := newAlignment(recs, ignore)
	x.sides[0].watch, x.sides[1].watch = watch[0], watch[1]
	if err := x.align(); err != nil {
		return nil, err
	}
	withTexts := x.oneSided()
	if withTexts == 0 {
		return x, nil
	}
	ignore.leaveOutTexts("only " + label(withTexts-1) + " has them")
	x = newAlignment(recs, ignore)
	return x, x.align()
}
