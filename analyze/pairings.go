package analyze

import (
	"fmt"
	"regexp"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// pairings counts the receives whose send an import has guessed, see [tracefmt.GuessKey].
type pairings struct {
	count int          // their number
	first tracefmt.Seq // the first of them
}

// step takes the next event.
func (p *pairings) step(e *tracefmt.Event) {
	if !e.GuessedSend() {
		return
	}
	if p.count++; p.first == 0 {
		p.first = e.Seq
	}
}

// pairsInRule matches the words by which a rule reads the pairing of sends and receives.
var pairsInRule = regexp.MustCompile(`\b(possibly|definitely|cause|message|lamport)\b`)

// doubtPairing makes the verdict of a property unknown if it rests on guessed pairings. It counts if the user named the
// property, or if the record is complete.
func (r *Result) doubtPairing(run *tracefmt.Run, p *pairings) {
	if p.count == 0 || !r.Property.Pairs && !pairsInRule.MatchString(r.Property.Rule) {
		return
	}
	switch r.Verdict {
	case NotApplicable, Unknown, Vacuous:
		return
	}
	found := ""
	if r.Explanation != "" {
		found = r.Explanation + "; but "
	}
	r.Verdict, r.Violations, r.Open, r.Kept, r.Cut = Unknown, 0, nil, nil, nil
	r.Counts = r.Named || run.DeclaresAll()
	r.Explanation = fmt.Sprintf("%sto which of several sends %s is a guess, the first at seq %d", found,
		text.Counted(p.count, "receive belongs", "receives belong"), p.first)
}
