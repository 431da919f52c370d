package replay

import "etrace/tracefmt"

// Past are the events that happened before one event of a run, and that event.
type Past struct {
	event tracefmt.Seq
	held  []bool // by seq
}

// Event returns the seq of the event that the others happened before.
func (p *Past) Event() tracefmt.Seq { return p.event }

// Has reports whether the event with this seq is in the past.
func (p *Past) Has(seq tracefmt.Seq) bool {
	return seq >= 1 && int(seq) < len(p.held) && p.held[seq]
}

// pastLink is an event with the earlier step of its process and the first of its causes, 0 for none.
type pastLink struct {
	counts      bool // it is a step of a process
	step, cause tracefmt.Seq
}

// PastOf returns the past of an event, by happened-before as [Clocks] has it; of a loss, the past of its causes. It
// reads the run up to the event, once, and keeps 24 bytes for each event, as clocks of so many events would not fit.
func PastOf(rec tracefmt.Recording, seq tracefmt.Seq) (*Past, error) {
	links := []pastLink{{}}                                  // by seq
	further := make(map[int][]tracefmt.Seq)                  // the other causes of events that have several
	latest := make([]tracefmt.Seq, len(rec.Run().Members)+1) // by process, its last step
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		if e.Seq > seq {
			break
		}
		link := pastLink{counts: e.Process != 0 && e.Kind != tracefmt.Lose}
		if link.counts {
			link.step, latest[e.Process] = latest[e.Process], e.Seq
		}
		for cause := range e.Causes() {
			if link.cause == 0 {
				link.cause = cause
			} else {
				further[len(links)] = append(further[len(links)], cause)
			}
		}
		links = append(links, link)
	}
	p := &Past{event: seq, held: make([]bool, len(links))}
	if int(seq) < len(links) {
		p.held[seq] = true
	}
	for at := len(links) - 1; at >= 1; at-- {
		if !p.held[at] {
			continue
		}
		for _, before := range append(further[at], links[at].step, links[at].cause) {
			// A cause that is recorded later is none, and of a loss nobody learns.
			if before >= 1 && int(before) < at && links[before].counts {
				p.held[before] = true
			}
		}
	}
	return p, nil
}
