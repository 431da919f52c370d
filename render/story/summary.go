package story

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Title describes the run in a line.
func (s *Story) Title() string {
	if s.Options.Title != "" {
		return Clean(s.Options.Title, maxTip)
	}
	name := cmp.Or(s.Run.Name, s.Run.Algorithm)
	if name == "" && s.Run.Number > 0 {
		name = fmt.Sprintf("run %d", s.Run.Number)
	}
	if name == "" {
		name = "run"
	}
	title, processes := Clean(s.Run.Titled(name), 80), s.membersText()
	switch s.Run.Problem {
	case "":
		return title + ": " + processes
	case name:
		return title + " among " + processes
	}
	return title + ": " + Clean(s.Run.Problem, 40) + " among " + processes
}

// membersText describes the participants by number: "4 processes and 1 client". Roles that do not count as processes of
// the algorithm are listed separately.
func (s *Story) membersText() string {
	counted, beside := int64(0), map[string]int64{}
	for _, p := range s.ringOrder {
		if s.Run.Counts(p) {
			counted++
		} else {
			beside[s.Run.Role(p)]++
		}
	}
	var parts []string
	if counted > 0 || len(beside) == 0 {
		parts = append(parts, Plural(counted, "process"))
	}
	for _, role := range slices.Sorted(maps.Keys(beside)) {
		parts = append(parts, Plural(beside[role], role))
	}
	return join(parts)
}

// Caption returns the purpose of the picture in a sentence, or "".
func (s *Story) Caption() string { return Clean(s.Options.Caption, maxSummary) }

// Summary returns the line below the title: the figures of the whole run, or of the selected window.
func (s *Story) Summary() string {
	t, end := &s.totals, "at the end"
	var parts []string
	if s.Options.Operations {
		return s.operationsText()
	}
	about, relation := "", ""
	if s.isPart() {
		about, end = "in this part ", "when the picture ends"
	}
	if s.isPart() || s.Options.Filters() && !s.Options.Overview {
		t, relation = &s.window, " of them"
	}
	parts = append(parts, about+s.messagesText(t))
	if t.lost > 0 {
		parts = append(parts, t.lostText(relation))
	}
	if t.lostBefore > 0 {
		parts = append(parts, Group(t.lostBefore)+" lost of those sent before")
	}
	if t.again > 0 {
		parts = append(parts, Plural(t.again, "duplicate"))
	}
	if open := t.sent - t.received - t.lost - t.unsure - t.mayBeLost; t.again == 0 && !s.isPart() {
		for _, part := range [...]struct {
			number int64
			words  string
		}{{open, " in flight at the end"}, {t.mayBeLost, " in flight or lost at the end"}} {
			if part.number > 0 {
				parts = append(parts, Group(part.number)+part.words)
			}
		}
	}
	parts = append(parts, s.partialText(t)...)
	if s.Divided != "" {
		// Without recorded groups, Divided is the word partition itself.
		parts = append(parts, strings.TrimSuffix("partition when the picture begins: "+s.Divided, ": partition"))
	}
	if down := s.listWith(6, s.lastCondition, func(c Condition) bool { return c.Down && !c.Inferred }); len(down) > 0 {
		parts = append(parts, areDown(down)+" "+end)
	}
	if down := s.listWith(6, s.lastCondition, func(c Condition) bool { return c.Down && c.Inferred }); len(down) > 0 {
		parts = append(parts, areDown(down)+" "+end+", as is inferred")
	}
	if elected := s.electedText(s.lastCondition, s.leaderShown()); elected != "" {
		parts = append(parts, elected)
	}
	if unfinished := s.unfinishedText(); unfinished != "" {
		parts = append(parts, unfinished)
	}
	return Clean(strings.Join(parts, "  ·  "), maxSummary)
}

// areDown returns "process 1 is down" or "processes 1 and 4 are down".
func areDown(names []string) string {
	if len(names) == 1 {
		return withNoun(names) + " is down"
	}
	return withNoun(names) + " are down"
}

// withNoun puts the word "process" before names, since many names are numbers: "process 1", "processes 1
// and 4".
func withNoun(names []string) string {
	if len(names) == 1 {
		return "process " + names[0]
	}
	return "processes " + join(names)
}

// unfinishedText describes how the record of an unended run stops: in a proven loop, or at the simulator's
// deadline. It returns "" for other runs, and if the picture ends earlier.
func (s *Story) unfinishedText() string {
	switch {
	case s.Options.Frame:
		return ""
	case s.Loops():
		return "proven to repeat forever"
	case s.isPart(), s.Run.Source != tracefmt.Simulated:
		return ""
	case s.Run.End != tracefmt.Deadline && s.Run.End != tracefmt.Stopped:
		return ""
	}
	return "cut off at " + s.timeText(s.last) + ", and goes on"
}

// lastCondition returns the condition of a process at the end of the run, or of the selected window.
func (s *Story) lastCondition(p tracefmt.ProcessID) Condition {
	if s.isPart() {
		return s.After[p]
	}
	return s.condition(p)
}

// leaderShown returns the leader at the end of the run, or of the selected window.
func (s *Story) leaderShown() tracefmt.ProcessID {
	if s.isPart() {
		return s.LeaderAfter
	}
	return s.Leader()
}

// messagesText returns a count by type: "15 messages: 6 ELECTION, 3 OK, 6 COORDINATOR".
func (s *Story) messagesText(t *totals) string {
	text := Plural(t.sent, "message")
	switch {
	case t == &s.window && s.isPart():
		text += " sent" // what is lost or received there may have been sent before
	case t == &s.window:
		text = fmt.Sprintf("%s of %s", Group(t.sent), Plural(s.totals.sent, "message"))
	}
	switch more := s.moreMessages(); {
	case more && s.totals.sent == 0:
		return "messages not recorded"
	case more && t.sent == 0:
		return "no recorded messages"
	case t.sent == 0:
		return text
	case more:
		text = "at least " + text
	}
	var types []string
	for i, name := range s.Types {
		if i+1 >= len(t.byType) {
			break
		}
		if n := t.byType[i+1]; n > 0 {
			types = append(types, Group(n)+" "+name)
		}
		if len(types) == 8 && i+1 < len(s.Types) {
			types = append(types, "…")
			break
		}
	}
	return text + ": " + strings.Join(types, ", ")
}

// partialText returns the parts of the summary that only an incomplete recording has.
func (s *Story) partialText(t *totals) (parts []string) {
	if s.Complete() {
		return nil
	}
	if t.unsent > 0 {
		parts = append(parts, Group(t.unsent)+" without a recorded send")
	}
	if t.unsure > 0 {
		parts = append(parts, "whether "+Group(t.unsure)+" arrived is not recorded")
	}
	// Of a run that is about something, what is not drawn may not have been recorded.
	if groups := s.state.Coverage().Unrecorded(); len(groups) > 0 && s.Run.Problem != "" {
		parts = append(parts, join(groups)+" not recorded")
	}
	if text := s.droppedText(); text != "" {
		parts = append(parts, text)
	}
	if names := s.unrecordedNames(); len(names) > 0 {
		parts = append(parts, "no record of "+withNoun(names))
	}
	return parts
}

// lostText describes the number of lost messages, with the reason. The relation, such as " of them", follows the
// number.
func (t *totals) lostText(relation string) string {
	text := Group(t.lost) + relation + " lost"
	switch t.toCrashed {
	case t.lost:
		text += " at receivers that are down"
	case 0:
		text = Group(t.lost) + relation + " dropped"
	default:
		text += fmt.Sprintf(" (%s at receivers that are down)", Group(t.toCrashed))
	}
	return text
}

// downNames lists the processes that are down at the end, at most six.
func (s *Story) downNames() []string {
	return s.listWith(6, s.condition, func(c Condition) bool { return c.Down })
}

// byzantineNames lists the processes that need not keep to their algorithm, at
// most six.
func (s *Story) byzantineNames() []string { return s.listMatching(6, s.byzantine) }

// listWith lists the names of the processes of that condition, and how many
// there are beyond most.
func (s *Story) listWith(limit int, condition func(tracefmt.ProcessID) Condition, matches func(Condition) bool) []string {
	return s.listMatching(limit, func(p tracefmt.ProcessID) bool { return matches(condition(p)) })
}

// listMatching lists the matching processes, with the number of those beyond the limit.
func (s *Story) listMatching(limit int, matches func(tracefmt.ProcessID) bool) []string {
	var names []string
	more := 0
	for _, p := range s.ringOrder {
		switch {
		case !matches(p):
		case len(names) == limit:
			more++
		default:
			names = append(names, s.Name(p))
		}
	}
	if more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return names
}

// Missing describes the part of the run outside the picture, or "".
func (s *Story) Missing() string {
	var parts []string
	// A frame shows a beginning anyway, and the next frame shows more.
	if s.Options.Frame {
		return ""
	}
	if s.Options.Page != "" {
		parts = append(parts, s.Options.Page)
	}
	if s.isPart() {
		first, last := max(s.Options.From, 1), s.End()
		parts = append(parts, fmt.Sprintf("events %s to %s of %s", Group(int64(first)), Group(int64(last)), Group(s.totals.events)))
	}
	if s.Hidden > 0 && !s.Options.Overview {
		hidden := Plural(s.Hidden, "event") + " not shown"
		if !s.Options.Filters() && !s.Options.Fold {
			hidden += " (use --from/--to)"
		}
		parts = append(parts, hidden)
	}
	if s.Folded > 0 {
		parts = append(parts, Plural(s.Folded, "event")+" that repeat others not shown")
	}
	if s.Merged > 0 {
		parts = append(parts, Plural(s.Merged, "hop")+" of messages that are only passed on merged with the hops before")
	}
	if s.Others > 0 {
		parts = append(parts, Plural(int64(s.Others), "key")+" without a violation not shown")
	}
	if hidden := len(s.ringOrder) - len(s.Order) - s.Idle; hidden > 0 {
		parts = append(parts, Plural(int64(hidden), "process")+" not shown")
	}
	if s.Idle > 0 {
		parts = append(parts, Plural(int64(s.Idle), "process")+" without an event here not shown")
	}
	return strings.Join(parts, "; ")
}

// Describe describes the picture, a diagram of that name, to those who cannot see
// it.
func (s *Story) Describe(diagram string) string {
	var b strings.Builder
	t := &s.totals
	fmt.Fprintf(&b, "A%s diagram of %s", text.Indefinite(diagram)[1:], Plural(int64(len(s.ringOrder)), "process"))
	if n := len(s.ringOrder); n > 0 && n <= 12 {
		fmt.Fprintf(&b, ": %s", join(s.listWith(n, s.condition, func(Condition) bool { return true })))
	}
	b.WriteString(". ")
	if names := s.listWith(6, s.condition, func(c Condition) bool { return c.wasDown }); len(names) > 0 {
		fmt.Fprintf(&b, "Down from the start: %s. ", join(names))
	}
	if names := s.byzantineNames(); len(names) > 0 {
		fmt.Fprintf(&b, "Byzantine: %s. ", join(names))
	}
	if later := t.crashes - t.downAtStart; later > 0 {
		fmt.Fprintf(&b, "%s. ", Plural(later, "crash"))
	}
	// The plural of recovery is irregular for Plural.
	if t.recoveries == 1 {
		b.WriteString("1 recovery. ")
	} else if t.recoveries > 1 {
		fmt.Fprintf(&b, "%s recoveries. ", Group(t.recoveries))
	}
	if t.partitions > 0 {
		fmt.Fprintf(&b, "%s. ", Plural(t.partitions, "partition"))
	}
	if t.suspicions > 0 {
		fmt.Fprintf(&b, "%s. ", Plural(t.suspicions, "suspicion"))
	}
	fmt.Fprintf(&b, "%s. ", s.messagesText(t))
	if t.lost > 0 {
		fmt.Fprintf(&b, "%s. ", t.lostText(""))
	}
	if t.again > 0 {
		fmt.Fprintf(&b, "%s. ", Plural(t.again, "duplicate"))
	}
	if names := s.downNames(); len(names) > 0 {
		fmt.Fprintf(&b, "Down at the end: %s. ", join(names))
	}
	if elected := s.electedText(s.condition, s.Leader()); elected != "" {
		fmt.Fprintf(&b, "At the end %s. ", elected)
	}
	if parts := s.partialText(t); len(parts) > 0 {
		fmt.Fprintf(&b, "Not everything is recorded: %s. ", strings.Join(parts, "; "))
	}
	if t.loop {
		b.WriteString("The run comes back to a global state that it was in before, so it repeats forever. ")
	}
	if s.Run.End != tracefmt.Open {
		fmt.Fprintf(&b, "The run ends %s. ", endText[s.Run.End])
	}
	if window := s.Missing(); window != "" {
		fmt.Fprintf(&b, "The picture shows a part: %s. ", window)
	}
	s.describeWitness(&b)
	return strings.TrimSpace(b.String())
}

var endText = map[tracefmt.End]string{
	tracefmt.Quiescent: "quiescent: nothing can happen any more",
	tracefmt.Stopped:   "because it was stopped",
	tracefmt.Deadline:  "at its deadline",
}
