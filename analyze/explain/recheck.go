package explain

import (
	"fmt"
	"slices"
	"strconv"

	"etrace/analyze"
	"etrace/tracefmt"
)

// A property that searches gets this part of its steps in each trial, and a
// trial that is not decided by then costs this part of the budget: all of
// them together take no more steps than the check might have.
const share = 100

// trial is what a check of a part of the run finds.
type trial uint8

const (
	silent    trial = iota // no violation shows
	another                // the property is violated with another witness
	same                   // it is violated with the same witness
	undecided              // the budget is spent
)

// check checks a part of the run, with a part of the steps that the property may
// take. The reason is that of a verdict that is unknown.
func (s *search) check(a attempt, share int64) (found trial, reason string, err error) {
	if err := s.ctx.Err(); err != nil {
		return undecided, "", err
	}
	if s.spent += int64(len(a.kept)); s.spent > s.options.Budget {
		return undecided, s.exceeded(), nil
	}
	report, err := analyze.Check(s.part(a), []*analyze.Property{s.result.Property}, analyze.Options{Named: true, AsOrdered: true, MaxSteps: max(1, s.result.MaxSteps/share)})
	if err != nil {
		return undecided, "", err
	}
	switch r := report.Results[0]; {
	case r.Verdict == analyze.Unknown:
		return silent, r.Explanation, nil
	case r.Verdict != analyze.Violated:
		return silent, "", nil
	case slices.EqualFunc(r.Witness, s.result.Witness, func(now, was tracefmt.Seq) bool { return a.kept[now-1] == was }):
		return same, "", nil
	}
	return another, "", nil
}

func (s *search) exceeded() string {
	return fmt.Sprintf("more than %d events would have to be checked again", s.options.Budget)
}

// shows reports whether the violation shows in a part of the run: the same
// property, with the same witness. Once the budget is spent it never does.
func (s *search) shows(a attempt) (bool, error) {
	found, reason, err := s.check(a, share)
	switch {
	case found == undecided:
		s.note = reason
	case reason != "":
		s.spent += s.options.Budget / share
		s.doubts = append(s.doubts, doubt{a, reason})
	}
	return found == same, err
}

// doubt is a part of the run of which the verdict is unknown, and the reason.
type doubt struct {
	attempt
	reason string
}

// settle checks the parts again of which the verdict is unknown, with all the
// steps. Where the reason stays the same, it is what the part lacks, so that no
// violation shows; another was that the steps were too few.
func (s *search) settle() error {
	for _, d := range s.doubts {
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

// part makes a run of some of the events, which it numbers anew.
func (s *search) part(a attempt) *tracefmt.Memory {
	now := make(map[tracefmt.Seq]tracefmt.Seq, len(a.kept))
	for i, seq := range a.kept {
		now[seq] = tracefmt.Seq(i + 1)
	}
	rec := tracefmt.NewMemory(*s.of)
	for i, seq := range a.kept {
		e := *s.events[seq]
		e.Payload = renumbered(&e, now)
		e.Seq, e.Cause = tracefmt.Seq(i+1), now[e.Cause]
		rec.Write(&e) // to memory: it cannot fail
	}
	rec.Finish(a.end)
	return rec
}

// seqKeys are the keys of a payload under which there are seqs: of any event, and
// of the note that claims a loop.
var (
	causeKeys = []string{tracefmt.CausesKey}
	loopKeys  = []string{"from", "to"}
)

// renumbered returns the payload with the seqs in it numbered anew.
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

// renumberedSeqs replaces the numbers in a JSON value, a seq or a list of them.
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
