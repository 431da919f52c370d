package story

import (
	"fmt"
	"slices"

	"etrace/render/view"
	"etrace/tracefmt"
)

// The limits of folding: the number of steps that are hidden, the length of a period, the number of repetitions.
const (
	leastFolded  = 8
	mostPeriod   = 96
	leastRepeats = 2
)

// foldRepeats hides the steps of stretches that repeat the steps before them, such as heartbeats. A note replaces
// each stretch.
func (s *Story) foldRepeats() {
	if !s.Options.Fold || s.Options.Marked() {
		return
	}
	signs := s.stepSigns()
	drop := make([]bool, len(s.Steps))
	notes := make(map[int]Step) // the note on each folded part, by the index of its first step
	for i := 0; i < len(signs); i++ {
		period, repeats := s.repeats(signs, i)
		if repeats < leastRepeats || period*repeats < leastFolded {
			continue
		}
		first, end := i+period, i+period*(repeats+1)
		for j := first; j < end; j++ {
			drop[j] = true
		}
		begin, last := &s.Steps[first], &s.Steps[end-1]
		f := view.Fold{From: begin.Seq, To: last.Seq}
		f.Text = fmt.Sprintf("the same %s, to %s: %s not shown", repeatText(repeats), s.timeText(last.Time), Plural(int64(end-first), "event"))
		notes[first] = foldStep(&f, begin.Time)
		s.Folded += int64(end - first)
		s.Folds = append(s.Folds, f)
		i = end - 1
	}
	s.replaceSteps(drop, notes)
}

// foldStep returns the step that replaces a folded stretch.
func foldStep(f *view.Fold, at tracefmt.Time) Step {
	return Step{Seq: f.From, Time: at, Kind: tracefmt.Note, Match: -1, Folded: true, Text: f.Text}
}

// fold counts an event of a folded stretch.
func (s *Story) fold(e *tracefmt.Event, f *view.Fold) {
	if e.Seq == f.From || len(s.Steps) == 0 {
		s.Steps = append(s.Steps, foldStep(f, e.Time))
	}
	s.Folded++
}

// repeatText describes a number of repetitions.
func repeatText(n int) string {
	if n == 1 {
		return "once more"
	}
	return fmt.Sprintf("%d times more", n)
}

// stepSignature is the part of a step that is compared to find repetitions.
type stepSignature struct {
	kind           tracefmt.Kind
	process, peer  tracefmt.ProcessID
	typ, text, tag string
	fate           tracefmt.Fate
	// match is the distance to the step at the other end of the message.
	match                           int
	later, unsure, unsent, restarts bool
	inferred                        bool
}

// stepSigns returns the sign of each step.
func (s *Story) stepSigns() []stepSignature {
	list := make([]stepSignature, len(s.Steps))
	for i := range s.Steps {
		st := &s.Steps[i]
		list[i] = stepSignature{
			kind: st.Kind, process: st.Process, peer: st.Peer, typ: st.Type, text: st.Text, tag: st.Tag(), fate: st.Fate,
			later: st.Later, unsure: st.Unsure, unsent: st.Unsent, restarts: st.Restarted,
			inferred: st.Inferred,
		}
		if st.Kind == tracefmt.Timeout { // its text is the time of the timer
			list[i].text = ""
		}
		if st.Match >= 0 {
			list[i].match = st.Match - i
		}
	}
	return list
}

// repeats returns the shortest period of the steps from an index on, and how often it repeats. No message goes from one
// repetition to another.
func (s *Story) repeats(signs []stepSignature, from int) (period, repeats int) {
	for period = 1; period <= mostPeriod && from+2*period <= len(signs); period++ { // two periods must fit
		if signs[from] != signs[from+period] || !s.isClosed(from, period) {
			continue
		}
		// n counts the repetitions that follow the first stretch and are equal to it.
		n, stretch := 0, signs[from:from+period]
		for end := from + 2*period; end <= len(signs) && slices.Equal(stretch, signs[end-period:end]); end += period {
			n++
		}
		if n >= leastRepeats {
			return period, n
		}
	}
	return 0, 0
}

// isClosed reports whether all messages of a stretch are sent and end in it, and it has no step of the opening and no
// note on a loop.
func (s *Story) isClosed(from, length int) bool {
	for i := from; i < from+length; i++ {
		st := &s.Steps[i]
		isMessage := st.Kind == tracefmt.Send || st.Kind == tracefmt.Receive || st.Kind == tracefmt.Lose
		leaves := isMessage && (st.Match < from || st.Match >= from+length)
		isLoopNote := st.Kind == tracefmt.Note && st.Type == tracefmt.LoopNote
		if leaves || isLoopNote || st.Opening {
			return false
		}
	}
	return true
}

// replaceSteps removes steps and inserts others in their places.
func (s *Story) replaceSteps(drop []bool, notes map[int]Step) {
	if len(notes) == 0 {
		return
	}
	for i, note := range notes { // a note takes the place of the first step that is left out
		s.Steps[i], drop[i] = note, false
	}
	s.removeSteps(drop)
}
