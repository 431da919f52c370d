package rerun

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// Divergence is the first difference between a recorded run and its execution.
type Divergence struct {
	// Run is the recorded run.
	Run *tracefmt.Run
	// Seq is that of the differing event, one more than the last event's if the ends differ, and 0 if the
	// descriptions of the runs differ.
	Seq tracefmt.Seq
	// Recorded and Executed are the two events; nil for a side that has ended.
	Recorded, Executed *tracefmt.Event
	// Differences are the differing fields of the events or of the descriptions. If one side has ended, or
	// both in different ways, the only field is "end".
	Differences []Difference
	// RecordedPast and ExecutedPast are the events that led to the two events, in order: the last events of
	// the process, and the sends of what it received.
	RecordedPast, ExecutedPast []tracefmt.Event
}

// Difference is a field with different values on the two sides, as texts.
type Difference struct {
	Field    string `json:"field"`
	Recorded string `json:"recorded"`
	Executed string `json:"executed"`
}

// eventFields are the fields of events to compare.
var eventFields = []struct {
	name string
	text func(run *tracefmt.Run, e *tracefmt.Event) string
}{
	{"seq", func(_ *tracefmt.Run, e *tracefmt.Event) string { return fmt.Sprint(e.Seq) }},
	{"time", func(_ *tracefmt.Run, e *tracefmt.Event) string { return e.Time.String() }},
	{"kind", func(_ *tracefmt.Run, e *tracefmt.Event) string { return e.Kind.String() }},
	{"process", func(run *tracefmt.Run, e *tracefmt.Event) string { return processText(run, e.Process) }},
	{"peer", func(run *tracefmt.Run, e *tracefmt.Event) string { return processText(run, e.Peer) }},
	{"type", func(_ *tracefmt.Run, e *tracefmt.Event) string { return e.Type }},
	{"message", func(_ *tracefmt.Run, e *tracefmt.Event) string { return number(int64(e.Message)) }},
	{"cause", func(_ *tracefmt.Run, e *tracefmt.Event) string { return number(int64(e.Cause)) }},
	{"lamport", func(_ *tracefmt.Run, e *tracefmt.Event) string { return number(e.Lamport) }},
	{"term", func(_ *tracefmt.Run, e *tracefmt.Event) string { return number(e.Term) }},
	{"payload", func(_ *tracefmt.Run, e *tracefmt.Event) string { return string(e.Payload) }},
}

// number returns a positive number as text, and "none" for 0.
func number(n int64) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// processText names a process. A number that is not in the run is written as a number.
func processText(run *tracefmt.Run, p tracefmt.ProcessID) string {
	if p < 0 || int(p) > len(run.Members) {
		return fmt.Sprintf("number %d", p)
	}
	return run.ProcessName(p)
}

// differingFields returns the fields in which two events differ.
func differingFields(run *tracefmt.Run, recorded, executed *tracefmt.Event) []Difference {
	var differences []Difference
	for _, f := range eventFields {
		if a, b := f.text(run, recorded), f.text(run, executed); a != b {
			differences = append(differences, Difference{f.name, a, b})
		}
	}
	return differences
}

// runFields are the fields of a description that the scenario decides.
var runFields = []struct {
	name string
	text func(run *tracefmt.Run) string
}{
	{"name", func(run *tracefmt.Run) string { return run.Name }},
	{"algorithm", func(run *tracefmt.Run) string { return run.Algorithm }},
	{"problem", func(run *tracefmt.Run) string { return run.Problem }},
	{"seed", func(run *tracefmt.Run) string {
		if run.Seed == nil {
			return ""
		}
		return fmt.Sprint(*run.Seed)
	}},
	{"time unit", func(run *tracefmt.Run) string { return string(run.TimeUnit) }},
	{"members", func(run *tracefmt.Run) string {
		var names []string
		for _, m := range run.Members {
			names = append(names, fmt.Sprintf("%s at %d", m.Name, m.Position))
		}
		return strings.Join(names, ", ")
	}},
}

// differingRuns returns the fields in which two descriptions differ.
func differingRuns(recorded, executed *tracefmt.Run) []Difference {
	var differences []Difference
	for _, f := range runFields {
		if a, b := f.text(recorded), f.text(executed); a != b {
			differences = append(differences, Difference{f.name, a, b})
		}
	}
	return differences
}

// explain sets RecordedPast and ExecutedPast. The recording has both pasts, since the two runs are equal up
// to the difference.
func (d *Divergence) explain(rec tracefmt.Recording, before recent) (err error) {
	d.RecordedPast, err = causalPast(rec, d.Seq, d.Recorded, before)
	if err != nil {
		return err
	}
	d.ExecutedPast, err = causalPast(rec, d.Seq, d.Executed, before)
	return err
}

// recentEvents is the number of last events to keep of each process.
const recentEvents = 3

// recent holds the seqs of the last events of each process, and at index 0 of all events; a seq of 0 is empty.
type recent [][recentEvents]tracefmt.Seq

func newRecent(run *tracefmt.Run) recent { return make(recent, len(run.Members)+1) }

// add adds the next event.
func (r recent) add(e *tracefmt.Event) {
	r.push(0, e.Seq)
	if e.Process != 0 {
		r.push(e.Process, e.Seq)
	}
}

// push replaces the oldest of the seqs at index p by seq.
func (r recent) push(p tracefmt.ProcessID, seq tracefmt.Seq) {
	last := &r[p]
	copy(last[:], last[1:])
	last[recentEvents-1] = seq
}

// events returns the last events of a process, or of all for 0. It returns nil for a process that is not in
// the run.
func (r recent) events(p tracefmt.ProcessID) []tracefmt.Seq {
	if p < 0 || int(p) >= len(r) {
		return nil
	}
	return r[p][:]
}

// causalPast returns the last events of e's process before seq, and the causes of these and of e, in recorded
// order; nil for a nil event.
func causalPast(rec tracefmt.Recording, seq tracefmt.Seq, e *tracefmt.Event, before recent) ([]tracefmt.Event, error) {
	if e == nil {
		return nil, nil
	}
	var events []tracefmt.Event
	add := func(at tracefmt.Seq) error {
		if at < 1 || at >= seq {
			return nil
		}
		found, err := eventAt(rec, at)
		if err == nil {
			events = append(events, *found)
		}
		return err
	}
	for _, at := range before.events(e.Process) {
		if err := add(at); err != nil {
			return nil, err
		}
	}
	causes := slices.Collect(e.Causes())
	for i := range events {
		causes = slices.AppendSeq(causes, events[i].Causes())
	}
	for _, at := range causes {
		if err := add(at); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(events, func(a, b tracefmt.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return slices.CompactFunc(events, func(a, b tracefmt.Event) bool { return a.Seq == b.Seq }), nil
}

// eventAt returns the first event from seq on, which must exist.
func eventAt(rec tracefmt.Recording, seq tracefmt.Seq) (*tracefmt.Event, error) {
	for e, err := range rec.Events(seq) {
		if err != nil {
			return nil, err
		}
		return e.Clone(), nil
	}
	return &tracefmt.Event{Seq: seq}, nil
}
