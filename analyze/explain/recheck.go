package explain

import (
	"fmt"
	"slices"
	"strconv"

	"etrace/analyze"
	"etrace/tracefmt"
)

// A property that searches gets 1/share of its steps in each trial. A trial that is undecided after that costs
// 1/share of the budget. So all trials together take at most as many steps as the check may.
const share = 100

// trial is the result of checking a part of the run.
type trial uint8

const (
	silent    trial = iota // no violation
	another                // the property is violated with another witness
	same                   // it is violated with the same witness
	undecided              // the budget is spent
)

// check checks a part of the run with a share of the property's steps. The reason is that of an unknown
// verdict.
func (s *search) check(a attempt, share int64) (found trial, reason string, err error) {
	if err := s.ctx.Err(); err != nil {
		return undecided, "", err
	}
	if s.spent += int64(len(a.kept)); s.spent > s.options.Budget {
		return undecided, s.budgetSpentText(), nil
	}
	report, err := analyze.Check(
		s.runOf(a), []*analyze.Property{s.result.Property},
		analyze.Options{Named: true, AsOrdered: true, MaxSteps: max(1, s.result.MaxSteps/share)},
	)
	if err != nil {
		return undecided, "", err
	}
	switch r := report.Results[0]; {
	case r.Verdict == analyze.Unknown:
		return silent, r.Explanation, nil
	case r.Verdict != analyze.Violated:
		return silent, "", nil
	case slices.EqualFunc(r.Witness, s.result.Witness,
		func(now, was tracefmt.Seq) bool {
			return a.kept[now-1] == was
		}):
		return same, "", nil
	}
	return another, "", nil
}

// budgetSpentText explains that the budget is spent.
func (s *search) budgetSpentText() string {
	return fmt.Sprintf("more than %d events would have to be checked again", s.options.Budget)
}

// keepsViolation reports whether a part of the run has the violation: the same property with the same witness. It
// returns false once the budget is spent.
func (s *search) keepsViolation(a attempt) (bool, error) {
	found, reason, err := s.check(a, share)
	switch {
	case found == undecided:
		s.note = reason
	case reason != "":
		s.spent += s.options.Budget / share
		s.undecided = append(s.undecided, undecidedPart{a, reason})
	}
	return found == same, err
}

// undecidedPart is a part of the run with an unknown verdict, and the reason.
type undecidedPart struct {
	attempt
	reason string
}

// recheckUnknown checks the parts with unknown verdicts again, with all steps. If the reason is unchanged, the part
// lacks facts, so it does not show the violation. Otherwise the steps were too few.
func (s *search) recheckUnknown() error {
	for _, d := range s.undecided {
		found, reason, err := s.check(d.attempt, 1)
		if err != nil {
			return err
		}
		if found == same || reason != d.reason {
			s.note = "whether the violation shows in a smaller part of the run takes too many steps to find out"
			return nil
		}
	}
	return nil
}

// runOf makes a run of some of the events, and renumbers them.
func (s *search) runOf(a attempt) *tracefmt.Memory {
	newSeq := make(map[tracefmt.Seq]tracefmt.Seq, len(a.kept))
	for i, seq := range a.kept {
		newSeq[seq] = tracefmt.Seq(i + 1)
	}
	rec := tracefmt.NewMemory(*s.original)
	for i, seq := range a.kept {
		e := *s.events[seq]
		e.Payload = renumbered(&e, newSeq)
		e.Seq, e.Cause = tracefmt.Seq(i+1), newSeq[e.Cause]
		// Writing to memory cannot fail.
		rec.Write(&e)
	}
	rec.Finish(a.end)
	return rec
}

// The payload keys whose values are seqs: in any event, and in the note that claims a loop.
var (
	causeKeys = []string{tracefmt.CausesKey}
	loopKeys  = []string{"from", "to"}
)

// renumbered returns the payload with renumbered seqs.
func renumbered(e *tracefmt.Event, now map[tracefmt.Seq]tracefmt.Seq) []byte {
	keys := causeKeys
	if e.Kind == tracefmt.Note && e.Type == tracefmt.LoopNote {
		keys = loopKeys
	}
	if _, ok := e.Field(keys[0]); !ok {
		return e.Payload
	}
	out := []byte{'{'}
	for key, value := range tracefmt.Fields(e.Payload) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(tracefmt.AppendString(out, string(key)), ':')
		if slices.Contains(keys, string(key)) {
			value = renumberedSeqs(value, now)
		}
		out = append(out, value...)
	}
	return append(out, '}')
}

// renumberedSeqs replaces the numbers in a JSON value, which is a seq or a list of seqs.
func renumberedSeqs(value []byte, now map[tracefmt.Seq]tracefmt.Seq) []byte {
	var out []byte
	for len(value) > 0 {
		n := 0
		for n < len(value) && '0' <= value[n] && value[n] <= '9' {
			n++
		}
		if n == 0 {
			out, value = append(out, value[0]), value[1:]
			continue
		}
		seq, _ := strconv.ParseInt(string(value[:n]), 10, 64)
		out, value = strconv.AppendInt(out, int64(now[tracefmt.Seq(seq)]), 10), value[n:]
	}
	return out
}
