package spec

import (
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// eventSummary is an event without its payload, which is stored for an explanation.
type eventSummary struct {
	seq           tracefmt.Seq
	process, peer tracefmt.ProcessID
	kind          tracefmt.Kind
	unsent        bool // the event is an arrival without a recorded send
	typ           string
}

// summary returns the current event without its payload.
func (f *frame) summary() eventSummary {
	e := f.event
	return eventSummary{seq: e.Seq, process: e.Process, peer: e.Peer, kind: e.Kind, unsent: e.Cause == 0, typ: e.Type}
}

// describe returns the current event in words.
func (f *frame) describe() string {
	return f.sentence(f.event, f.words.Of(f.event))
}

// sentence completes words about an event by the process and the seq.
func (f *frame) sentence(e *tracefmt.Event, words string) string {
	if name := shorten(f.run.ProcessName(e.Process)); name != "" && strings.HasPrefix(words, name+" ") {
		words = "process " + words
	}
	return fmt.Sprintf("%s at seq %d", words, e.Seq)
}

// describeEarlier describes an earlier event.
func (f *frame) describeEarlier(m eventSummary) string {
	e := tracefmt.Event{Seq: m.seq, Process: m.process, Peer: m.peer, Kind: m.kind, Type: m.typ}
	if !m.unsent {
		e.Cause = m.seq // any send will do: only whether there is one matters to the words
	}
	words := f.words.Of(&e)
	if m.kind == tracefmt.State { // the new value is not kept
		words = fmt.Sprintf("%s changes its state", shorten(f.run.ProcessName(m.process)))
	}
	return f.sentence(&e, words)
}

// evidence is the reason for the truth of a condition.
type evidence struct {
	events  []tracefmt.Seq
	values  []string // such as "elected(p) is 5"
	fluents []string // such as "down(p) holds since seq 7"
}

// addEvent adds an event to the evidence.
func (v *evidence) addEvent(seq tracefmt.Seq) {
	if v != nil && seq != 0 {
		v.events = append(v.events, seq)
	}
}

// snapshot returns the present length of the evidence. If later evidence turns out to be irrelevant, restore removes it.
func (v *evidence) snapshot() (mark evidence) {
	if v != nil {
		mark = *v
	}
	return mark
}

// restore removes the evidence added since a snapshot.
func (v *evidence) restore(mark evidence) {
	if v != nil {
		*v = mark
	}
}

// explain evaluates a condition again and returns the evidence for its truth.
func (f *frame) explain(t test) *evidence {
	f.evidence = new(evidence)
	defer func() { f.evidence = nil }()
	t(f)
	return f.evidence
}

// text lists the values, for an explanation.
func (v *evidence) text() string {
	const limit = 6
	values := slices.Compact(slices.Concat(v.fluents, v.values))
	switch {
	case len(values) == 0:
		return ""
	case len(values) > limit:
		values = append(values[:limit], "and so on")
	}
	return " where " + strings.Join(values, ", ")
}

// noteOperands adds the values of both sides of a comparison, unless the source shows them.
func (f *frame) noteOperands(n *node, values ...value) {
	for i, v := range values {
		// A constant and the variable of a quantifier are in the source. The processes of a count are listed by the
		// call.
		if k := n.operands[i]; !(k.op == "call" && k.name == "count") && k.op != "literal" &&
			!(k.op == "field" && v.sort == process && k.event == "") {
			f.evidence.values = append(f.evidence.values, fmt.Sprintf("%s is %s", k, f.format(v)))
		}
	}
}

// nameRemark returns a clause that explains the name of a pattern's event, "" for the default name.
func (f *frame) nameRemark(m *matcher) string {
	if m.name == defaultName {
		return ""
	}
	return fmt.Sprintf(", where %s is this event", m.name)
}

// listKey lists the values of a key with their expressions. It omits values that the key folds into one.
func (f *frame) listKey(texts []string, sign string, k key) string {
	var parts []string
	for i, text := range texts {
		if i == len(k)-1 && len(texts) > len(k) {
			break
		}
		shown := f.format(k[i])
		if text == "time" {
			shown = f.run.When(tracefmt.Time(k[i].n))
		}
		parts = append(parts, text+sign+shown)
	}
	return strings.Join(parts, " and ")
}
