package replay

import (
	"maps"
	"slices"

	"etrace/tracefmt"
)

// Vocabulary collects what the recorded events show about unrecorded ones: possible types, which processes
// exchange them, and which processes went down.
type Vocabulary struct {
	// types numbers the types from 0.
	types map[typed]int
	// recent is indexed by kind.
	recent [tracefmt.Note + 1]recent
	// links holds, by process and way, a bit for each of the first types.
	links [][ways]uint64
	// rarer holds the links of all other types.
	rarer map[link]bool
	// downs are the processes with a recorded crash or halt.
	downs map[tracefmt.ProcessID]bool
	// sendsToSelf is true if some process sends a message to itself.
	sendsToSelf bool
}

// recent holds the last types of a kind with their numbers, since most recur.
type recent struct {
	types   [4]string
	numbers [4]int
	filled  int
	next    int
}

// number returns the number of a type; false if it is not among the last ones.
func (r *recent) number(typ string) (int, bool) {
	for i, t := range r.types[:r.filled] {
		if t == typ {
			return r.numbers[i], true
		}
	}
	return 0, false
}

// add replaces the oldest type.
func (r *recent) add(typ string, number int) {
	r.types[r.next], r.numbers[r.next] = typ, number
	r.filled = max(r.filled, r.next+1)
	r.next = (r.next + 1) % len(r.types)
}

// bitTypes is the number of types with a bit in Vocabulary.links; the other types are in rarer.
const bitTypes = 64

// typed is a type of events, as the key of its number.
type typed struct {
	family tracefmt.Kind
	typ    string
}

// link is a relation between a process and the messages of a type.
type link struct {
	tracefmt.ProcessID
	way
	typ int
}

// way is the part of a process in the messages of a type: it sends them, is their receiver, or sends without
// a record.
type way uint8

const (
	sends way = iota
	isSent
	lacksSends // an arrival or loss of its message has no recorded send
	ways
)

// families maps each kind to the kind whose types it shares: the type of an arrival is the type of a send.
var families = [tracefmt.Note + 1]tracefmt.Kind{
	tracefmt.Receive: tracefmt.Send, tracefmt.Lose: tracefmt.Send,
	tracefmt.CancelTimer: tracefmt.SetTimer, tracefmt.Timeout: tracefmt.SetTimer,
	tracefmt.Return: tracefmt.Invoke,
}

// family returns the representative of all kinds with the same types as k.
func family(k tracefmt.Kind) tracefmt.Kind {
	if k.Valid() && families[k] != 0 {
		return families[k]
	}
	return k
}

// newVocabulary returns an empty vocabulary for the given number of processes.
func newVocabulary(processes int) *Vocabulary {
	return &Vocabulary{
		types: make(map[typed]int), links: make([][ways]uint64, processes+1),
		rarer: make(map[link]bool), downs: make(map[tracefmt.ProcessID]bool),
	}
}

// clone returns a copy that shares nothing that changes with it.
func (v *Vocabulary) clone() *Vocabulary {
	if v == nil {
		return nil
	}
	c := *v
	c.types, c.links, c.rarer, c.downs = maps.Clone(v.types), slices.Clone(v.links), maps.Clone(v.rarer),
		maps.Clone(v.downs)
	return &c
}

// connect adds a link; processes that the run does not have are ignored.
func (v *Vocabulary) connect(p tracefmt.ProcessID, w way, typ int) {
	switch {
	case p < 1 || int(p) >= len(v.links):
	case typ < bitTypes:
		v.links[p][w] |= 1 << typ
	default:
		v.rarer[link{p, w, typ}] = true
	}
}

// connected reports whether there is a link of messages of a type.
func (v *Vocabulary) connected(p tracefmt.ProcessID, w way, typ string) bool {
	number, known := v.types[typed{tracefmt.Send, typ}]
	switch {
	case !known || p < 1 || int(p) >= len(v.links):
		return false
	case number < bitTypes:
		return v.links[p][w]>>number&1 != 0
	}
	return v.rarer[link{p, w, number}]
}

// number returns the number of the type of an event, and gives a new type the next number.
func (v *Vocabulary) number(e *tracefmt.Event) int {
	last := &v.recent[e.Kind]
	if n, ok := last.number(e.Type); ok {
		return n
	}
	t := typed{family(e.Kind), e.Type}
	n, known := v.types[t]
	if !known {
		n = len(v.types)
		v.types[t] = n
	}
	last.add(e.Type, n)
	return n
}

// show adds an event.
func (v *Vocabulary) show(e *tracefmt.Event) {
	if v == nil || !e.Kind.Valid() {
		return
	}
	typ := v.number(e)
	v.sendsToSelf = v.sendsToSelf || e.Process == e.Peer && family(e.Kind) == tracefmt.Send
	switch {
	case e.Kind == tracefmt.Send:
		v.connect(e.Process, sends, typ)
		v.connect(e.Peer, isSent, typ)
	// An arrival without a recorded send proves the send.
	case (e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose) && e.Cause == 0:
		v.connect(e.Peer, sends, typ)
		v.connect(e.Process, isSent, typ)
		v.connect(e.Peer, lacksSends, typ)
	case e.Kind.Downs():
		v.downs[e.Process] = true
	}
}

// Vocabulary returns the vocabulary of the events so far. It is nil for a run that was declared complete; then
// everything is possible.
func (s *State) Vocabulary() *Vocabulary { return s.vocabulary }

// Types returns the recorded types of events of the kind, in order. Related kinds count, too: receives and losses have
// the types of sends. known is false for kinds without types. An unrecorded event may have another type, unless the
// related events are complete.
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

// MayArrive reports whether a message of the type may arrive at a process from another, or be lost: a send is
// recorded, or an arrival shows that there was one.
func (v *Vocabulary) MayArrive(from, receiver tracefmt.ProcessID, typ string) bool {
	return v == nil || v.connected(from, sends, typ) && v.connected(receiver, isSent, typ)
}

// LacksSends reports whether a message of the type from the process has arrived or was lost without a recorded
// send.
func (v *Vocabulary) LacksSends(from tracefmt.ProcessID, typ string) bool {
	return v == nil || v.connected(from, lacksSends, typ)
}

// ToItself reports whether a message of a process to itself is recorded. In a run without any, none is assumed
// to be unrecorded.
func (v *Vocabulary) ToItself() bool { return v == nil || v.sendsToSelf }

// WentDown reports whether a crash or a halt of the process is recorded.
func (v *Vocabulary) WentDown(p tracefmt.ProcessID) bool { return v == nil || v.downs[p] }
