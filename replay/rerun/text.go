package rerun

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Text tells the difference for people: what led to it, what was recorded
// behind -, what is executed behind +, and the fields that differ where the two are of a kind.
func (d *Divergence) Text() string {
	var b strings.Builder
	common := slices.EqualFunc(d.RecordedPast, d.ExecutedPast, func(x, y tracefmt.Event) bool { return x.Seq == y.Seq })
	d.tell(&b, "-", d.RecordedPast, d.Recorded)
	if common {
		d.tell(&b, "+", nil, d.Executed)
	} else {
		d.tell(&b, "+", d.ExecutedPast, d.Executed)
	}
	if d.Recorded != nil && d.Executed != nil && d.Recorded.Kind != d.Executed.Kind {
		return b.String() // another event altogether
	}
	for _, x := range d.Differences {
		fmt.Fprintf(&b, "    %s: recorded %s, executed %s\n", x.Field, short(x.Recorded), short(x.Executed))
	}
	return b.String()
}

func (d *Divergence) tell(b *strings.Builder, mark string, past []tracefmt.Event, e *tracefmt.Event) {
	for i := range past {
		fmt.Fprintf(b, "    %s\n", line(d.Run, &past[i]))
	}
	if e != nil {
		fmt.Fprintf(b, "  %s %s\n", mark, line(d.Run, e))
	}
}

// line tells an event with its place.
func line(run *tracefmt.Run, e *tracefmt.Event) string {
	return fmt.Sprintf("%-5d t=%-7v %s", e.Seq, e.Time, replay.Sentence(run, e))
}

// short is a value on one line, not too long for it.
func short(s string) string {
	const most = 100
	s = text.Printable(s)
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return cmp.Or(s, "nothing")
}

// Summary says in one line how far the algorithm explains the run.
func (r *Report) Summary() string {
	switch {
	case r.Events == 0:
		return fmt.Sprintf("nothing to hold against %s: no event is a step that an algorithm takes", r.Algorithm)
	case r.Conforms():
		return fmt.Sprintf("conforms to %s: %s of %s", r.Algorithm, text.Counted(r.Events, "event", "events"),
			text.Counted(len(r.Processes), "process", "processes"))
	}
	return fmt.Sprintf("does not conform to %s: it explains %d of %d events, and %d of %d processes to the end",
		r.Algorithm, r.Explained, r.Events, r.Conforming(), len(r.Processes))
}

// mostDeviations is how many processes Text tells of.
const mostDeviations = 8

// Text tells for people where the processes leave the algorithm, the earliest
// first.
func (r *Report) Text() string {
	var b strings.Builder
	deviating := r.deviating()
	for _, p := range deviating[:min(len(deviating), mostDeviations)] {
		d := p.Deviation
		if d.Step != nil {
			fmt.Fprintf(&b, "    %s\n", line(r.Run, d.Step))
		}
		who := short(r.Run.ProcessName(p.Process))
		if d.Recorded != nil {
			fmt.Fprintf(&b, "  - %s\n", line(r.Run, d.Recorded))
		} else {
			fmt.Fprintf(&b, "  - %-15s %s does nothing more\n", "", who)
		}
		fmt.Fprintf(&b, "  + %-15s %s\n", r.Algorithm+":", d.expectation(r.Run, who))
	}
	if more := len(deviating) - mostDeviations; more > 0 {
		fmt.Fprintf(&b, "  and %d more processes\n", more)
	}
	return b.String()
}

// deviating returns the processes that leave the algorithm, in the order in
// which they do; who leaves something undone comes last.
func (r *Report) deviating() []*ProcessReport {
	var all []*ProcessReport
	for i := range r.Processes {
		if r.Processes[i].Deviation != nil {
			all = append(all, &r.Processes[i])
		}
	}
	at := func(p *ProcessReport) tracefmt.Seq {
		if e := p.Deviation.Recorded; e != nil {
			return e.Seq
		}
		return tracefmt.Seq(r.Run.Events) + 1
	}
	slices.SortStableFunc(all, func(p, q *ProcessReport) int { return cmp.Compare(at(p), at(q)) })
	return all
}

func (d *Deviation) expectation(run *tracefmt.Run, who string) string {
	switch {
	case d.Expected != nil:
		return replay.Sentence(run, d.Expected)
	case d.Reason != "":
		return short(d.Reason)
	case d.Step == nil:
		return who + " does nothing of itself"
	}
	return who + " does nothing more in this step"
}
