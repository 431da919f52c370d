package stepper

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"etrace/analyze"
	"etrace/analyze/explain"
)

// explained is the message that the model receives with an explanation.
type explained struct {
	result *analyze.Result
	story  *explain.Explanation
	err    error
}

// explain searches in the background for the events that the violation at the cursor needs.
func (m *model) explain() tea.Cmd {
	r := m.shown()
	switch {
	case m.check.report == nil:
		m.note = "look for a violation first: v"
		return nil
	case r == nil:
		m.note = "this event shows no violation: v goes to one that does"
		return nil
	case m.check.running:
		return nil
	}
	m.check.running, m.note = true, "looking for the events that it needs ..."
	ending := m.check.report.Ending
	return func() tea.Msg {
		story, err := explain.Violation(context.Background(), m.rec, r, ending, explain.Options{}) // the search has its own bound
		return explained{r, story, err}
	}
}

// shown returns the first violation whose witness has the current event, nil for none.
func (m *model) shown() *analyze.Result {
	for _, r := range m.violated() {
		if slices.Contains(r.Witness, m.cursor.Seq()) {
			return r
		}
	}
	return nil
}

// explained shows the events of an explanation on a page; those of the witness stand out.
func (m *model) explained(e explained) {
	m.check.running, m.note = false, ""
	if e.err != nil {
		m.note = e.err.Error()
		return
	}
	m.page = &page{title: fmt.Sprintf("%s is violated: witness, %d events", e.result.Property.Name, len(e.story.Steps))}
	for _, step := range e.story.Steps {
		tone := plain
		if slices.Contains(e.result.Witness, step.Seq) {
			tone = broken
		}
		m.page.rows = append(m.page.rows, pageRow{fmt.Sprintf("seq %d", step.Seq), step.Text, tone})
	}
	for _, line := range wrap(e.result.Explanation, max(m.screen.width-12, 20), maxExplained) {
		m.page.rows = append(m.page.rows, pageRow{text: line})
	}
	if e.story.Note != "" {
		m.page.rows = append(m.page.rows, pageRow{text: e.story.Note})
	}
}
