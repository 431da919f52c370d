package logs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt/interop/envelope"
	"etrace/tracefmt/text"
)

// tally counts the lines that the rules of a mapping read.
type tally struct {
	// took has the number of lines for each rule.
	took []int
	// left has the lines without a rule, and how often each occurs.
	left  map[string]int
	lines int
	// findings is the number of contradictions in the events.
	findings int
}

// count counts a line. rule is the index of its rule, or -1 for none.
func (t *tally) count(line string, rule int) {
	switch {
	case strings.TrimSpace(line) == "":
		return
	case rule < 0:
		t.left[line]++
	default:
		t.took[rule]++
	}
	t.lines++
}

// understood returns how many lines have a rule.
func (t *tally) understood() (sum int) {
	for _, n := range t.took {
		sum += n
	}
	return sum
}

// prune removes rules that read no line. It keeps such a rule if the next rule reads lines of the same sort, because
// a complete log may have lines for the narrower rule.
func (x *suggestion) prune() {
	kept, took := x.rules[:0], x.tally.took[:0]
	for i, rule := range x.rules {
		next := i+1 < len(x.rules) && x.rules[i+1].sort == rule.sort && x.tally.took[i+1] > 0
		if x.tally.took[i] > 0 || next {
			kept, took = append(kept, rule), append(took, x.tally.took[i])
		}
	}
	x.rules, x.tally.took = kept, took
}

// writeSummary writes as a comment how many lines the rules read, which lines have no rule, and what to check first.
func (x *suggestion) writeSummary(w *strings.Builder) {
	left := x.tally.lines - x.tally.understood()
	fmt.Fprintf(w, "\n# Of %s the rules take %d", text.Counted(x.tally.lines, "line", "lines"), x.tally.understood())
	if events := x.whats(); len(events) > 0 {
		w.WriteString(": " + strings.Join(events, ", "))
	}
	fmt.Fprintf(w, ".\n# Not understood: %s.\n", text.Counted(left, "line", "lines"))
	x.writeLeft(w)
	if left > 0 {
		fmt.Fprintf(
			w,
			"# An import counts and shows these. Add a rule for what matters; what is nothing belongs to ignore, as\n# "+
				"ignore:\n#   - {%s: /heartbeat/}\n",
			quoted(cmp.Or(x.shape.msg, "text")),
		)
	}
	w.WriteString("# Check first:\n")
	for _, question := range x.questions() {
		fmt.Fprintf(w, "# - %s\n", question)
	}
}

// whats returns the events that the rules make, each with the number of its lines.
func (x *suggestion) whats() (events []string) {
	count := make(map[string]int)
	var order []string
	for i, rule := range x.rules {
		if _, known := count[rule.event]; !known {
			order = append(order, rule.event)
		}
		count[rule.event] += x.tally.took[i]
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	for _, event := range order {
		events = append(events, fmt.Sprintf("%d %s", count[event], event))
	}
	return events
}

// leftSorts returns the sorts of lines without a rule.
func (x *suggestion) leftSorts() (sorts []*sort) {
	if x.tally == nil {
		return nil
	}
	byKey := make(map[string]*sort)
	for _, rec := range x.records {
		if x.tally.left[envelope.PlainLine([]byte(rec.text))] == 0 {
			continue
		}
		k := newSort(rec, x.shape.msg, x.roles)
		key := fmt.Sprint(rec.fields == nil, k.key())
		if byKey[key] == nil {
			byKey[key] = k
			sorts = append(sorts, k)
		}
		byKey[key].samples = append(byKey[key].samples, rec)
	}
	return sorts
}

// writeLeft lists the sorts of lines without a rule.
func (x *suggestion) writeLeft(w *strings.Builder) {
	sorts := x.leftSorts()
	slices.SortStableFunc(sorts, func(a, b *sort) int { return len(b.samples) - len(a.samples) })
	omitted := 0
	for i, k := range sorts {
		if i >= maxLeft {
			omitted += len(k.samples)
			continue
		}
		x.writeSeen(w, "#   ", k, len(k.samples))
	}
	if omitted > 0 {
		fmt.Fprintf(
			w, "#   %s of %s\n", text.Counted(omitted, "line", "lines"),
			text.Counted(len(sorts)-maxLeft, "further sort", "further sorts"),
		)
	}
}

// severalProcesses returns the note on a file that is read as one process but may be from several.
func (x *suggestion) severalProcesses() string {
	return fmt.Sprintf("all lines are read as of one process, though %s in ${%s} may be several", few(x.values(x.unsure)), x.unsure)
}

// otherOfName returns the note on a process whose lines may be from several processes.
func (x *suggestion) otherOfName() string {
	if len(x.files) > 1 {
		return fmt.Sprintf("several files have lines of %s alone: these may be several processes", text.Printable(x.twin))
	}
	return fmt.Sprintf("%s makes a change twice: its lines may be of several processes of this name", text.Printable(x.twin))
}

// doubts returns the reasons why lines about sections or roles have no rule.
func (r *roles) doubts() (doubts []string) {
	for _, doubt := range []string{r.naming.unknown, r.ungrouped} {
		if doubt != "" {
			doubts = append(doubts, doubt)
		}
	}
	return doubts
}

// questions returns what the user should check first.
func (x *suggestion) questions() (questions []string) {
	questions = append(questions, fmt.Sprintf("process: is each of %s a process, and is none missing?", few(x.names)))
	// The doubts about the processes come first, since every event has one.
	if x.unsure != "" {
		questions = append(questions, "process: "+x.severalProcesses())
	}
	if x.twin != "" {
		questions = append(questions, "process: "+x.otherOfName())
	}
	var kinds []string
	silent := maps.Clone(x.names)
	term, start := "", false
	for _, rule := range x.rules {
		maps.DeleteFunc(silent, func(name string, _ bool) bool { return rule.writers[name] })
		start = start || rule.event == "start"
		if rule.event == "send" || rule.event == "receive" {
			kinds = append(kinds, rule.event)
		}
		term = cmp.Or(term, rule.term)
	}
	if len(silent) > 0 {
		questions = append(questions, fmt.Sprintf("no rule takes a line of %s: the trace will lack it, unless others name it", few(silent)))
	}
	switch {
	case len(kinds) == 0:
		questions = append(questions, "messages: none were found; does the log have their sends and receives?")
	case !slices.Contains(kinds, "receive"):
		questions = append(questions, "messages: only sends were found; does the log have the receives, too?")
	case !slices.Contains(kinds, "send"):
		questions = append(questions, "messages: only receives were found; does the log have the sends, too?")
	default:
		questions = append(questions, "messages: are to and from the names of processes, as process has them?")
	}
	if term != "" {
		questions = append(questions, fmt.Sprintf("term: is ${%s} the term of who writes the line, and not of the message?", term))
	}
	questions = append(questions, x.doubts()...)
	if !start {
		questions = append(questions, "start: no line was found that each process writes first; without one a restart is not seen")
	}
	return questions
}
