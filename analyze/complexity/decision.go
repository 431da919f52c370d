package complexity

import (
	"slices"

	"etrace/tracefmt"
)

// decision is the event in which a process decides, in runs of a problem.
type decision struct {
	// fact is what it is: that the variable gets a content, or a note.
	fact tracefmt.Fact
	// note is the type of the note.
	note string
	// contents are the JSON contents of the variable that are decisions; nil: all but null.
	contents []string
}

// elects is the decision of elections, and of what has none of its own.
var elects = decision{fact: tracefmt.StateOf("elected")}

// decisions are those of the problems that are about one, as docs/vocabulary.md has them.
var decisions = map[string]decision{
	tracefmt.Commit:      {fact: tracefmt.StateOf("decided"), contents: []string{`"commit"`, `"abort"`}},
	tracefmt.Consensus:   {fact: tracefmt.StateOf("decided")},
	tracefmt.Termination: {fact: tracefmt.Fact{Kind: tracefmt.Note}, note: "announce"},
	tracefmt.Wave:        {fact: tracefmt.Fact{Kind: tracefmt.Note}, note: "decide"},
}

// decisionOf returns what a decision is in a run.
func decisionOf(run *tracefmt.Run) decision {
	if d, ok := decisions[run.Problem]; ok {
		return d
	}
	return elects
}

// decides reports whether a process decides in the event: one that owes no decision, a client or a Byzantine
// process, does not, but in elections. The state, which has taken the event in, knows of most that they assign no elected.
func (c *Counter) decides(e *tracefmt.Event) bool {
	d := &c.decision
	if e.Kind != d.fact.Kind || e.Kind == tracefmt.Note && e.Type != d.note {
		return false
	}
	elects := d.fact == elects.fact
	if elects && e.Process > 0 && c.state.Process(e.Process).ElectedAt < e.Seq {
		return false
	}
	return (e.Kind == tracefmt.Note || d.isMade(e)) && (elects || c.run.Part(e.Process) != tracefmt.StandsBy)
}

// isMade reports whether a state event gives the variable a content that is a decision.
func (d *decision) isMade(e *tracefmt.Event) bool {
	content, ok := e.Field(d.fact.Variable)
	return ok && string(content) != "null" && (d.contents == nil || slices.Contains(d.contents, string(content)))
}
