package analyze

import (
	"cmp"
	"encoding/json"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// Split describes how a property can be examined in parts of a run: events of different keys are independent,
// so they may be in different parts. Basin, Caronni, Ereth, Harvan, Klaedtke and Mantel, Scalable offline
// monitoring of temporal specifications, 2016, prove that sound and complete.
type Split struct {
	// Whole is the reason why the rule cannot be divided, "" if it can.
	Whole string
	// Key describes the key, such as "message" or "process, term".
	Key string
	// Kinds are the kinds of events with keys.
	Kinds []tracefmt.Kind
	// Reads are the facts that all parts need, whatever their keys: the rule reads them from the state.
	Reads []tracefmt.Fact
	// Leans are the facts that all parts need because the rule takes a field of an event, such as the term, from
	// the state of its process.
	Leans []tracefmt.Fact
	// Timed is set if the rule bounds a time, so that the clock of the run must not go back.
	Timed bool
	// Complete is set if the rule can be divided only for a complete record, since it infers unrecorded events from
	// others.
	Complete bool
	// Open is the reason why the rule cannot be divided if a fact of Rests may be missing, "" if it can.
	Open string
	// Ordered is set if the keys of an event follow from earlier events.
	Ordered bool
	// Rests are all facts on which the verdict rests.
	Rests []tracefmt.Fact
}

// Splitting is a monitor that can examine a part of a run. A [Survey] first reads the whole run and finds the
// facts that no single part knows. Each part needs them at its end, and so does the join of the findings.
type Splitting interface {
	Monitor
	// Split describes the division; it is called before the first event.
	Split() Split
	// Survey takes an event of the whole run, after the state was updated. It returns the hashes of the event's
	// keys, which are valid until the next event. The event is lent, as in [Monitor].
	Survey(s *replay.State, e *tracefmt.Event) []uint64
	// News reports whether all parts need the last surveyed event, whatever its keys: it is the first that the
	// monitor examines, or the first with a field that the rule asks for.
	News() bool
	// Surveyed returns the result of the survey, in JSON. It is called at the end of a survey.
	Surveyed(s *replay.State) json.RawMessage
	// Own restricts the monitor to the keys whose hashes owns accepts. Step then gets the events of these keys, and
	// the events that all parts need.
	Own(owns func(hash uint64) bool)
	// Part takes the place of End for a part.
	Part(r *Result, s *replay.State, overall Overall, surveyed json.RawMessage) error
	// Join completes the joined result of all parts; the monitor itself has examined nothing. late finds the first
	// event after a deadline.
	Join(surveyed json.RawMessage, r *Result, end Ending, late Late) error
}

// Late returns the first event of a run whose time after accepts, with its time in units
// ([tracefmt.TimeUnit.Units]). The clock of the run must not go back.
type Late func(after func(t tracefmt.Time) bool) (tracefmt.Seq, tracefmt.Time, error)

// Part holds the findings of a part of a run.
type Part struct {
	Examined   int `json:"examined"`
	Violations int `json:"violations"`
	// First is the first violation, and Unknown the reason why the property could not be decided.
	First   *Found `json:"first,omitempty"`
	Unknown *Found `json:"unknown,omitempty"`
	// Open are the first obligations, and Owed is the number of all.
	Open []Owed `json:"open,omitempty"`
	Owed int    `json:"owed,omitempty"`
	// Mistaken is the reason why the rule may be miswritten, see [Result.Mistaken].
	Mistaken string `json:"mistaken,omitempty"`
	// Held are the violations of a partial record that unrecorded facts may excuse, in groups.
	Held []Held `json:"held,omitempty"`
	// Lacking are facts that may show a violation. Joined are such facts with one stretch around all their stretches.
	Lacking []Need `json:"lacking,omitempty"`
	Joined  []Need `json:"joined,omitempty"`
}

// Held is a group of violations that the same facts may excuse. Found is the first one, with its excuses.
type Held struct {
	Key   string `json:"key"`
	Count int    `json:"count"`
	Found
}

// Found is a finding with its place in the run: the event Met, and the Rank among findings at the end.
type Found struct {
	Met         tracefmt.Seq   `json:"met"`
	Rank        tracefmt.Seq   `json:"rank"`
	Witness     []tracefmt.Seq `json:"witness,omitempty"`
	Explanation string         `json:"explanation"`
	// Deadline is the missed deadline, if the event that shows it is still to be found: that event belongs to the
	// witness and the explanation.
	Deadline *tracefmt.Time `json:"deadline,omitempty"`
	// Needs are the unrecorded facts that would undo the finding.
	Needs []Need `json:"needs,omitempty"`
}

// MetAtEnd is the place of findings at the end of a run.
const MetAtEnd tracefmt.Seq = 1<<63 - 1

// SeqHash returns the hash of a single event.
func SeqHash(s tracefmt.Seq) uint64 { return Spread(uint64(s)) }

// Spread mixes the bits of a hash, so that its remainders are well distributed: the finalizer of splitmix64, of
// Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014.
func Spread(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Owed is an open obligation, with the event that opened it, and the unrecorded facts that may have met it.
type Owed struct {
	From    tracefmt.Seq   `json:"from"`
	Text    string         `json:"text"`
	Needs   []Need         `json:"needs,omitempty"`
	Witness []tracefmt.Seq `json:"witness,omitempty"`
}

// before reports whether a finding precedes another.
func (f *Found) before(g *Found) bool {
	if f.Met != g.Met {
		return f.Met < g.Met
	}
	return f.Rank < g.Rank
}

// earlier returns the finding that comes first; nil is no finding.
func earlier(f, g *Found) *Found {
	if f == nil || g != nil && g.before(f) {
		return g
	}
	return f
}

// Join returns the findings of both parts.
func (p Part) Join(q Part) Part {
	joined := Part{
		Examined: p.Examined + q.Examined, Violations: p.Violations + q.Violations,
		First: earlier(p.First, q.First), Unknown: earlier(p.Unknown, q.Unknown), Owed: p.Owed + q.Owed,
		Mistaken: cmp.Or(p.Mistaken, q.Mistaken), Held: slices.Clone(p.Held),
	}
	for _, h := range q.Held {
		i := slices.IndexFunc(joined.Held, func(g Held) bool { return g.Key == h.Key })
		if i < 0 {
			joined.Held = append(joined.Held, h)
			continue
		}
		g := &joined.Held[i]
		g.Count += h.Count
		if h.before(&g.Found) {
			g.Found = h.Found
		}
	}
	lacking := p.lackingNeeds()
	lacking.take(q)
	joined.Lacking, joined.Joined = lacking.lists()
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
