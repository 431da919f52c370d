package spec

import (
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// mark is what is kept of an event for an explanation: all but the payload.
type mark struct {
	seq           tracefmt.Seq
	process, peer tracefmt.ProcessID
	kind          tracefmt.Kind
	unsent        bool // what it receives has no recorded send
	typ           string
}

func (f *frame) mark() mark {
	e := f.event
	return mark{e.Seq, e.Process, e.Peer, e.Kind, e.Cause == 0, e.Type}
}

// tell says in words what the event at hand is.
func (f *frame) tell() string {
	return f.sentence(f.event, f.words.Of(f.event))
}

// sentence says of whom the words are, and at which event.
func (f *frame) sentence(e *tracefmt.Event, words string) string {
	if name := shorten(f.run.ProcessName(e.Process)); name != "" && strings.HasPrefix(words, name+" ") {
		words = "process " + words
	}
	return fmt.Sprintf("%s at seq %d", words, e.Seq)
}

// recall says what an event was that has passed.
func (f *frame) recall(m mark) string {
	e := tracefmt.Event{Seq: m.seq, Process: m.process, Peer: m.peer, Kind: m.kind, Type: m.typ}
	if !m.unsent {
		e.Cause = m.seq // which send it was, is not kept
	}
	words := f.words.Of(&e)
	if m.kind == tracefmt.State { // to what, is not kept
		words = fmt.Sprintf("%s changes its state", shorten(f.run.ProcessName(m.process)))
	}
	return f.sentence(&e, words)
}

// evidence is why a condition holds or does not.
type evidence struct {
	events []tracefmt.Seq
	values []string // such as "elected(p) is 5"
}

func (v *evidence) see(seq tracefmt.Seq) {
	if v != nil && seq != 0 {
		v.events = append(v.events, seq)
	}
}

// mark and forget take back what turns out to be no evidence.
func (v *evidence) mark() (mark evidence) {
	if v != nil {
		mark = *v
	}
	return mark
}

func (v *evidence) forget(mark evidence) {
	if v != nil {
		*v = mark
	}
}

// explain evaluates a condition again, to see why it is as it is.
func (f *frame) explain(t test) *evidence {
	f.evidence = new(evidence)
	defer func() { f.evidence = nil }()
	t(f)
	return f.evidence
}

// told lists the values, for an explanation.
func (v *evidence) told() string {
	const most = 6
	values := slices.Compact(slices.Clone(v.values))
	switch {
	case len(values) == 0:
		return ""
	case len(values) > most:
		values = append(values[:most], "and so on")
	}
	return " where " + strings.Join(values, ", ")
}

// operands tells the values of both sides of a comparison, where the source
// does not.
func (f *frame) operands(n *node, values ...value) {
	for i, v := range values {
		if k := n.kids[i]; !(k.op == "call" && k.name == "count") && k.op != "literal" &&
			!(k.op == "field" && v.sort == process && k.event == "") {
			f.evidence.values = append(f.evidence.values, fmt.Sprintf("%s is %s", k, f.show(v)))
		}
	}
}

// called says what the name of a pattern's event stands for.
func (f *frame) called(m *matcher) string {
	if m.name == defaultName {
		return ""
	}
	return fmt.Sprintf(", where %s is this event", m.name)
}

// pairs tells the values of a key with their expressions. What a key folds is
// left out.
func (f *frame) pairs(texts []string, sign string, k key) string {
	var parts []string
	for i, text := range texts {
		if i == len(k)-1 && len(texts) > len(k) {
			break
		}
		parts = append(parts, text+sign+f.show(k[i]))
	}
	return strings.Join(parts, " and ")
}
