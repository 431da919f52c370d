package adversary

import (
	"errors"
	"fmt"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// A model of a run is a set of processes, each a function from a received message to a reaction. A [sim.Host]
// computes the reactions, and the model stores them. So each of the many runs of a search costs only lookups,
// and a proof can ask for the reaction of a process in a situation that no run has reached.

// content is a message without its sender and its receiver.
type content struct{ typ, payload string }

// contentID is the number of a content: equal contents have equal numbers.
type contentID int32

// emission is a message that a process sends.
type emission struct {
	receiver  tracefmt.ProcessID
	contentID contentID
}

// step is the reaction of a process to an input: its next state, by number, and the messages that it sends.
type step struct {
	state int32
	sent  []emission
}

// input is a message that arrives at a process in a state.
type input struct {
	state     int32
	from      tracefmt.ProcessID
	contentID contentID
}

// automaton is a process at its position on the ring, as a function from a state and a message to a step.
type automaton struct {
	w     *world
	id    tracefmt.ProcessID
	host  *sim.Host
	first step // the step in which all processes start

	// states are the states seen so far; number has their indices, steps the steps computed so far.
	states []*sim.State
	number map[*sim.State]int32
	steps  map[input]step
}

// view is the part of a ring that a process can know: its neighbours or, if it may know more, the whole ring.
type view struct {
	p, before, after tracefmt.ProcessID
	ring             string
}

// maxAutomata is the number of automata above which a world forgets them.
const maxAutomata = 4000

// world computes the automata of a family of scenarios and stores them. It is not safe for concurrent use.
type world struct {
	family     *family
	contentIDs map[content]contentID
	contents   []content
	automata   map[view]*automaton
	weights    []int64 // of contents, if the goal of the search measures payloads
	way        int     // the number of the last successful way of proof

	sent  []emission // the messages sent in the present step
	about sim.Assumptions
}

// newWorld returns a world without automata.
func newWorld(f *family) *world {
	return &world{family: f, contentIDs: map[content]contentID{}, automata: map[view]*automaton{}}
}

// Write takes the messages that the host records in a step.
func (w *world) Write(e *tracefmt.Event) error {
	if e.Kind == tracefmt.Send {
		w.sent = append(w.sent, emission{e.Peer, w.contentID(content{e.Type, string(e.Payload)})})
	}
	return nil
}

// contentID returns the number of a content, and gives a new one the next number.
func (w *world) contentID(c content) contentID {
	l, ok := w.contentIDs[c]
	if !ok {
		l = contentID(len(w.contents))
		w.contentIDs[c] = l
		w.contents = append(w.contents, c)
	}
	return l
}

// model is a network of automata, one for each process that is up.
type model struct {
	w         *world
	processes []*automaton // by number, nil for processes that are down
}

// model returns the model of a ring. It fails if some process cannot be an automaton, for example since it
// has timers.
func (w *world) model(ring []tracefmt.ProcessID) (*model, error) {
	if len(w.automata) > maxAutomata {
		clear(w.automata)
	}
	m := &model{w, make([]*automaton, len(ring)+1)}
	var config *sim.Config
	var host *sim.Host
	for i, p := range ring {
		if w.family.down[p] {
			continue
		}
		v := view{p: p, before: ring[(i+len(ring)-1)%len(ring)], after: ring[(i+1)%len(ring)]}
		if w.family.wide {
			v.ring = fmt.Sprint(ring)
		}
		a := w.automata[v]
		if a == nil {
			var err error
			// The host is made only if some automaton is not cached.
			if config == nil {
				config, host, err = w.host(ring)
				if err != nil {
					return nil, err
				}
			}
			a, err = w.automaton(p, config, host)
			if err != nil {
				return nil, err
			}
			w.automata[v] = a
		}
		m.processes[p] = a
	}
	return m, nil
}

// host returns the host of a ring.
func (w *world) host(ring []tracefmt.ProcessID) (*sim.Config, *sim.Host, error) {
	c, _, err := w.family.scenario(ring, nil).Simulation()
	if err != nil {
		return nil, nil, err
	}
	host, err := sim.NewHost(c, w)
	return &c, host, err
}

// automaton returns the automaton of a process that has started according to the configuration.
func (w *world) automaton(p tracefmt.ProcessID, c *sim.Config, host *sim.Host) (*automaton, error) {
	a := &automaton{w: w, id: p, host: host, number: map[*sim.State]int32{}, steps: map[input]step{}}
	w.sent = w.sent[:0]
	w.about.Answers = nil
	s, err := host.Initial(p, c.Coordinator, &w.about), error(nil)
	if host.Wakes() {
		s, err = host.StepFrom(s, &tracefmt.Event{Kind: tracefmt.Start, Process: p}, &w.about)
		if err != nil {
			return nil, err
		}
	}
	for i := range c.Actions {
		if c.Actions[i].Process != p {
			continue
		}
		s, err = host.BeginFrom(s, &tracefmt.Event{Kind: tracefmt.Start, Process: p}, &w.about)
		if err != nil {
			return nil, err
		}
		a.first, err = a.hostStep(s)
		if err != nil {
			return nil, err
		}
	}
	a.first, err = a.hostStep(s)
	return a, err
}

// hostStep returns the step that the host has just made. It fails if the process armed a timer or sends to itself
// without end.
func (a *automaton) hostStep(s *sim.State) (step, error) {
	switch {
	case a.w.about.Unsettled:
		return step{}, errors.New("a process sends to itself without end")
	case s.Armed():
		return step{}, errors.New("it has timers")
	}
	number, ok := a.number[s]
	if !ok {
		number = int32(len(a.states))
		a.number[s] = number
		a.states = append(a.states, s)
	}
	return step{number, append([]emission(nil), a.w.sent...)}, nil
}

// react returns the reaction of a process to a message in a state.
func (a *automaton) react(state int32, from tracefmt.ProcessID, l contentID) (step, error) {
	key := input{state, from, l}
	if s, ok := a.steps[key]; ok {
		return s, nil
	}
	c := a.w.contents[l]
	a.w.sent = a.w.sent[:0]
	e := tracefmt.Event{Kind: tracefmt.Receive, Process: a.id, Peer: from, Type: c.typ}
	if c.payload != "" {
		e.Payload = []byte(c.payload)
	}
	after, err := a.host.StepFrom(a.states[state], &e, &a.w.about)
	if err != nil {
		return step{}, err
	}
	s, err := a.hostStep(after)
	if err == nil {
		a.steps[key] = s
	}
	return s, err
}
