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

// goal is the measure that an adversary maximizes or minimizes.
type goal struct {
	name     string
	minimize bool
	// measure returns the measure of a run, and whether the run has this measure.
	measure func(rec tracefmt.Recording) (int64, bool, error)
	// perMessage returns what a message adds to the measure; it is nil if the measure is not a sum over messages.
	perMessage func(m *model, x *message) int64
	// weigh returns the measure of a history; it is nil if the measure needs a recorded run.
	weigh func(m *model, h *history) int64
	// chains is true if the measure depends on the order in which processes handle messages, too, and not only on
	// the set of messages.
	chains bool
}

// timed are the measures that are unavailable, since the adversary decides how long messages take.
var timed = []string{"time", "decided"}

// Measures returns the names of the available measures. In addition, type.X counts the messages of type X.
func Measures() (names []string) {
	for _, m := range append(trial.Counts(), trial.Weights()...) {
		if !slices.Contains(timed, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// newGoal returns the goal for a measure. It fails for an unknown measure, and for times, which the adversary
// itself decides.
func newGoal(name string, minimize bool, f *family) (*goal, error) {
	g := &goal{name: name, minimize: minimize}
	if g.setPayloadSize(f) {
		return g, nil
	}
	measure, ok := trial.Count(name)
	switch {
	case slices.Contains(timed, name):
		return nil, fmt.Errorf(
			"the measure %s is not available: the adversary decides how long messages take; known: %s",
			name, strings.Join(Measures(), ", "),
		)
	case !ok:
		return nil, text.Unknown("measure", name, append(Measures(), trial.TypePrefix+"X"))
	}
	g.measure = func(rec tracefmt.Recording) (int64, bool, error) { return counted(rec, measure) }
	if typ, ok := strings.CutPrefix(name, trial.TypePrefix); ok {
		if !slices.Contains(f.types, typ) {
			return nil, text.Unknown("message type", typ, f.types)
		}
		g.setSum(func(m *model, x *message) int64 { return truth(m.w.contents[x.contentID].typ == typ) })
	}
	switch name {
	case "messages":
		g.setSum(func(*model, *message) int64 { return 1 })
	case "delivered":
		g.setSum(func(m *model, x *message) int64 { return truth(m.processes[x.receiver] != nil) })
	case "depth":
		g.weigh, g.chains = (*model).depth, true
	case "events", "suspicions":
		g.chains = true
	}
	return g, nil
}

// setSum makes the goal a sum over the messages.
func (g *goal) setSum(each func(m *model, x *message) int64) {
	g.perMessage = each
	g.weigh = func(m *model, h *history) (sum int64) {
		for i := range h.messages {
			sum += each(m, &h.messages[i])
		}
		return sum
	}
}

// truth returns 1 for true, 0 for false.
func truth(condition bool) int64 {
	if condition {
		return 1
	}
	return 0
}

// depth returns the length of the longest chain of messages that are delivered.
func (m *model) depth(h *history) (deepest int64) {
	depths, lengths := make([]int64, len(m.processes)), make([]int64, len(h.messages))
	handled := make([]int, len(m.processes))
	sent := 0
	send := func(p tracefmt.ProcessID) { lengths[sent], sent = depths[p]+1, sent+1 }
	// The messages are in the order of their sends. Those of the starts precede all deliveries.
	for sent < len(h.messages) && h.messages[sent].after == 0 {
		send(h.messages[sent].sender)
	}
	for i := range h.messages {
		p := h.messages[i].receiver
		if m.processes[p] == nil {
			continue
		}
		handled[p]++
		depths[p] = max(depths[p], lengths[i])
		deepest = max(deepest, depths[p])
		for sent < len(h.messages) && h.messages[sent].sender == p && h.messages[sent].after == handled[p] {
			send(p)
		}
	}
	return deepest
}

// outcome is the result of a run.
type outcome struct {
	value int64
	// endless: the run does not end, or was cut before its end.
	endless bool
}

// measured returns the outcome of a run.
func (g *goal) measured(rec tracefmt.Recording) (outcome, error) {
	n, known, err := g.measure(rec)
	switch {
	case err != nil:
		return outcome{}, err
	case !known:
		return outcome{}, fmt.Errorf("the measure %s of a run is not known", g.name)
	}
	return outcome{n, rec.Run().End != tracefmt.Quiescent}, nil
}

// counted returns a measure that is a count.
func counted(rec tracefmt.Recording, measure trial.Measure) (int64, bool, error) {
	c := complexity.NewCounter(rec.Run())
	if err := replayInto(rec, c); err != nil {
		return 0, false, err
	}
	n, err := strconv.ParseInt(string(measure.Of(&trial.Trial{Recording: rec, Stats: c.Stats()})), 10, 64)
	return n, err == nil, nil
}

// replayInto passes all events of a recording to the writer.
func replayInto(rec tracefmt.Recording, writer tracefmt.Writer) error {
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		if err := writer.Write(e); err != nil {
			return err
		}
	}
	return nil
}

// setPayloadSize makes the goal a size of payloads, and returns true, if its name is bits or bytes.
func (g *goal) setPayloadSize(f *family) bool {
	size := func(p *complexity.Payload) (int64, bool) { return p.Bytes(), true }
	switch g.name {
	case "bits":
		size = (*complexity.Payload).Bits
	case "bytes": // the function above counts bytes
	default:
		return false
	}
	g.measure = func(rec tracefmt.Recording) (int64, bool, error) {
		p := complexity.NewPayload(f.meter())
		err := replayInto(rec, p)
		n, known := size(p)
		return n, known, err
	}
	g.setSum(func(m *model, x *message) int64 {
		w := m.w
		for l := len(w.weights); l < len(w.contents); l++ {
			p := complexity.NewPayload(f.meter())
			_ = p.Write(&tracefmt.Event{
				Kind: tracefmt.Send, Type: w.contents[l].typ,
				Payload: []byte(w.contents[l].payload),
			})
			// The protocol can measure every message that it sends.
			n, _ := size(p)
			w.weights = append(w.weights, n)
		}
		return w.weights[x.contentID]
	})
	return true
}

// better reports whether outcome a is nearer to the goal than b. A run without end has a greater value than
// every run that ends.
func (g *goal) better(a, b outcome) bool {
	if g.minimize {
		a, b = b, a
	}
	if a.endless != b.endless {
		return a.endless
	}
	return a.value > b.value
}
