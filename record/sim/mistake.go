package sim

import (
	"fmt"

	"etrace/tracefmt"
)

// Mistake is the error of a run that its algorithm made impossible: it panicked, or took a step that no process
// can take.
type Mistake struct {
	// Process is the name of the process that was taking a step.
	Process string
	// Event is the last recorded event, at the instant Time.
	Event tracefmt.Seq
	Time  tracefmt.Time
	// Reason describes what the algorithm did.
	Reason string
	// Anonymous is true if the algorithm asks for ids, and the processes have none.
	Anonymous bool
	// Origin describes algorithm and scenario.
	Origin string
}

func (m *Mistake) Error() string {
	origin := m.Origin
	if origin != "" {
		origin = "; the scenario: " + origin
	}
	if m.Anonymous {
		return fmt.Sprintf("anonymous processes have no ids, but the algorithm %s (process %s, t=%v, after event %d)%s",
			m.Reason, m.Process, m.Time, m.Event, origin)
	}
	return fmt.Sprintf("a mistake of the algorithm at process %s, t=%v, after event %d: %s%s", m.Process, m.Time, m.Event, m.Reason, origin)
}

// fail ends the run after the present step because of a mistake at p.
func (k *kernel) fail(p *Process, reason string) {
	if k.mistake != nil {
		// Later mistakes follow from the first one and are not reported.
		return
	}
	k.mistake = &Mistake{Process: k.Members[p.id-1].Name, Event: k.rec.Seq(), Time: k.net.Now(), Reason: reason}
	if k.Origin != nil {
		k.mistake.Origin = k.Origin()
	}
}

// requireIdentity ends the run if the processes have no ids. does describes the step of the algorithm that needs an
// id.
func (p *Process) requireIdentity(does string) {
	if k := p.k; k.Anonymous && k.mistake == nil {
		k.fail(p, does)
		k.mistake.Anonymous = true
	}
}

// recoverMistake turns a panic of the algorithm into a mistake. It is deferred around a whole run, so that a step
// costs nothing. Other panics continue.
func (k *kernel) recoverMistake() {
	if k.stepping == nil {
		return
	}
	if r := recover(); r != nil {
		k.fail(k.stepping, fmt.Sprintf("it panics: %v", r))
	}
}
