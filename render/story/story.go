package story

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"etrace/render/view"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// DefaultMaxEvents is the default for the number of events shown: a browser scrolls through them with
// ease.
const DefaultMaxEvents = 10_000

// Options select the part of a run to show. The zero value shows all of it, up to [DefaultMaxEvents].
type Options struct {
	// View selects the events; a MaxEvents of 0 is [DefaultMaxEvents].
	view.View
	// Axis is one of [Axes]; the zero value selects the axis that suits the run.
	Axis Axis
	// Title replaces the title made from the run's description.
	Title string
	// Page is which page of several the picture is.
	Page string
	// Caption is what the picture is to show, in a sentence below the title.
	Caption string
	// Highlight lists the events that the picture is about; all others are
	// drawn faint. Without a window in the options, these events span the window.
	Highlight []tracefmt.Seq
	// Faint is the text in the legend for the other events.
	Faint string
	// Witness lists events that are marked and numbered in this order.
	Witness []tracefmt.Seq
	// Cut is drawn as a line: what happens above it is in the cut.
	Cut Cut
	// Spans are what is to be followed at each process, at most [MostSpans].
	Spans []Span
	// Variables: those of the processes are kept, too, see [Story.VariablesOf].
	Variables bool
	// Operations: those of the clients are kept, too, see [Story.Operations]. Order has by invocation the place of each
	// in an order that explains the results.
	Operations bool
	Order      map[tracefmt.Seq]int
	// Violated: operations on objects without a violation are left out.
	Violated bool
	// Overview: the run as a whole is kept, see [Story.Overview]; Violations name what an event violates.
	Overview   bool
	Violations map[tracefmt.Seq][]string
	// maxContext is the longest window in which events that are not highlighted are drawn, in events.
	maxContext int
}

// Story is the content of a picture of a run: the events of the window, matched with one another, and the totals of
// the whole run.
type Story struct {
	Run     *tracefmt.Run
	Options Options // with the defaults filled in; To is the end of what is shown
	// Order holds the processes that are shown, in ring order; Column is its inverse, by
	// process, -1 for a hidden process.
	Order  []tracefmt.ProcessID
	Column []int
	// Idle counts the processes that are not shown since they do nothing in the view.
	Idle int
	// Steps are the events of the window that are shown, in recorded order.
	Steps []Step
	// Types are the message types in the order of their first occurrence, fit
	// to be drawn.
	Types []string
	// Before and After are the conditions of the processes, by process, at the
	// borders of the window.
	Before, After []Condition
	// LeaderAfter is the process that all live ones have elected when the window
	// ends, 0 for none.
	LeaderAfter tracefmt.ProcessID
	// Hidden counts the hidden events of the window: events beyond Options.MaxEvents, and events outside of the view.
	// Unlit counts those of them that the view shows, but that are not highlighted.
	Hidden, Unlit int64
	// Divided has the groups of the partition that began before the window, "" for none.
	Divided string
	// Merged counts the hops of messages that are part of another message, Folded the events that are not shown since they
	// repeat others.
	Merged, Folded int64
	// Others counts the objects whose operations are left out since no violation is one of theirs.
	Others int
	// Folds are the stretches of the latter.
	Folds []view.Fold
	// First is the time of the run's first event.
	First tracefmt.Time
	last  tracefmt.Time // the time of the last event so far
	// Stretches are when Options.Spans go on, in the order in which they begin.
	Stretches []Stretch

	ringOrder []tracefmt.ProcessID // all processes
	best      attribute
	drawn     []string // the names of the processes
	// nameBegin and nameEnd are what all names have and the drawn ones lack.
	nameBegin, nameEnd string
	state              *replay.State // after the events read so far
	pasts              []past        // by process
	totals, window     totals
	strands            strands
	spans              []trackedSpan // the bars of Options.Spans
	holds              [][]Variable  // by process
	operations         operations
	overview           overview
	cut                cutCheck
	split              split
	// full: the window ends early, since the picture has Options.MaxEvents events. It was to end at askedTo.
	full    bool
	askedTo tracefmt.Seq
	undrawn int64 // events of the window of kinds that are never drawn
	// opening is true while nothing has happened but processes starting, or
	// being found down.
	opening   bool
	lifelines []lifeline // by process

	otherChanges []change       // the other changes of the current step, see addState
	types        map[string]int // numbers of the message types, from 1
	strings      map[string]string
	sends        map[tracefmt.MessageID]int // indices of the sends in Steps
	// unsent are the messages that were received in the window, without a recorded send.
	unsent map[tracefmt.MessageID]bool
}

// Read reads the recording once. Its time grows with the number of events, its memory with the number of shown
// events; of all others only counts are kept. A window that begins after the last event is an error.
func Read(ctx context.Context, rec tracefmt.Recording, o Options) (*Story, error) {
	s := newStory(rec.Run(), o)
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		s.totals.events++
		if s.totals.events&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := s.addEvent(e); err != nil {
			return nil, err
		}
	}
	if from := s.Options.From; from > 1 && int64(from) > s.totals.events {
		return nil, fmt.Errorf("the window begins at %d, but the run has %s", from, Plural(s.totals.events, "event"))
	}
	s.state.Finish()
	s.closeWindow()
	if s.Before == nil {
		s.openWindow()
	}
	s.endSpans()
	s.markUncertain()
	s.countHidden()
	s.shortenLogs()
	s.mergeHops()
	s.foldRepeats()
	s.leaveOutObjects()
	s.leaveOutIdle()
	return s, ctx.Err()
}

// newStory returns the story before the first event: it orders the processes and shortens their names.
func newStory(run *tracefmt.Run, o Options) *Story {
	n := len(run.Members)
	o = o.withDefaults()
	names := make([]string, n)
	s := &Story{
		Run: run, Options: o, Column: make([]int, n+1), cut: newCutCheck(o.Cut, run),
		state: replay.NewState(run), pasts: make([]past, n+1), opening: true, strands: newStrands(run),
		types: make(map[string]int), strings: make(map[string]string), sends: make(map[tracefmt.MessageID]int),
		unsent: make(map[tracefmt.MessageID]bool),
	}
	s.spans = trackSpans(o.Spans, run)
	for p := range run.Members {
		s.Order = append(s.Order, tracefmt.ProcessID(p+1))
		names[p] = Clean(run.Members[p].Name, maxTip)
	}
	s.best = newAttribute(run)
	if slices.ContainsFunc(names, func(name string) bool { return utf8.RuneCountInString(name) > maxName }) {
		s.nameBegin, s.nameEnd = text.CommonEnds(names)
	}
	for i := range names {
		names[i] = s.distinctPart(names[i])
	}
	s.drawn = text.Distinct(names, maxName, nil)
	slices.SortStableFunc(s.Order, func(a, b tracefmt.ProcessID) int {
		return cmp.Compare(run.Members[a-1].Position, run.Members[b-1].Position)
	})
	if o.Groups != nil { // in the order of their first members
		var groups []string
		for _, p := range s.Order {
			groups = append(groups, o.Groups[p])
		}
		slices.SortStableFunc(s.Order, func(a, b tracefmt.ProcessID) int {
			return cmp.Compare(slices.Index(groups, o.Groups[a]), slices.Index(groups, o.Groups[b]))
		})
	}
	s.ringOrder = s.Order
	s.setColumns()
	return s
}

// setColumns sets the columns of the shown processes.
func (s *Story) setColumns() {
	for _, p := range s.ringOrder {
		s.Column[p] = -1
	}
	for i, p := range s.Order {
		s.Column[p] = i
	}
}

// leaveOutIdle hides the processes that do nothing in the selected part of the run.
func (s *Story) leaveOutIdle() {
	o := &s.Options
	entire := o.From <= 1 && (o.To == 0 || int64(o.To) >= s.totals.events)
	if o.KeepIdle || entire && !o.Filters() && s.Unlit == 0 {
		return
	}
	busy := make([]bool, len(s.Column))
	copy(busy, o.Keep)
	for i := range s.Steps {
		st := &s.Steps[i]
		if st.Opening && !slices.Contains(o.Witness, st.Seq) { // shown in the heads
			continue
		}
		for _, hop := range st.Via {
			busy[hop.Process] = true
		}
		busy[st.Process] = true
		busy[st.Peer] = busy[st.Peer] || s.Options.ShowsProcess(st.Peer)
	}
	for _, op := range s.operations.list {
		busy[op.Process] = true
	}
	s.Order = slices.DeleteFunc(slices.Clone(s.ringOrder), func(p tracefmt.ProcessID) bool { return !busy[p] })
	if len(s.Order) == 0 {
		s.Order = s.ringOrder // no process takes a step: show all
	}
	for _, p := range s.ringOrder {
		if !busy[p] && s.Options.ShowsProcess(p) {
			s.Idle++
		}
	}
	s.setColumns()
}

// Place returns the place of a process in ring order, whether it is shown or not.
func (s *Story) Place(p tracefmt.ProcessID) int { return slices.Index(s.ringOrder, p) }

// Shows reports by process which ones are shown.
func (s *Story) Shows() []bool {
	shown := make([]bool, len(s.Column))
	for _, p := range s.Order {
		shown[p] = true
	}
	return shown
}

// Shown reports whether a process is shown.
func (s *Story) Shown(p tracefmt.ProcessID) bool { return s.Column[p] >= 0 }

// addEvent takes the next event of the run. It fails for an event of a process that the run does not list.
func (s *Story) addEvent(e *tracefmt.Event) error {
	if int(e.Process) >= len(s.Column) || int(e.Peer) >= len(s.Column) || e.Process < 0 || e.Peer < 0 {
		return fmt.Errorf("seq %d: process number out of range, the run has %d processes", e.Seq, len(s.Column)-1)
	}
	if s.totals.events == 1 {
		s.First = e.Time
	}
	s.last = e.Time
	s.cut.addEvent(e)
	divided := s.split.text
	s.split.follow(e, s.Run)
	s.opening = s.opening && (e.Kind == tracefmt.Start || e.Kind == tracefmt.Crash)
	inside := s.Options.Inside(e.Seq)
	// The figures of a part are about the events that it shows, and an overview shows all.
	counted := inside && (s.Options.Shows(e) || s.Options.Overview)
	if inside && s.Before == nil {
		s.openWindow()
		s.Divided = divided
	}
	strand := s.strands.strandOf(e)
	before := s.stanceOf(e.Process)
	steps := len(s.Steps)
	isStep, isFull := false, false
	switch {
	case inside && isDrawn(e):
		isStep, isFull = s.addShown(e, strand)
	case inside:
		s.undrawn++
	}
	if isFull {
		inside = false
		counted = counted && s.Options.Overview
	}
	s.followLife(e, isStep, inside)
	if !inside && s.Before != nil {
		s.closeWindow()
		s.markUnseenEnd(e)
	}
	s.count(e, counted)
	s.updatePast(e)
	s.followSpans(e, len(s.Steps) > steps)
	object := s.followOperation(e, len(s.Steps) > steps)
	s.followOverview(e, object)
	if len(s.Steps) > steps && s.Steps[steps].Process != 0 {
		st := &s.Steps[steps]
		st.Leads = s.state.Leads(e.Process)
		st.rises = st.Leads && !before.leads
		if e.Kind == tracefmt.State {
			s.addState(e, st, before)
		}
	}
	return nil
}

// addShown adds an event of the window to the steps, unless the options hide or fold it. isFull is true if the
// picture has no room for the event: then the window ends before it, except in an overview.
func (s *Story) addShown(e *tracefmt.Event, strand int) (isStep, isFull bool) {
	switch f, isFolded := s.Options.FoldOf(e.Seq); {
	case isFolded:
		s.fold(e, &f)
	case s.Options.leavesOut(e), !s.Options.Shows(e):
		s.Hidden++
		if s.Options.Shows(e) {
			s.Unlit++
		}
		s.markUnseenEnd(e)
	case len(s.Steps) < s.Options.MaxEvents:
		s.add(e, strand)
		return true, false
	case s.Options.Overview:
		s.Hidden++
		return false, true
	default:
		s.askedTo, s.full = s.Options.To, true
		s.Options.To = e.Seq - 1
		return false, true
	}
	return false, false
}

// countHidden completes the number of hidden events at the end of the run. Where events are hidden, that is the
// number of all events that are not drawn.
func (s *Story) countHidden() {
	if s.full {
		s.Hidden += int64(s.windowEnd(s.askedTo) - s.End())
	}
	if s.Hidden > 0 {
		s.Hidden += s.undrawn
	}
}

// End returns the last event of the window.
func (s *Story) End() tracefmt.Seq { return s.windowEnd(s.Options.To) }

// windowEnd returns the last event of a window with the bound; 0 is no bound.
func (s *Story) windowEnd(bound tracefmt.Seq) tracefmt.Seq {
	if last := tracefmt.Seq(s.totals.events); bound == 0 || bound > last {
		return last
	}
	return bound
}

// openWindow stores the conditions at the beginning of the window.
func (s *Story) openWindow() {
	s.Before = s.conditions()
	s.beginLives()
	s.beginSpans()
	s.operations.openWindow()
}

// closeWindow stores the conditions at the end of the window.
func (s *Story) closeWindow() {
	if s.After == nil {
		s.After, s.LeaderAfter = s.conditions(), s.Leader()
		if s.Options.Variables {
			s.holds = s.variables()
		}
	}
}

// isPart reports whether the picture shows less than the run from its first event to its last.
func (s *Story) isPart() bool {
	o := &s.Options
	return o.From > 1 || o.To > 0 && int64(o.To) < s.totals.events
}

// Name returns the name of a process, fit to be drawn, and of no other process.
func (s *Story) Name(p tracefmt.ProcessID) string {
	if p <= 0 || int(p) > len(s.drawn) || s.drawn[p-1] == "" {
		return "?"
	}
	return s.drawn[p-1]
}

// Named returns the process with a drawn name, or false.
func (s *Story) Named(name string) (tracefmt.ProcessID, bool) {
	i := slices.Index(s.drawn, name)
	return tracefmt.ProcessID(i + 1), i >= 0
}

// NamesWithin returns the names of all processes, by process, each cut to a number of columns. The
// function columns returns the width of a character. The names are distinct.
func (s *Story) NamesWithin(limit int, columns func(rune) int) []string {
	names := make([]string, len(s.Run.Members))
	for i := range names {
		names[i] = s.distinctPart(s.FullName(tracefmt.ProcessID(i + 1)))
	}
	return append([]string{"?"}, text.Distinct(names, limit, columns)...)
}

// distinctPart returns a name without the beginning and end that all names share.
func (s *Story) distinctPart(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, s.nameBegin), s.nameEnd)
}

// NameEnds returns the beginning and the end that all names have and that Name leaves out, since the names are long.
func (s *Story) NameEnds() (begin, end string) { return s.nameBegin, s.nameEnd }

// RoleName returns the name of a process with its role, if recorded, and with the attribute by which
// an election compares it.
func (s *Story) RoleName(p tracefmt.ProcessID) string {
	words := []string{s.RoleWord(p)}
	if s.best.name != "" {
		words = append(words, s.best.values[p])
	}
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	if len(words) > 0 {
		return s.Name(p) + " (" + strings.Join(words, ", ") + ")"
	}
	return s.Name(p)
}

// GroupOf returns the group of a process, "" without groups.
func (s *Story) GroupOf(p tracefmt.ProcessID) string {
	if s.Options.Groups == nil {
		return ""
	}
	return Clean(s.Options.Groups[p], maxLabel)
}

// RoleWord returns the member role of a process, if it is one of the [tracefmt.MemberRoles] that set it apart, such
// as Byzantine, client or coordinator. It is "" for a server and for a role of the algorithm.
func (s *Story) RoleWord(p tracefmt.ProcessID) string {
	switch role := s.Run.Role(p); {
	case role == tracefmt.Byzantine:
		return "Byzantine"
	case role == tracefmt.Server || !slices.Contains(tracefmt.MemberRoles().Names(), role):
		return ""
	default:
		return role
	}
}

// byzantine reports whether the process is Byzantine.
func (s *Story) byzantine(p tracefmt.ProcessID) bool { return s.Run.Role(p) == tracefmt.Byzantine }

// FullName returns the name of a process for tips.
func (s *Story) FullName(p tracefmt.ProcessID) string { return Clean(s.Run.ProcessName(p), maxTip) }

// Find returns the index of the step with that seq, or false.
func (s *Story) Find(seq tracefmt.Seq) (int, bool) {
	return slices.BinarySearchFunc(s.Steps, seq, func(st Step, seq tracefmt.Seq) int { return cmp.Compare(st.Seq, seq) })
}
