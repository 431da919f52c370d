package analyze

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"etrace/tracefmt"
)

// partial holds what is needed to join the result of a part of a run with others. A nil partial, of a whole
// run, ignores all calls.
type partial struct {
	found Part
	ended bool         // the last event has passed
	rank  tracefmt.Seq // the place of the next finding among those at the end
}

// place returns the present finding of r, with its place in the run.
func (p *partial) place(r *Result) Found {
	f := Found{Met: MetAtEnd, Rank: p.rank, Explanation: r.Explanation, Witness: r.Witness}
	if !p.ended {
		f.Met = r.state.Seq
	}
	return f
}

// noteFirst stores the first violation of the part.
func (p *partial) noteFirst(r *Result) {
	if p != nil {
		first := p.place(r)
		p.found.First = &first
	}
}

// held stores the place of a finding in it.
func (p *partial) held(r *Result, f *finding) {
	if p != nil {
		place := p.place(r)
		f.place = &place
	}
}

// noteUnknown stores the first reason why the part could not be decided.
func (p *partial) noteUnknown(r *Result) {
	if p != nil {
		unknown := p.place(r)
		unknown.Needs = r.unknownFor
		p.found.Unknown = &unknown
	}
}

// UndecidedAt is [Result.Undecided] for a part of a run, with the event of the run that gives the reason.
func (r *Result) UndecidedAt(met tracefmt.Seq, reason string) {
	r.part.found.Unknown = earlier(r.part.found.Unknown, &Found{Met: met, Explanation: reason})
}

// owes stores an open obligation of the part.
func (p *partial) owes(obligation string, met []Need, witness []tracefmt.Seq) {
	if p != nil {
		p.found.Open = append(p.found.Open, Owed{p.rank, obligation, met, sortedWitness(witness)})
		p.found.Owed++
	}
}

// Rank sets the place of the next findings among those at the end of the run.
func (r *Result) Rank(at tracefmt.Seq) {
	if r.part != nil {
		r.part.rank = at
	}
}

// Parted reports whether the result is of a part of the run.
func (r *Result) Parted() bool { return r.part != nil }

// ViolateLate counts violations by a missed deadline in a part of the run. The first event after the deadline
// belongs to the witness, but may be in another part; [Result.Overdue] adds it. rank orders these violations.
func (r *Result) ViolateLate(
	count int, rank tracefmt.Seq, deadline tracefmt.Time, explain func() string, witness ...tracefmt.Seq,
) {
	if r.Violations == 0 {
		r.Explanation, r.Witness = explain(), sortedWitness(witness)
		r.part.found.First = &Found{Met: rank, Explanation: r.Explanation, Witness: r.Witness, Deadline: &deadline}
	}
	r.Violations += count
}

// Part returns the findings of the part.
func (r *Result) Part() Part {
	p := r.part.found
	p.Examined, p.Violations, p.Mistaken = r.Examined, r.Violations, r.mistaken
	for _, key := range slices.Sorted(maps.Keys(r.held)) {
		f := r.held[key]
		place := *f.place
		place.Explanation, place.Witness, place.Needs = f.explanation, f.witness, f.excuses
		p.Held = append(p.Held, Held{key, f.count, place})
	}
	p.Lacking, p.Joined = r.lacking.lists()
	if p.Violations > 0 { // then it does not matter any more
		p.Unknown = nil
	}
	return p
}

// fillFrom fills in the result of the whole run from the joined findings of its parts.
func (r *Result) fillFrom(p Part) {
	r.Examined, r.Violations, r.mistaken = p.Examined, p.Violations, p.Mistaken
	switch {
	case p.First != nil:
		r.Explanation, r.Witness, r.deadline = p.First.Explanation, p.First.Witness, p.First.Deadline
	case p.Unknown != nil:
		r.unknown, r.Explanation, r.unknownFor = true, p.Unknown.Explanation, p.Unknown.Needs
	}
	r.lacking = *p.lackingNeeds()
	r.holdPart(p)
	for _, o := range p.Open {
		r.OweUnless(o.Needs, o.Text, o.Witness...)
	}
	if more := p.Owed - len(p.Open); more > 0 {
		r.addUnlisted(more)
	}
}

// holdPart adds the violations of a part that unrecorded facts may excuse.
func (r *Result) holdPart(p Part) {
	slices.SortFunc(p.Held, func(a, b Held) int {
		return cmp.Or(cmp.Compare(a.Met, b.Met), cmp.Compare(a.Rank, b.Rank))
	})
	r.held = make(map[string]*finding, len(p.Held))
	r.firstOrder = 1 // held findings have even orders, new ones odd orders between them
	for i, h := range p.Held {
		f := h.Found
		r.held[h.Key] = &finding{
			order: 2*i + 2, count: h.Count, explanation: f.Explanation, witness: f.Witness,
			excuses: f.Needs,
		}
		if p.First != nil && f.before(p.First) {
			r.firstOrder = 2*i + 3
		}
	}
}

// Deadline returns the missed deadline of the first violation if the event that shows it is still to be found,
// else nil; see [Result.Overdue].
func (r *Result) Deadline() *tracefmt.Time { return r.deadline }

// Overdue completes the first violation of a joined result: it adds the event that shows the missed deadline, and an
// explanation.
func (r *Result) Overdue(at tracefmt.Seq, explanation string) {
	r.Witness = sortedWitness(append(r.Witness, at))
	r.Explanation += explanation
}

// check returns an error for counts that no examination can produce.
func (p Part) check() error {
	switch {
	case p.Examined < 0 || p.Violations < 0 || p.Owed < len(p.Open) || len(p.Open) > MostOwed:
		return fmt.Errorf("%d examined, %d violations, %d obligations with a list of %d: these are no counts",
			p.Examined, p.Violations, p.Owed, len(p.Open))
	case (p.Violations > 0) != (p.First != nil):
		return fmt.Errorf("%d violations, expected a first one exactly if there are any", p.Violations)
	case slices.ContainsFunc(p.Held, func(h Held) bool { return h.Count < 1 }):
		return errors.New("a group of fewer than one violation")
	}
	return nil
}
