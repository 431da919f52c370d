package analyze

import (
	"encoding/json"

	"etrace/replay"
	"etrace/tracefmt"
)

// Split says how the examination of a run for a property can be split: events of different
// keys have nothing to do with each other, so that they may be examined apart. That this is
// sound and complete is shown by Basin, Caronni, Ereth, Harvan, Klaedtke and Mantel, Scalable
// offline monitoring of temporal specifications, 2016.
type Split struct {
	// Whole says why it cannot be split, "" if it can.
	Whole string
	// Key says in words by what, such as "message" or "process, term".
	Key string
	// Kinds are those of events that have keys.
	Kinds []tracefmt.Kind
	// Reads are the facts that everyone must see, whatever the key: what the rule asks of
	// the state.
	Reads []tracefmt.Fact
	// Leans are those that everyone must see if events leave it to the state of their process
	// to say what they do not say themselves, such as the term.
	Leans []tracefmt.Fact
	// Timed: it bounds a time, so that the clock of the run must not go back.
	Timed bool
	// Complete: it can be split only where the record is complete, since it asks of what is not
	// recorded what other events show.
	Complete bool
	// Ordered: the keys of an event follow from those before it.
	Ordered bool
	// Rests are all facts on which the verdict rests. Where one may be missing, what is not
	// recorded decides, and that is asked of the whole run.
	Rests []tracefmt.Fact
}

// A Splitting monitor can examine a part of a run. The whole run is surveyed once; who
// examines a part, and who joins what was found, is told of it.
type Splitting interface {
	Monitor
	// Split says how; it is called before the first event.
	Split() Split
	// Survey takes in an event of the whole run, after the state has, and returns the hashes of
	// the keys that it has, which are good until the next event.
	// The event is lent, as in [Monitor].
	Survey(s *replay.State, e *tracefmt.Event) []uint64
	// Surveyed is what whoever examines a part must know of the whole run, in JSON. It is
	// called at the end of a survey.
	Surveyed(s *replay.State) json.RawMessage
	// Begins reports whether the event that was taken in last is the first that it looks at, with
	// which begins what holds for a while: everyone must see it.
	Begins() bool
	// Leans reports whether an event of a survey left something to the state to say.
	Leans() bool
	// Own has the monitor examine, with Step, what of a run it owns by the hash of the key,
	// knowing what was surveyed. The events that it is given are at least those, and those of
	// the facts that everyone must see.
	Own(surveyed json.RawMessage, owns func(hash uint64) bool) error
	// Owned reports whether the last event was one.
	Owned() bool
	// Part is called in place of End, with what only the whole run says.
	Part(r *Result, s *replay.State, whole Overall)
	// Join is called for a result of which all parts are joined, by a monitor that has examined
	// nothing. late finds the first event of the run, with its time, for which after is true:
	// those after a deadline.
	Join(surveyed json.RawMessage, r *Result, end Ending, late Late) error
}

// Late finds the first event of a run with a time for which after is true, of a clock that
// does not go back. Times are in units, see [tracefmt.TimeUnit.Units].
type Late func(after func(t tracefmt.Time) bool) (tracefmt.Seq, tracefmt.Time, error)

// Part is what the examination of a part of a run found, to be joined with others.
type Part struct {
	Examined   int `json:"examined"`
	Violations int `json:"violations"`
	// First is the first violation that was met, and Unknown why the property could not be
	// decided.
	First   *Found `json:"first,omitempty"`
	Unknown *Found `json:"unknown,omitempty"`
	// Open are the first obligations, and Owed counts all of them.
	Open []Owed `json:"open,omitempty"`
	Owed int    `json:"owed,omitempty"`
}

// Found is a finding with its place among all of the run.
type Found struct {
	// Met is the event at which it was met, [MetAtEnd] for none; and Rank its place among those
	// that were met there.
	Met         tracefmt.Seq   `json:"met"`
	Rank        tracefmt.Seq   `json:"rank"`
	Witness     []tracefmt.Seq `json:"witness,omitempty"`
	Explanation string         `json:"explanation"`
	// Deadline is the time that was over, if the event with which it was over is to be
	// found yet: it belongs to the witness, and to the explanation.
	Deadline *tracefmt.Time `json:"deadline,omitempty"`
}

// MetAtEnd is when something is met that shows at the end of a run only.
const MetAtEnd tracefmt.Seq = 1<<63 - 1

// SeqHash is the hash of an event as such.
func SeqHash(s tracefmt.Seq) uint64 { return Spread(uint64(s)) }

// Spread mixes the bits of a hash, so that its remainders are as good as itself: the finalizer
// of splitmix64, of Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014.
func Spread(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Owed is an open obligation, and the event that it is from.
type Owed struct {
	From tracefmt.Seq `json:"from"`
	Text string       `json:"text"`
}

// before reports whether a finding was met before another.
func (f *Found) before(g *Found) bool {
	if f.Met != g.Met {
		return f.Met < g.Met
	}
	return f.Rank < g.Rank
}

// earlier is the finding that was met first; nil is none.
func earlier(f, g *Found) *Found {
	if f == nil || g != nil && g.before(f) {
		return g
	}
	return f
}

// Join returns what both parts found.
func (p Part) Join(q Part) Part {
	joined := Part{
		Examined: p.Examined + q.Examined, Violations: p.Violations + q.Violations,
		First: earlier(p.First, q.First), Unknown: earlier(p.Unknown, q.Unknown), Owed: p.Owed + q.Owed,
	}
	a, b := p.Open, q.Open
	for len(joined.Open) < MostOwed && len(a)+len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0].From <= b[0].From {
			joined.Open, a = append(joined.Open, a[0]), a[1:]
		} else {
			joined.Open, b = append(joined.Open, b[0]), b[1:]
		}
	}
	return joined
}
