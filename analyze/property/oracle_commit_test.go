package property_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// drawCommit draws a vote, a decision, both in one step, or a cause to abort.
func drawCommit(t *rapid.T, d *drawing) {
	e := tracefmt.Event{Kind: rapid.SampledFrom([]tracefmt.Kind{
		tracefmt.State, tracefmt.State, tracefmt.State,
		tracefmt.Recover, tracefmt.Start,
	}).Draw(t, "kind"), Process: d.process(t)}
	vote := fmt.Sprintf(`"vote":%s`, pick(t, `"yes" "yes" "yes" "no" null "maybe"`))
	decision := fmt.Sprintf(`"decided":%s`, pick(t, `"commit" "commit" "abort" null "later"`))
	switch pick(t, "vote vote vote decision decision both other timeout suspect") {
	case "vote":
		e.Payload = []byte("{" + vote + "}")
	case "decision":
		e.Payload = []byte("{" + decision + "}")
	case "both":
		e.Payload = []byte("{" + vote + "," + decision + "}")
	case "timeout":
		e.Kind, e.Type = tracefmt.Timeout, "t"
	case "suspect":
		e.Kind, e.Peer = tracefmt.Suspect, d.process(t)
	default:
		e.Payload = []byte(`{"x":1}`)
	}
	d.add(e)
}

// outcomes calls f for each decision to commit or to abort.
func (o oracle) outcomes(f func(k int, value string)) {
	o.decisions(func(k int, value string) {
		if isOutcome(value) {
			f(k, value)
		}
	})
}

// votesUpTo: p votes so at one of the events up to k; "" is yes or no.
func (o oracle) votesUpTo(p tracefmt.ProcessID, k int, value string) bool {
	for i := range k + 1 {
		vote := o.assignments(i)["vote"]
		if o.events[i].Process == p && (value != "" && vote == value || value == "" && (vote == `"yes"` || vote == `"no"`)) {
			return true
		}
	}
	return false
}

func (o oracle) commitAgreement() (wrong, examined int) {
	return o.disagree(o.outcomes)
}

// mustVote: p participates, by its role or by its vote.
func (o oracle) mustVote(p tracefmt.ProcessID) bool {
	role := o.attribute(p, "role")
	said := role != "" || o.run.Source == tracefmt.Simulated
	return !o.aside(p) && (said && role != `"coordinator"` || o.votesUpTo(p, len(o.events)-1, ""))
}

func (o oracle) commitAllYes() (wrong, examined int) {
	o.outcomes(func(k int, value string) {
		if value != `"commit"` || o.repeats(k, value) {
			return
		}
		examined++
		if slices.ContainsFunc(o.processes(), func(p tracefmt.ProcessID) bool { return o.mustVote(p) && !o.votesUpTo(p, k, `"yes"`) }) {
			wrong++
		}
	})
	return wrong, examined
}

// commitAllYesOpen: some process decides to commit, and another one acts that has not voted and may have to.
func (o oracle) commitAllYesOpen() bool {
	wrong, commits := o.commitAllYes()
	return wrong == 0 && commits > 0 && slices.ContainsFunc(o.processes(), func(p tracefmt.ProcessID) bool {
		said := o.attribute(p, "role") != "" || o.run.Source == tracefmt.Simulated
		return !said && o.acts(p) && !o.votesUpTo(p, len(o.events)-1, "")
	})
}

func (o oracle) commitAbortCause() (wrong, examined int) {
	o.outcomes(func(k int, value string) {
		if value != `"abort"` {
			return
		}
		examined++
		cause := false
		for i := range k + 1 {
			switch o.events[i].Kind {
			case tracefmt.Timeout, tracefmt.Suspect, tracefmt.Crash, tracefmt.Halt:
				cause = true
			}
			cause = cause || o.assignments(i)["vote"] == `"no"`
		}
		if !cause {
			wrong++
		}
	})
	return wrong, examined
}
