package diagram

import (
	"fmt"
	"strings"

	"etrace/tracefmt"
)

// title says in a line what the run is.
func (s *story) title() string {
	if s.options.Title != "" {
		return clean(s.options.Title, maxTip)
	}
	name := s.run.Name
	if name == "" {
		name = s.run.Algorithm
	}
	if name == "" && s.run.Number > 0 {
		name = fmt.Sprintf("run %d", s.run.Number)
	}
	if name == "" {
		name = "run"
	}
	title, processes := clean(name, 80), plural(int64(len(s.order)), "process")
	if s.run.Problem == "" {
		return title + ": " + processes
	}
	return title + ": " + clean(s.run.Problem, 40) + " among " + processes
}

// summary is the line below the title: the figures of the whole run.
func (s *story) summary() string {
	t := &s.totals
	parts := []string{s.messagesText()}
	if t.lost > 0 {
		parts = append(parts, s.lostText())
	}
	if t.again > 0 {
		parts = append(parts, plural(t.again, "duplicate"))
	}
	if open := t.sent - t.received - t.lost; open > 0 && t.again == 0 {
		parts = append(parts, group(open)+" in flight at the end")
	}
	if down := s.downNames(); len(down) > 0 {
		parts = append(parts, join(down)+" down at the end")
	}
	if elected := s.electedText(); elected != "" {
		parts = append(parts, elected)
	}
	return strings.Join(parts, "  ·  ")
}

// messagesText is "15 messages: 6 ELECTION, 3 OK, 6 COORDINATOR".
func (s *story) messagesText() string {
	text := plural(s.totals.sent, "message")
	if s.totals.sent == 0 {
		return text
	}
	var types []string
	for i, name := range s.names {
		if n := s.totals.byType[i+1]; n > 0 {
			types = append(types, group(n)+" "+name)
		}
		if len(types) == 8 && i+1 < len(s.names) {
			types = append(types, "…")
			break
		}
	}
	return text + ": " + strings.Join(types, ", ")
}

func (s *story) lostText() string {
	t := &s.totals
	switch {
	case t.toCrashed == t.lost:
		return group(t.lost) + " lost at receivers that are down"
	case t.toCrashed == 0:
		return group(t.lost) + " lost on the way"
	}
	return fmt.Sprintf("%s lost (%s at receivers that are down)", group(t.lost), group(t.toCrashed))
}

// downNames lists the processes that are down at the end, at most six.
func (s *story) downNames() []string {
	return s.processes(6, func(c condition) bool { return c.down })
}

// processes lists the names of the processes of that condition, and how many
// there are beyond most.
func (s *story) processes(most int, which func(condition) bool) []string {
	var names []string
	more := 0
	for _, p := range s.order {
		switch {
		case !which(s.final[p]):
		case len(names) == most:
			more++
		default:
			names = append(names, s.name(p))
		}
	}
	if more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return names
}

// electedText says whom the live processes hold for elected at the end.
func (s *story) electedText() string {
	if p := s.leader(); p != 0 {
		return s.name(p) + " is elected"
	}
	some := false
	for _, p := range s.order {
		some = some || s.final[p].live() && s.final[p].leader != 0
	}
	if some {
		return "the live processes do not agree on who is elected"
	}
	return ""
}

// windowText says what part of the run is missing, "" if none.
func (s *story) windowText() string {
	var parts []string
	if from, to := max(s.options.From, 1), s.options.To; from > 1 || to > 0 && int64(to) < s.totals.events {
		if to == 0 || int64(to) > s.totals.events {
			to = tracefmt.Seq(s.totals.events)
		}
		parts = append(parts, fmt.Sprintf("events %s to %s of %s", group(int64(from)), group(int64(to)), group(s.totals.events)))
	}
	if s.hidden > 0 {
		parts = append(parts, plural(s.hidden, "event")+" not shown (use --from/--to)")
	}
	return strings.Join(parts, "; ")
}

// describe tells the picture to those who cannot see it.
func (s *story) describe(d *Drawing) string {
	var b strings.Builder
	t := &s.totals
	fmt.Fprintf(&b, "A %s diagram of %s", d.Diagram, plural(int64(len(s.order)), "process"))
	if n := len(s.order); n > 0 && n <= 12 {
		fmt.Fprintf(&b, ": %s", join(s.processes(n, func(condition) bool { return true })))
	}
	b.WriteString(". ")
	if names := s.processes(6, func(c condition) bool { return c.wasDownFromStart }); len(names) > 0 {
		fmt.Fprintf(&b, "Down from the start: %s. ", join(names))
	}
	if later := t.crashes - t.downAtStart; later > 0 {
		fmt.Fprintf(&b, "%s. ", plural(later, "crash"))
	}
	if t.recoveries == 1 {
		b.WriteString("1 recovery. ")
	} else if t.recoveries > 1 {
		fmt.Fprintf(&b, "%s recoveries. ", group(t.recoveries))
	}
	if t.partitions > 0 {
		fmt.Fprintf(&b, "%s. ", plural(t.partitions, "partition"))
	}
	if t.suspicions > 0 {
		fmt.Fprintf(&b, "%s. ", plural(t.suspicions, "suspicion"))
	}
	fmt.Fprintf(&b, "%s. ", s.messagesText())
	if t.lost > 0 {
		fmt.Fprintf(&b, "%s. ", s.lostText())
	}
	if t.again > 0 {
		fmt.Fprintf(&b, "%s. ", plural(t.again, "duplicate"))
	}
	if names := s.downNames(); len(names) > 0 {
		fmt.Fprintf(&b, "Down at the end: %s. ", join(names))
	}
	if elected := s.electedText(); elected != "" {
		fmt.Fprintf(&b, "At the end %s. ", elected)
	}
	if t.loop {
		b.WriteString("The run comes back to a global state that it was in before, so it repeats for ever. ")
	}
	if s.run.End != tracefmt.Open {
		fmt.Fprintf(&b, "The run ends %s. ", endText[s.run.End])
	}
	if window := s.windowText(); window != "" {
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
