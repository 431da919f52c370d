package stepper

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"etrace/analyze"
	"etrace/tracefmt"
)

// check is the state of checking the properties.
type check struct {
	running bool
	report  *analyze.RunReport
	// witnesses are the seqs of all events that show a violation, ascending.
	witnesses []tracefmt.Seq
	// stops are the witness events in the order in which v visits them; see [model.violated]. at is the number of the last
	// visited one, from 1.
	stops []tracefmt.Seq
	at    int
	// back is true if the user asked for the previous violation while the check was running.
	back bool
}

// checked is the message that the model receives at the end of the check.
type checked struct {
	report *analyze.RunReport
	err    error
}

// violation moves the cursor to the next event of a witness or, with back, to the previous one. The first call checks the
// properties in the background.
func (m *model) violation(back bool) tea.Cmd {
	if m.check.report != nil {
		return m.nextWitness(back)
	}
	m.check.back, m.note = back, "checking the properties ..."
	if m.check.running {
		return nil
	}
	m.check.running = true
	return func() tea.Msg {
		report, err := analyze.Check(m.rec, m.options.Properties, analyze.Options{})
		return checked{report, err}
	}
}

// checked stores the verdicts, and moves the cursor to an event of a witness.
func (m *model) checked(c checked) tea.Cmd {
	m.check.running = false
	if c.err != nil {
		m.note = c.err.Error()
		return nil
	}
	m.check.report = c.report
	seen := map[tracefmt.Seq]bool{}
	for _, r := range m.violated() {
		for _, seq := range r.Witness {
			if !seen[seq] {
				seen[seq], m.check.stops = true, append(m.check.stops, seq)
			}
		}
	}
	m.check.witnesses = slices.Sorted(slices.Values(m.check.stops))
	if m.busy != "" {
		return nil // the cursor is moving; the next v goes to the violation
	}
	return m.nextWitness(m.check.back)
}

// violated returns the violations, causes before consequences: first those by the loop that ends the run, then the others in
// the order in which they happened.
func (m *model) violated() []*analyze.Result {
	if m.check.report == nil {
		return nil
	}
	list := slices.DeleteFunc(slices.Clone(m.check.report.Results), func(r *analyze.Result) bool { return r.Verdict != analyze.Violated })
	slices.SortStableFunc(list, func(a, b *analyze.Result) int { return cmp.Compare(m.completedAt(a), m.completedAt(b)) })
	return list
}

// completedAt returns the seq of the event that completes a violation, 0 for a violation by the loop.
func (m *model) completedAt(r *analyze.Result) tracefmt.Seq {
	if end := m.check.report.Ending; end.Looping() && slices.Equal(r.Witness, []tracefmt.Seq{end.LoopFrom, end.LoopTo}) {
		return 0
	}
	if len(r.Witness) == 0 {
		return m.last + 1
	}
	return r.Witness[len(r.Witness)-1]
}

// nextWitness moves the cursor to the next event of a witness; the first follows the last.
func (m *model) nextWitness(back bool) tea.Cmd {
	c := &m.check
	m.note = ""
	switch n := len(m.violated()); {
	case n == 0:
		m.note = fmt.Sprintf("no property is violated: %s", m.verdicts())
		return nil
	case len(c.stops) == 0:
		m.note = fmt.Sprintf("%s is violated, but no event shows it", m.violated()[0].Property.Name)
		return nil
	}
	if !back {
		c.at = c.at%len(c.stops) + 1
	} else if c.at--; c.at < 1 {
		c.at = len(c.stops)
	}
	return m.seek(c.stops[c.at-1])
}

// verdicts counts the verdicts: "6 satisfied, 1 vacuous".
func (m *model) verdicts() string {
	text := ""
	for _, v := range analyze.Verdicts {
		n := 0
		for _, r := range m.check.report.Results {
			if r.Verdict == v.Verdict {
				n++
			}
		}
		if n > 0 {
			text += fmt.Sprintf(", %d %s", n, v.Verdict)
		}
	}
	return text[min(2, len(text)):]
}

// inWitness reports whether an event is part of a witness.
func (m *model) inWitness(seq tracefmt.Seq) bool {
	_, found := slices.BinarySearch(m.check.witnesses, seq)
	return found
}

// explanations returns a text on each violation whose witness has the current event.
func (m *model) explanations() []string {
	var texts []string
	for _, r := range m.violated() {
		if i := slices.Index(r.Witness, m.cursor.Seq()); i >= 0 {
			texts = append(texts, fmt.Sprintf("%s violated (event %d of %d): %s", r.Property.Name, i+1, len(r.Witness), r.Explanation))
		}
	}
	return texts
}
