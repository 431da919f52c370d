package conform

import (
	"etrace/tracefmt"
)

// markUp applies an event that starts or stops a process to the host, which knows who is up.
func (s *search) markUp(e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Start, tracefmt.Recover:
		s.c.host.MarkUp(s.c.numbers.host[e.Process])
	case tracefmt.Crash:
		s.c.host.MarkDown(s.c.numbers.host[e.Process])
	default:
		return
	}
	s.changed[e.Process] = e.Seq
	s.updateUps()
}

// updateUps sets the context of the next steps to the number of the set of processes that are up.
func (s *search) updateUps() {
	b := s.key[:0]
	for p := range s.tracks[1:] {
		up := byte('-')
		if s.c.host.IsUp(tracefmt.ProcessID(p + 1)) {
			up = '+'
		}
		b = append(b, up)
	}
	s.key = b
	n, ok := s.ups[string(b)]
	if !ok {
		n = int32(len(s.ups))
		s.ups[string(b)] = n
	}
	s.steps.context = n
	s.steps.present = n
}

// setContext sets what the next step may know about which processes are up. A recorded step sees the present
// state. An unrecorded step may have happened at any time since the last event of the process, so every
// change since then is unknown to it.
func (s *search) setContext(t *track, hidden bool) {
	s.steps.assumptions.Unsure, s.steps.context, s.steps.hidden = s.uncertainUp, s.steps.present, hidden
	if !hidden {
		return
	}
	// Without such a change the cached outcomes of the present set of processes remain valid.
	since := false
	for q, at := range s.changed {
		since = since || at > t.after && q != int(t.p)
	}
	if !since {
		return
	}
	copy(s.uncertainSince, s.uncertainUp)
	for q, at := range s.changed {
		if at > t.after {
			s.uncertainSince[s.c.numbers.host[q]] = true
		}
	}
	s.steps.assumptions.Unsure, s.steps.context = s.uncertainSince, -1
}
