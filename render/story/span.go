package story

import (
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// MostSpans is the number of spans that a picture can distinguish.
const MostSpans = 4

// Span is an activity of processes that lasts a while, such as a critical section.
type Span struct {
	// Name describes the activity in a few words.
	Name string
	// Facts are what shows that, without whose record some of it may be missing.
	Facts []tracefmt.Fact
	// Follow returns what follows the span through a run.
	Follow func(run *tracefmt.Run) Following
}

// Following tracks the processes at which a span is open.
type Following interface {
	// Step takes in the next event, after the state did. The event is lent: the next one overwrites it.
	Step(s *replay.State, e *tracefmt.Event)
	// Since is the event with which the span began at a process, 0 where it does not go on.
	Since(p tracefmt.ProcessID) tracefmt.Seq
	// Local: after the first event of the run only events of a process change that.
	Local() bool
}

// Stretch is a time in the window during which a span goes on at a process.
type Stretch struct {
	// Span is the index of the span in the options.
	Span    int
	Process tracefmt.ProcessID
	// From is the index of the step with which the stretch begins, -1 if it began before the window. To is the index of
	// the step with which it ends, or the number of steps if it does not end in the window.
	From, To int
}

// Open reports whether the stretch goes on when the window of the story ends.
func (s *Story) Open(st *Stretch) bool { return st.To == len(s.Steps) }

// trackedSpan tracks a span through the run.
type trackedSpan struct {
	Following
	begun bool  // true after the first event
	open  []int // by process, the index of the stretch that goes on, from 1; 0 for none
	last  []int // by process, its latest step in the window, -1 for none
	text  string
}

// trackSpans begins to track all spans.
func trackSpans(spans []Span, run *tracefmt.Run) []trackedSpan {
	var tracked []trackedSpan
	for i := range spans {
		n := len(run.Members) + 1
		tracked = append(tracked, trackedSpan{Following: spans[i].Follow(run), open: make([]int, n), last: slices.Repeat([]int{-1}, n)})
	}
	return tracked
}

// beginSpans begins the stretches of the spans that are open when the window begins.
func (s *Story) beginSpans() {
	for i := range s.spans {
		for _, p := range s.ringOrder {
			s.updateStretch(i, p, -1)
		}
	}
}

// followSpans takes an event; drawn is set if it is a step of the story.
func (s *Story) followSpans(e *tracefmt.Event, drawn bool) {
	for i := range s.spans {
		f := &s.spans[i]
		f.Step(s.state, e)
		everywhere := !f.begun || !f.Local()
		f.begun = true
		if s.Before == nil || s.After != nil {
			continue // before the window, or after it
		}
		if drawn {
			f.last[e.Process] = len(s.Steps) - 1
		}
		if !everywhere {
			s.updateStretch(i, e.Process, f.last[e.Process])
			continue
		}
		for _, p := range s.ringOrder {
			step := f.last[p]
			if drawn {
				step = len(s.Steps) - 1
			}
			s.updateStretch(i, p, step)
		}
	}
}

// updateStretch begins or ends a stretch of a process with a step, if the span began or ended.
func (s *Story) updateStretch(span int, p tracefmt.ProcessID, step int) {
	f := &s.spans[span]
	switch open, since := f.open[p], f.Since(p); {
	case since != 0 && open == 0:
		s.Stretches = append(s.Stretches, Stretch{Span: span, Process: p, From: step, To: -1})
		f.open[p] = len(s.Stretches)
	case since == 0 && open != 0:
		s.Stretches[open-1].To = step
		f.open[p] = 0
	}
}

// endSpans marks the unfinished stretches as open, and sets how certain the spans are.
func (s *Story) endSpans() {
	for i := range s.spans {
		f := &s.spans[i]
		f.text = Clean(s.Options.Spans[i].Name, maxSpan)
		if s.doubtfulSpan(i) {
			f.text += ", as far as is recorded"
		}
		for _, open := range f.open {
			if open != 0 {
				s.Stretches[open-1].To = len(s.Steps)
			}
		}
	}
}

// SpanText returns the name of the span, with a remark if the run may lack facts that show it.
func (s *Story) SpanText(span int) string { return s.spans[span].text }

// doubtfulSpan reports whether some facts of the span may be unrecorded.
func (s *Story) doubtfulSpan(span int) bool {
	return !s.Complete() && slices.ContainsFunc(s.Options.Spans[span].Facts, func(fact tracefmt.Fact) bool {
		return slices.ContainsFunc(s.ringOrder, func(p tracefmt.ProcessID) bool { return s.state.Coverage().Missing(p, fact, 0, 0) })
	})
}

// StretchTip describes a stretch: activity, process, start and end.
func (s *Story) StretchTip(st *Stretch) string {
	tip := "process " + s.Name(st.Process) + ", " + s.SpanText(st.Span)
	if st.From >= 0 {
		from := &s.Steps[st.From]
		tip += ", from " + s.timeText(from.Time) + " (" + eventText(from.Seq) + ")"
	} else {
		tip += ", from before the first event drawn"
	}
	switch {
	case s.Open(st):
		return tip + ", and still when the picture ends"
	case st.To < 0:
		return tip
	}
	end := &s.Steps[st.To]
	return tip + " to " + s.timeText(end.Time) + " (" + eventText(end.Seq) + ")"
}
