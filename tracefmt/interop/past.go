package interop

import "etrace/tracefmt"

// Past keeps, while a run is written, a value of each event that later events name as a cause, as long as it
// is needed. So a writer that needs a clock or a time for each event keeps no more of the run than its
// messages in flight.
type Past[T any] struct {
	uses map[tracefmt.Seq]int
	kept map[tracefmt.Seq]T
}

// PastOf reads the run once, and counts how often later events name each event as a cause. It passes each event
// to the look functions, so that a writer needs no extra pass to collect facts on the run.
func PastOf[T any](rec tracefmt.Recording, look ...func(*tracefmt.Event)) (*Past[T], error) {
	p := &Past[T]{make(map[tracefmt.Seq]int), make(map[tracefmt.Seq]T)}
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		for _, f := range look {
			f(e)
		}
		for cause := range e.Causes() {
			if 0 < cause && cause < e.Seq {
				p.uses[cause]++
			}
		}
	}
	return p, nil
}

// Wanted reports whether a later event names this one.
func (p *Past[T]) Wanted(seq tracefmt.Seq) bool { return p.uses[seq] > 0 }

// Keep keeps a value of an event if a later one names that.
func (p *Past[T]) Keep(seq tracefmt.Seq, value T) {
	if p.Wanted(seq) {
		p.kept[seq] = value
	}
}

// Take returns the direct causes of an event and the values kept for them, in the order in which the event names
// them. It must be called once for each event, since it frees values that no later event needs.
func (p *Past[T]) Take(e *tracefmt.Event) (causes []tracefmt.Seq, values []T) {
	for cause := range e.Causes() {
		value, ok := p.kept[cause]
		if !ok || cause >= e.Seq {
			continue
		}
		causes, values = append(causes, cause), append(values, value)
		p.uses[cause]--
		if p.uses[cause] == 0 {
			delete(p.uses, cause)
			delete(p.kept, cause)
		}
	}
	return causes, values
}
