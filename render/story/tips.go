package story

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"etrace/tracefmt"
)

// stepWords describe the steps that are not messages, by kind.
var stepWords = map[tracefmt.Kind]func(*Story, *Step) string{
	tracefmt.Start:   func(_ *Story, st *Step) string { return withLead("starts", st) },
	tracefmt.Halt:    func(*Story, *Step) string { return "halts" },
	tracefmt.Crash:   func(*Story, *Step) string { return "crashes" },
	tracefmt.Recover: func(_ *Story, st *Step) string { return withLead("recovers", st) },
	tracefmt.Timeout: func(_ *Story, st *Step) string { return strings.TrimPrefix(st.Type+" timeout", " ") },
	tracefmt.Suspect: func(s *Story, st *Step) string { return "suspects " + s.peerName(st) },
	tracefmt.Trust:   func(s *Story, st *Step) string { return "trusts " + s.peerName(st) },
	tracefmt.State:   stateWords,
	tracefmt.Invoke:  func(_ *Story, st *Step) string { return st.Type + st.Text },
	tracefmt.Return:  func(_ *Story, st *Step) string { return st.Type + st.Text },
	tracefmt.Partition: func(_ *Story, st *Step) string {
		if st.Text == "" {
			return "partition"
		}
		return "partition:  " + st.Text
	},
	tracefmt.Heal: func(*Story, *Step) string { return "the partition heals" },
	tracefmt.Note: func(_ *Story, st *Step) string {
		if st.Type != tracefmt.LoopNote {
			return st.Type + st.Text
		}
		return "the same global state again as after " + eventText(st.Loop) + st.Shifted() + ": the run repeats forever"
	},
}

// Shifted names the amount by which a loop increases all counters in each round, "" for 0.
func (st *Step) Shifted() string {
	if st.Shift == 0 {
		return ""
	}
	return fmt.Sprintf(" but for counters, which are shifted by %d", st.Shift)
}

// UpAgain marks a step of a process that was down, see [Step.Restarted].
const UpAgain = "is up again"

// Words describe the step of that index in short: "suspects 7". Messages have a [Step.Label] and no
// Words. A change of variables has Words only if it concerns an election.
func (s *Story) Words(i int) string {
	st := &s.Steps[i]
	describe, ok := stepWords[st.Kind]
	if !ok {
		return ""
	}
	return describe(s, st) + st.markText()
}

// WordsIn is the longest form of [Story.Words] that fits: where these are a label, one of its forms, see
// [Step.LabelIn]. The last form need not fit.
func (s *Story) WordsIn(i int, fits func(words string) bool) string {
	st, tip := &s.Steps[i], s.Words(i)
	mark := st.markText()
	if fits(tip) || st.bare == "" || tip != st.Label()+mark {
		return tip
	}
	return st.LabelIn(func(label string) bool { return fits(label + mark) }) + mark
}

// markText returns the remark about a step that the system did not log: " (inferred)".
func (st *Step) markText() string {
	if st.Mark == "" {
		return ""
	}
	return " (" + st.Mark + ")"
}

// withLead appends to an action that the process leads from then on.
func withLead(words string, st *Step) string {
	if st.rises {
		return words + " and leads"
	}
	return words
}

// peerName returns the name of the step's other process.
func (s *Story) peerName(st *Step) string {
	if st.Peer != 0 {
		return s.Name(st.Peer)
	}
	return "a process"
}

// MessageTip describes a whole message, by the index of its send or its end.
func (s *Story) MessageTip(i int) string {
	st := &s.Steps[i]
	origin, sender, receiver := st, st.Peer, st.Process
	sent := "sent before the picture begins"
	switch {
	case !s.Shown(sender):
		sent = "from a process that is not shown"
	case st.Unsent:
		sent = "when it was sent is not recorded"
	}
	if st.Kind == tracefmt.Send {
		sender, receiver = receiver, sender
	} else if st.Match >= 0 {
		origin = &s.Steps[st.Match]
	}
	if origin.Kind == tracefmt.Send {
		sent = "sent at " + s.timeText(origin.Time) + " (" + eventText(origin.Seq) + ")"
	}
	if st.Inferred {
		sent += ", as is inferred"
	}
	tip := origin.Label() + " from " + s.Name(sender) + " to " + s.Name(receiver) + ": " + sent + ", "
	at := " at " + s.timeText(st.Time) + " (" + eventText(st.Seq) + ")"
	switch {
	case st.LossHidden() && st.Fate == tracefmt.ReceiverCrashed:
		return tip + "lost since the receiver is down, a process that is not shown"
	case st.LossHidden():
		return tip + "lost on the way to a process that is not shown"
	case st.Kind == tracefmt.Send && !s.Shown(st.Peer):
		return tip + "to a process that is not shown"
	// The first case that fits decides: what the picture leaves out comes before what the record lacks.
	case st.Kind == tracefmt.Send && st.Later && s.Options.Past != nil:
		return tip + "what becomes of it is not in the causal past"
	case st.Kind == tracefmt.Send && st.LeftOut:
		return tip + "its end is not shown"
	case st.Kind == tracefmt.Send && st.Later:
		return tip + "in flight when the picture ends"
	case st.Unsure:
		return tip + "whether it arrived is not recorded"
	case st.MayBeLost:
		return tip + "not received: in flight or lost"
	case st.Kind == tracefmt.Send:
		return tip + "still in flight at the end"
	case st.Fate == tracefmt.ReceiverCrashed:
		return tip + "lost" + at + " because the receiver is down"
	case st.Fate == tracefmt.Lost && st.Text != "":
		return tip + "lost" + at + ": " + st.Text
	case st.Fate == tracefmt.Lost:
		return tip + "lost" + at
	case st.Again:
		return tip + "received once more" + at
	}
	return tip + "received" + at
}

// StepTip returns time, process and description of the step of that index, and a text.
func (s *Story) StepTip(i int, text string) string {
	st := &s.Steps[i]
	tip := s.timeText(st.Time) + ", " + eventText(st.Seq) + ": "
	if st.Process != 0 {
		tip += "process " + s.Name(st.Process) + ", "
	}
	kind := st.Kind.String()
	switch {
	case text == "":
		return tip + kind
	case strings.HasPrefix(text, kind): // crash, crashes
		return tip + text
	}
	return tip + kind + ", " + text
}

// ShortTime returns a time for an axis. Nanoseconds count from the run's first event and have a unit. All other times
// have at most three decimals.
func (s *Story) ShortTime(t tracefmt.Time) string {
	if s.Run.TimeUnit == tracefmt.Nanoseconds {
		return withSign(duration(t - s.First))
	}
	return shortTime(s.Run.TimeUnit.Units(t))
}

// shortTime returns a logical time, rounded to three decimals.
func shortTime(t tracefmt.Time) string {
	const thousandth = tracefmt.Unit / 1000
	if t >= 0 && t < 1<<62 {
		t = (t + thousandth/2) / thousandth * thousandth
	}
	return Clean(t.String(), maxValue)
}

// TimeWith returns a time in nanoseconds as ShortTime does, with the given number of decimals.
func (s *Story) TimeWith(t tracefmt.Time, decimals int) string {
	return withSign(durationWith(t-s.First, decimals))
}

// Duration returns a duration with a suitable unit.
func (s *Story) Duration(t tracefmt.Time) string {
	if s.Run.TimeUnit == tracefmt.Nanoseconds {
		return duration(t)
	}
	return shortTime(s.Run.TimeUnit.Units(t))
}

// withSign puts a plus before a duration that is not negative: with the clocks of several machines, an
// event may have an earlier time than the first event.
func withSign(duration string) string {
	if strings.HasPrefix(duration, "-") {
		return duration
	}
	return "+" + duration
}

// Begins returns the start of the run by its clock; "" if its times do not count from 1970.
func (s *Story) Begins() string {
	const plausible = 1e17 // 1973: what is less counts from the start of the run
	if s.Run.TimeUnit != tracefmt.Nanoseconds || s.First < plausible {
		return ""
	}
	return "times since " + time.Unix(0, int64(s.First)).UTC().Format("2006-01-02 15:04:05.000 MST")
}

// duration returns nanoseconds with a suitable unit.
func duration(t tracefmt.Time) string { return durationWith(t, 3) }

// durationWith returns nanoseconds in the greatest unit not above them, with the given number of decimals.
func durationWith(t tracefmt.Time, decimals int) string {
	for _, u := range []struct {
		unit tracefmt.Time
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if t >= u.unit || t <= -u.unit {
			return strconv.FormatFloat(float64(t)/float64(u.unit), 'f', decimals, 64) + " " + u.name
		}
	}
	return strconv.FormatInt(int64(t), 10) + " ns"
}

// timeText returns a time in full, with its meaning.
func (s *Story) timeText(t tracefmt.Time) string {
	switch s.Run.TimeUnit {
	case tracefmt.Delays:
		return "t = " + t.String()
	case tracefmt.Nanoseconds:
		return withSign(duration(t - s.First))
	}
	return "logical time " + s.Run.TimeUnit.Units(t).String()
}

// eventText returns the number of an event for a tip.
func eventText(seq tracefmt.Seq) string { return fmt.Sprintf("event %d", seq) }
