package story

import (
	"cmp"

	"etrace/tracefmt"
)

// NewMoment reports whether a frame begins with a step. Messages that a process sends at once share a frame, and so does a
// change of variables with the step before.
func (s *Story) NewMoment(i int) bool {
	st, before := &s.Steps[i], &s.Steps[i-1]
	together := st.Kind == tracefmt.Send && before.Kind == tracefmt.Send && st.Process == before.Process && st.Time == before.Time
	return !st.Opening && !st.Quiet() && !together
}

// NewPhase reports whether a phase of the run begins with a step: with the first message of a type, a crash, a recovery, a
// partition or its end, or the first process with a leader, role or decision.
func (s *Story) NewPhase(i int) bool {
	st := &s.Steps[i]
	switch st.Kind {
	case tracefmt.Crash, tracefmt.Recover, tracefmt.Partition, tracefmt.Heal:
		return !st.Opening
	case tracefmt.Send:
		for j := range i {
			if s.Steps[j].Kind == tracefmt.Send && s.Steps[j].TypeNumber == st.TypeNumber {
				return false
			}
		}
		return true
	case tracefmt.State:
		return st.Tag() != "" && s.firstTag(i)
	}
	return false
}

// firstTag reports whether no step before has the tag.
func (s *Story) firstTag(i int) bool {
	for j := range i {
		if s.Steps[j].Tag() == s.Steps[i].Tag() {
			return false
		}
	}
	return true
}

// StepText describes the step of an index in short.
func (s *Story) StepText(i int) string {
	st := &s.Steps[i]
	sender, receiver := st.Ends()
	switch st.Kind {
	case tracefmt.Send:
		return st.Label() + " to " + s.Name(receiver)
	case tracefmt.Receive, tracefmt.Lose:
		return st.Label() + " from " + s.Name(sender)
	}
	return cmp.Or(s.Words(i), st.Text)
}
