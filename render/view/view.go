package view

import (
	"cmp"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// View is the selected part of a run. The zero value is the whole run.
type View struct {
	// From and To bound the window of events; 0 is the first, or last, event.
	From, To tracefmt.Seq
	// MaxEvents is the greatest number of events shown; 0 is the default of package story.
	MaxEvents int
	// Past, if not nil, has the events that are shown.
	Past *replay.Past
	// Processes, if not nil, reports by process whose events are shown.
	Processes []bool
	// Groups are the groups of the processes, by process, as the attribute Group of the members has them; nil for none.
	Group  string
	Groups []string
	// Types, if not nil, are the types of the messages shown.
	Types []string
	// Label is the only field of the payload that the labels of messages show; "" for the first fields.
	Label string
	// Kinds, if not nil, are the kinds of events shown.
	Kinds []tracefmt.Kind
	// Hide are the events that are left out.
	Hide []*replay.Pattern
	// KeepIdle: idle processes are shown, too. Keep lists single idle processes to show, by process.
	KeepIdle bool
	Keep     []bool
	// Frame: the view ends at a moment of a run, and hides everything after that moment.
	Frame bool
	// Merge: a message that a process of a ring only passes on is one with the message that it received.
	Merge bool
	// Fold: of stretches of events that repeat each other only the first is shown. Where events are highlighted,
	// only these are, and crashes and recoveries.
	Fold bool
	// Folds are the known repetitions, in order.
	Folds []Fold
}

// Fold is a stretch of events that repeat those before them.
type Fold struct {
	From, To tracefmt.Seq
	// Text names the number of repetitions and of hidden events.
	Text string
}

// FoldOf returns the hidden repetition that contains an event.
func (v *View) FoldOf(seq tracefmt.Seq) (Fold, bool) {
	i, found := slices.BinarySearchFunc(v.Folds, seq, func(f Fold, seq tracefmt.Seq) int { return cmp.Compare(f.From, seq) })
	if !found {
		i--
	}
	if i < 0 || v.Folds[i].To < seq {
		return Fold{}, false
	}
	return v.Folds[i], true
}

// Inside reports whether an event is in the window.
func (v *View) Inside(seq tracefmt.Seq) bool { return seq >= v.From && (v.To == 0 || seq <= v.To) }

// Shows reports whether an event of the window is shown.
func (v *View) Shows(e *tracefmt.Event) bool {
	return v.ShowsProcess(e.Process) && (v.Kinds == nil || slices.Contains(v.Kinds, e.Kind)) && v.ShowsType(e) && !v.LeavesOut(e)
}

// ShowsType reports whether the message of an event has a shown type. Other events have no type to hide.
func (v *View) ShowsType(e *tracefmt.Event) bool {
	return v.Types == nil || !isMessage(e.Kind) || slices.Contains(v.Types, e.Type)
}

// LeavesOut reports whether an event is outside of the causal past that is shown, or hidden by a pattern.
func (v *View) LeavesOut(e *tracefmt.Event) bool {
	return v.Past != nil && !v.Past.Has(e) || slices.ContainsFunc(v.Hide, func(p *replay.Pattern) bool { return p.Match(e) })
}

// ShowsProcess reports whether the events of a process are shown; 0 are those of no process.
func (v *View) ShowsProcess(p tracefmt.ProcessID) bool {
	return v.Processes == nil || p == 0 || v.Processes[p]
}

// Filters reports whether events of the window are left out.
func (v *View) Filters() bool {
	return v.Past != nil || v.Processes != nil || v.Types != nil || v.Kinds != nil || len(v.Hide) > 0
}

// isMessage reports whether events of the kind belong to a message.
func isMessage(k tracefmt.Kind) bool {
	return k == tracefmt.Send || k == tracefmt.Receive || k == tracefmt.Lose
}
