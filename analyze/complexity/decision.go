package complexity

import (
	"slices"

	"etrace/tracefmt"
)

// decision describes the events in which a process decides, in the runs of a problem.
type decision struct {
	// fact is the kind of the event: an assignment of the variable, or a note.
	fact tracefmt.Fact
	// note is the type of the note.
	note string
	// contents are the JSON values of the variable that are decisions; nil means all except null.
	contents []string
}

// elects is the decision of elections, and of problems without an entry in decisions.
var elects = decision{fact: tracefmt.StateOf("elected")}

// decisions maps problems to their decisions, as docs/vocabulary.md describes them.
var decisions = map[string]decision{
	tracefmt.Commit:      {fact: tracefmt.StateOf("decided"), contents: []string{`"commit"`, `"abort"`}},
	tracefmt.Consensus:   {fact: tracefmt.StateOf("decided")},
	tracefmt.Termination: {fact: tracefmt.Fact{Kind: tracefmt.Note}, note: "announce"},
	tracefmt.Wave:        {fact: tracefmt.Fact{Kind: tracefmt.Note}, note: "decide"},
}

// decisionOf returns the kind of decision of a run.
func decisionOf(run *tracefmt.Run) decision {
	if d, ok := decisions[run.Problem]; ok {
		return d
	}
	return elects
}

// decides reports whether a process decides in the event. In elections any process may; otherwise only
// processes that owe a decision count, so clients and Byzantine processes do not. The state must have applied
// the event.
func (c *Counter) decides(e *tracefmt.Event) bool {
	d := &c.decision
	if e.Kind != d.fact.Kind || e.Kind == tracefmt.Note && e.Type != d.note {
		return false
	}
	elects := d.fact == elects.fact
	// The event assigns no new choice.
	if elects && e.Process > 0 && c.state.Process(e.Process).ElectedAt < e.Seq {
		return false
	}
	return (e.Kind == tracefmt.Note || d.isMade(e)) && (elects || c.run.Part(e.Process) != tracefmt.Bystander)
}

// isMade reports whether a state event assigns the variable a value that is a decision.
func (d *decision) isMade(e *tracefmt.Event) bool {
	content, ok := e.Field(d.fact.Variable)
	return ok && string(content) != "null" && (d.contents == nil || slices.Contains(d.contents, string(content)))
}
