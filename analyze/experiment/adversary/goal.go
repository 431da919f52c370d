package adversary

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"etrace/analyze/complexity"
	"etrace/analyze/experiment/trial"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// goal is what an adversary drives up, or down.
type goal struct {
	name     string
	minimize bool
	// take takes the measure of a run, and reports whether it has one.
	take func(rec tracefmt.Recording) (int64, bool, error)
	// each returns what a message adds to the measure, nil if that is no sum over messages.
	each func(m *model, x *message) int64
	// weigh returns the measure of a history, nil where a run has to be recorded for it.
	weigh func(m *model, h *history) int64
	// chains: the measure depends on the order in which processes handle messages, and not
	// only on which messages there are.
	chains bool
}

// timed are the measures that are no choice of an adversary, which decides how long
// messages take.
var timed = []string{"time", "decided"}

// Measures returns the names of what an adversary can drive; type.X, of a message type,
// is one, too.
func Measures() (names []string) {
	for _, m := range append(trial.Counts(), trial.Weights()...) {
		if !slices.Contains(timed, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

func newGoal(name string, minimize bool, f *family) (*goal, error) {
	g := &goal{name: name, minimize: minimize}
	if g.weighs(f) {
		return g, nil
	}
	measure, ok := trial.Count(name)
	switch {
	case slices.Contains(timed, name):
		return nil, fmt.Errorf("the measure %s is no choice of an adversary, who may have messages take any time; known: %s", name, strings.Join(Measures(), ", "))
	case !ok:
		return nil, text.Unknown("measure", name, append(Measures(), trial.TypePrefix+"X"))
	}
	g.take = func(rec tracefmt.Recording) (int64, bool, error) { return counted(rec, measure) }
	if typ, ok := strings.CutPrefix(name, trial.TypePrefix); ok {
		if !slices.Contains(f.types, typ) {
			return nil, text.Unknown("message type", typ, f.types)
		}
		g.sums(func(m *model, x *message) int64 { return truth(m.w.contents[x.letter].typ == typ) })
	}
	switch name {
	case "messages":
		g.sums(func(*model, *message) int64 { return 1 })
	case "delivered":
		g.sums(func(m *model, x *message) int64 { return truth(m.processes[x.to] != nil) })
	case "depth":
		g.weigh, g.chains = (*model).depth, true
	case "events", "suspicions":
		g.chains = true
	}
	return g, nil
}

// sums makes the goal one that is a sum over the messages.
func (g *goal) sums(each func(m *model, x *message) int64) {
	g.each = each
	g.weigh = func(m *model, h *history) (sum int64) {
		for i := range h.messages {
			sum += each(m, &h.messages[i])
		}
		return sum
	}
}

func truth(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// depth returns the length of the longest chain of messages that are delivered.
func (m *model) depth(h *history) (deepest int64) {
	at, of := make([]int64, len(m.processes)), make([]int64, len(h.messages))
	handled := make([]int, len(m.processes))
	sent := 0
	send := func(p tracefmt.ProcessID) { of[sent], sent = at[p]+1, sent+1 }
	for sent < len(h.messages) && h.messages[sent].after == 0 {
		send(h.messages[sent].from)
	}
	for i := range h.messages {
		p := h.messages[i].to
		if m.processes[p] == nil {
			continue
		}
		handled[p]++
		at[p] = max(at[p], of[i])
		deepest = max(deepest, at[p])
		for sent < len(h.messages) && h.messages[sent].from == p && h.messages[sent].after == handled[p] {
			send(p)
		}
	}
	return deepest
}

// outcome is what a run comes to.
type outcome struct {
	value int64
	// endless: the run has no end, or was cut before it came to one.
	endless bool
}

// of returns what a run comes to.
func (g *goal) of(rec tracefmt.Recording) (outcome, error) {
	n, known, err := g.take(rec)
	switch {
	case err != nil:
		return outcome{}, err
	case !known:
		return outcome{}, fmt.Errorf("the measure %s of a run is not known", g.name)
	}
	return outcome{n, rec.Run().End != tracefmt.Quiescent}, nil
}

// counted takes a measure that is a count.
func counted(rec tracefmt.Recording, measure trial.Measure) (int64, bool, error) {
	c := complexity.NewCounter(rec.Run())
	if err := feed(rec, c); err != nil {
		return 0, false, err
	}
	n, err := strconv.ParseInt(string(measure.Of(&trial.Trial{Recording: rec, Stats: c.Stats()})), 10, 64)
	return n, err == nil, nil
}

func feed(rec tracefmt.Recording, to tracefmt.Writer) error {
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		if err := to.Write(e); err != nil {
			return err
		}
	}
	return nil
}

// weighs makes the goal one of what messages carry, if it is.
func (g *goal) weighs(f *family) bool {
	of := func(p *complexity.Payload) (int64, bool) { return p.Bytes(), true }
	switch g.name {
	case "bits":
		of = (*complexity.Payload).Bits
	case "bytes":
	default:
		return false
	}
	g.take = func(rec tracefmt.Recording) (int64, bool, error) {
		p := complexity.NewPayload(f.meter())
		err := feed(rec, p)
		n, known := of(p)
		return n, known, err
	}
	g.sums(func(m *model, x *message) int64 {
		w := m.w
		for l := len(w.weights); l < len(w.contents); l++ {
			p := complexity.NewPayload(f.meter())
			_ = p.Write(&tracefmt.Event{Kind: tracefmt.Send, Type: w.contents[l].typ, Payload: []byte(w.contents[l].payload)})
			n, _ := of(p) // what the protocol sends it can measure
			w.weights = append(w.weights, n)
		}
		return w.weights[x.letter]
	})
	return true
}

// better reports whether an outcome is nearer to the goal than another. What has no end comes
// to more than what has one.
func (g *goal) better(a, b outcome) bool {
	if g.minimize {
		a, b = b, a
	}
	if a.endless != b.endless {
		return a.endless
	}
	return a.value > b.value
}
