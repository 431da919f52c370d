package story

import (
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Axis maps events to heights.
type Axis struct {
	Name string
	// Doc describes the rows in a line.
	Doc string
}

// Key returns the name of the axis.
func (a Axis) Key() string { return a.Name }

// The axes of pictures in which time runs downward.
var (
	Causal   = Axis{"causal", "a row for each causal level, without times: nothing is above what it follows from"}
	Instants = Axis{"instants", "a row for each instant, with its time"}
	Linear   = Axis{"time", "linear in time; where nothing happens for long it is folded, with the length of the fold"}
)

// Axes returns all axes.
func Axes() text.Registry[Axis] { return text.NewRegistry("axis", Causal, Instants, Linear) }

// Axis returns the axis of the options, or by default the axis that suits the run.
func (s *Story) Axis() Axis {
	if s.Options.Axis != (Axis{}) {
		return s.Options.Axis
	}
	return s.Suits()
}

// Suits returns the axis that suits the run. It is Instants if time is logical or counted in delays, and Linear for
// real clocks. If real clocks visibly contradict causality, or never advance, only the causal levels are certain, so
// it is Causal.
func (s *Story) Suits() Axis {
	switch {
	case s.Run.TimeUnit == tracefmt.Delays:
		return Instants
	case s.timesMislead():
		return Causal
	case s.Run.TimeUnit == tracefmt.Nanoseconds:
		return Linear
	}
	return Instants
}

// Times returns the times of the steps, corrected where they contradict causality, as several clocks may. No step is
// earlier than the step before of its process, or than its cause.
func (s *Story) Times() []tracefmt.Time {
	times := make([]tracefmt.Time, len(s.Steps))
	latest := make([]int, len(s.Column)) // by process: its latest step, counted from 1
	for i := range s.Steps {
		st := &s.Steps[i]
		times[i] = st.Time
		if j, ok := s.CauseOf(i); ok {
			times[i] = max(times[i], times[j])
		}
		if st.OnTheWay() {
			continue
		}
		if before := latest[st.Process]; before > 0 {
			times[i] = max(times[i], times[before-1])
		}
		latest[st.Process] = i + 1
	}
	return times
}

// Levels returns the causal level of each step, from 1: one more than that of the step before of its process and that
// of its cause.
//
// Messages sent in a row share a level. A change of variables has the level of the step before it. An event of all
// processes has a level to itself. For a message without a recorded send, the sender's earlier steps are above its
// arrival, and its later steps are not above it.
func (s *Story) Levels() []int {
	levels := make([]int, len(s.Steps))
	latest := make([]int, len(s.Column))  // by process: its latest step, counted from 1
	minimum := make([]int, len(s.Column)) // by process: the least level after an unrecorded send
	floor, highest := 0, 0
	for i := range s.Steps {
		st := &s.Steps[i]
		if st.Opening || st.OnTheWay() {
			continue
		}
		level := max(floor+1, minimum[st.Process])
		if before := latest[st.Process] - 1; before >= 0 {
			above := levels[before] + 1
			if st.Quiet() || st.Kind == tracefmt.Send && s.Steps[before].Kind == tracefmt.Send {
				above--
			}
			level = max(level, above)
		}
		if j, ok := s.CauseOf(i); ok {
			level = max(level, levels[j]+1)
		}
		if st.Unsent {
			if before := latest[st.Peer] - 1; before >= 0 {
				level = max(level, levels[before]+1)
			}
			level = max(level, minimum[st.Peer])
			minimum[st.Peer] = level
		}
		if st.Process == 0 {
			level = highest + 1
			floor = level
		} else {
			latest[st.Process] = i + 1
		}
		levels[i], highest = level, max(highest, level)
	}
	return levels
}

// Contradicted counts the steps whose time contradicts causality.
func (s *Story) Contradicted() int {
	n := 0
	for i, t := range s.Times() {
		if t != s.Steps[i].Time {
			n++
		}
	}
	return n
}

// timesMislead reports whether a picture by time would mislead. That is so if all times are equal, or if their
// corrections exceed a thousandth of the run's duration. The order in which threads of one program write their lines
// causes smaller corrections.
func (s *Story) timesMislead() bool {
	if len(s.Steps) == 0 {
		return true
	}
	times := s.Times()
	var wrong tracefmt.Time
	for i, t := range times {
		wrong = max(wrong, t-s.Steps[i].Time)
	}
	span := slices.Max(times) - slices.Min(times)
	return span == 0 || wrong > span/1000
}

// CauseOf returns the index of the step that directly happened before a step, usually at another process.
func (s *Story) CauseOf(i int) (int, bool) {
	st := &s.Steps[i]
	j := st.Match
	if st.Kind == tracefmt.Send {
		j = -1
	}
	if j < 0 && st.Cause > 0 {
		if k, ok := s.Find(st.Cause); ok && s.Steps[k].Seq < st.Seq {
			j = k
		}
	}
	return j, j >= 0
}

// OnTheWay reports whether the step is the loss of a message in transit whose send is shown.
func (st *Step) OnTheWay() bool {
	return st.Kind == tracefmt.Lose && st.Fate == tracefmt.Lost && st.Match >= 0
}

// Quiet reports whether the step only changes variables that do not concern an election or decision.
func (st *Step) Quiet() bool { return st.Kind == tracefmt.State && st.Tag() == "" }
