package replay

import (
	"slices"

	"etrace/tracefmt"
)

// Vocabulary is what the recorded events say of those that may have happened without being
// recorded: types that they may have, who sent what to whom, and who went down.
type Vocabulary struct {
	types map[typed]bool
	links map[link]bool
	downs map[tracefmt.ProcessID]bool
	last  [tracefmt.Note + 1]string // the type that came last, which mostly comes again
	began uint32                    // the kinds that have come
	selfs bool                      // a process sends to itself
	// latest are the types of the last links of each process, one of each way, which mostly
	// come again.
	latest [][ways]string
}

type typed struct {
	family tracefmt.Kind
	typ    string
}

// link is how messages of a type are known of a process.
type link struct {
	tracefmt.ProcessID
	way
	typ string
}

// way is what a process has to do with a message.
type way uint8

const (
	sends way = iota
	isSent
	lacksSends // what arrived from it or was lost has no recorded send
	ways
)

// families have their types in common: an arrival shows that messages of its type are sent.
var families = map[tracefmt.Kind]tracefmt.Kind{
	tracefmt.Receive: tracefmt.Send, tracefmt.Lose: tracefmt.Send,
	tracefmt.CancelTimer: tracefmt.SetTimer, tracefmt.Timeout: tracefmt.SetTimer,
	tracefmt.Return: tracefmt.Invoke,
}

func family(k tracefmt.Kind) tracefmt.Kind {
	if f, ok := families[k]; ok {
		return f
	}
	return k
}

func newVocabulary(processes int) *Vocabulary {
	return &Vocabulary{
		types: make(map[typed]bool), links: make(map[link]bool), downs: make(map[tracefmt.ProcessID]bool),
		latest: make([][ways]string, processes+1),
	}
}

// connect takes in a link; one of no process of the run is none.
func (v *Vocabulary) connect(p tracefmt.ProcessID, w way, typ string) {
	if p < 1 || int(p) >= len(v.latest) {
		return
	}
	if last := &v.latest[p][w]; *last != typ || typ == "" {
		*last = typ
		v.links[link{p, w, typ}] = true
	}
}

// show takes in an event.
func (v *Vocabulary) show(e *tracefmt.Event) {
	if v == nil || !e.Kind.Valid() {
		return
	}
	if v.began&(1<<e.Kind) == 0 || v.last[e.Kind] != e.Type {
		v.began |= 1 << e.Kind
		v.last[e.Kind] = e.Type
		v.types[typed{family(e.Kind), e.Type}] = true
	}
	v.selfs = v.selfs || e.Process == e.Peer && family(e.Kind) == tracefmt.Send
	switch {
	case e.Kind == tracefmt.Send:
		v.connect(e.Process, sends, e.Type)
		v.connect(e.Peer, isSent, e.Type)
	case (e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose) && e.Cause == 0:
		v.connect(e.Peer, sends, e.Type)
		v.connect(e.Process, isSent, e.Type)
		v.connect(e.Peer, lacksSends, e.Type)
	case e.Kind.Info().Downs:
		v.downs[e.Process] = true
	}
}

// Vocabulary returns that of the events so far. It is nil, and all may be, where the run
// claimed to be recorded whole.
func (s *State) Vocabulary() *Vocabulary { return s.vocabulary }

// Types returns the types that are recorded of events of the kind, or those tied to them, as
// arrivals are to sends, in order; known is false where these are not followed. What is not
// recorded may have another type, unless what it is tied to is recorded.
func (v *Vocabulary) Types(k tracefmt.Kind) (types []string, known bool) {
	if v == nil {
		return nil, false
	}
	for t := range v.types {
		if t.family == family(k) {
			types = append(types, t.typ)
		}
	}
	slices.Sort(types)
	return slices.Compact(types), true
}

// MayArrive reports whether a message of the type may arrive at a process, or be lost, from
// another: one was sent as far as is recorded, or shown to be by its arrival.
func (v *Vocabulary) MayArrive(from, to tracefmt.ProcessID, typ string) bool {
	return v == nil || v.links[link{from, sends, typ}] && v.links[link{to, isSent, typ}]
}

// LacksSends reports whether a message of the type from the process has arrived or was lost
// of which no send is recorded.
func (v *Vocabulary) LacksSends(from tracefmt.ProcessID, typ string) bool {
	return v == nil || v.links[link{from, lacksSends, typ}]
}

// ToItself reports whether a message of a process to itself is recorded: in a run that has
// none, none is hidden.
func (v *Vocabulary) ToItself() bool { return v == nil || v.selfs }

// WentDown reports whether a crash or a halt of the process is recorded.
func (v *Vocabulary) WentDown(p tracefmt.ProcessID) bool { return v == nil || v.downs[p] }
