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

// Text describes the difference: the events before it, the recorded event after -, the executed one after +,
// and the differing fields of events of the same kind.
func (d *Divergence) Text() string {
	var b strings.Builder
	common := slices.EqualFunc(d.RecordedPast, d.ExecutedPast, func(x, y tracefmt.Event) bool { return x.Seq == y.Seq })
	d.write(&b, "-", d.RecordedPast, d.Recorded)
	if common {
		d.write(&b, "+", nil, d.Executed)
	} else {
		d.write(&b, "+", d.ExecutedPast, d.Executed)
	}
	if d.Recorded != nil && d.Executed != nil && d.Recorded.Kind != d.Executed.Kind {
		// Events of different kinds have no fields worth comparing.
		return b.String()
	}
	for _, x := range d.Differences {
		fmt.Fprintf(&b, "    %s: recorded %s, executed %s\n", x.Field, Short(x.Recorded), Short(x.Executed))
	}
	return b.String()
}

// write writes the events before a difference, and the differing event after its mark.
func (d *Divergence) write(b *strings.Builder, mark string, past []tracefmt.Event, e *tracefmt.Event) {
	for i := range past {
		fmt.Fprintf(b, "    %s\n", Line(d.Run, &past[i]))
	}
	if e != nil {
		fmt.Fprintf(b, "  %s %s\n", mark, Line(d.Run, e))
	}
}

// Line is an event in words with its place.
func Line(run *tracefmt.Run, e *tracefmt.Event) string {
	return fmt.Sprintf("%-5d t=%-7v %s", e.Seq, run.When(e.Time), replay.Sentence(run, e))
}

// Short returns a value on one line, truncated if it is long.
func Short(s string) string {
	return cmp.Or(text.Short(text.Printable(s), 101), "nothing")
}
