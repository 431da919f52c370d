package story

import (
	"slices"

	"etrace/tracefmt"
)

// Hop is a process that passes on a message unchanged, and the time at which it does.
type Hop struct {
	Process tracefmt.ProcessID
	Time    tracefmt.Time
}

// mergeHops merges a message on a ring with the messages by which the next processes pass it on unchanged.
func (s *Story) mergeHops() {
	if !s.Options.Merge || !s.Run.States(tracefmt.OnRing) || s.Options.Marked() {
		return
	}
	drop := make([]bool, len(s.Steps))
	latest := slices.Repeat([]int{-1}, len(s.Column)) // by process, its last step that is no change of variables
	quiet := make([][]int, len(s.Column))             // by process, the changes of variables after that step
	for i := range s.Steps {
		st := &s.Steps[i]
		if st.Quiet() {
			quiet[st.Process] = append(quiet[st.Process], i)
			continue
		}
		if r := latest[st.Process]; st.Kind == tracefmt.Send && r >= 0 && s.passedOn(r, i) {
			s.mergeMessages(r, i)
			drop[r], drop[i] = true, true
			for _, j := range quiet[st.Process] {
				drop[j] = true
			}
			s.Merged++
		}
		if st.Process != 0 && st.Kind != tracefmt.Lose {
			latest[st.Process], quiet[st.Process] = i, nil
		}
	}
	s.removeSteps(drop)
}

// passedOn reports whether a send passes on the message that a step received, to another process.
func (s *Story) passedOn(received, sent int) bool {
	r, st := &s.Steps[received], &s.Steps[sent]
	return r.Kind == tracefmt.Receive && r.Match >= 0 && r.Fate == tracefmt.Delivered && !r.Again &&
		r.Type == st.Type && r.Text == st.Text && r.Time == st.Time && st.Peer != r.Process && !st.Unsure
}

// mergeMessages joins the message that a step received with the message that a step sent.
func (s *Story) mergeMessages(received, sent int) {
	first, last := s.Steps[received].Match, &s.Steps[sent]
	origin := &s.Steps[first]
	origin.Via = append(origin.Via, Hop{last.Process, last.Time})
	origin.Peer, origin.Fate, origin.Match, origin.Later, origin.LeftOut = last.Peer, last.Fate, last.Match, last.Later, last.LeftOut
	if last.Match >= 0 {
		end := &s.Steps[last.Match]
		end.Match, end.Peer = first, origin.Process
		end.Inferred = end.Inferred || s.Steps[received].Inferred
	}
}

// removeSteps removes steps from the story.
func (s *Story) removeSteps(drop []bool) {
	place := make([]int, len(s.Steps)+1) // the new index of a step, or of the next step that stays
	kept := 0
	for i := range s.Steps {
		place[i] = kept
		if !drop[i] {
			kept++
		}
	}
	place[len(s.Steps)] = kept
	steps := s.Steps[:0]
	for i, st := range s.Steps {
		if drop[i] {
			continue
		}
		if st.Match >= 0 {
			if drop[st.Match] {
				st.Match = -1
			} else {
				st.Match = place[st.Match]
			}
		}
		steps = append(steps, st)
	}
	s.Steps = steps
	for i := range s.Stretches {
		st := &s.Stretches[i]
		if st.From >= 0 {
			st.From = min(place[st.From], kept-1)
		}
		if st.To >= 0 {
			st.To = place[st.To]
		}
	}
}
