package shard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// stretch has facts about consecutive events of a run. They do not depend on other events, so each task of an engine
// can compute its own stretch. All stretches together give the survey of the run.
type stretch struct {
	// Plan is the ID of the plan.
	Plan string `json:"plan"`
	// First and Last are the seqs of the first and last event. Without events, Last is less than First.
	First tracefmt.Seq `json:"first"`
	Last  tracefmt.Seq `json:"last"`
	// End is the end that the run declares. A stretch with an End has no events.
	End   tracefmt.End `json:"end,omitempty"`
	Clock *Clock       `json:"clock,omitempty"`
	Seen  Sum          `json:"seen"`
	// Full and Bare are events in JSON Lines. [analyze.Digest] explains them and the other fields.
	Full      []json.RawMessage `json:"full,omitempty"`
	Bare      []json.RawMessage `json:"bare,omitempty"`
	Guessed   int               `json:"guessed,omitempty"`
	GuessedAt tracefmt.Seq      `json:"guessed_at,omitempty"`
	Crowded   bool              `json:"crowded,omitempty"`
}

// add adds the next event.
func (s *stretch) add(e *tracefmt.Event, at tracefmt.Time, hashes seen) {
	if s.Clock == nil {
		s.Clock = &Clock{}
	}
	s.Clock.add(e.Seq, at)
	s.Seen.add(hashes)
	s.Last = e.Seq
}

// encode stores the digest of the events.
func (s *stretch) encode(run *tracefmt.Run, d analyze.Digest) error {
	lines := tracefmt.NewEncoder(io.Discard)
	err := lines.Begin(run)
	write := func(events []*tracefmt.Event) (written []json.RawMessage) {
		for _, e := range events {
			line, failed := lines.Line(e)
			err = cmp.Or(err, failed)
			written = append(written, slices.Clone(bytes.TrimSpace(line)))
		}
		return written
	}
	s.Full, s.Bare = write(d.Full), write(d.Bare)
	s.Guessed, s.GuessedAt, s.Crowded = d.Guessed, d.GuessedAt, d.Crowded
	return err
}

// decode returns the digest of the events.
func (s *stretch) decode(run *tracefmt.Run) (d analyze.Digest, err error) {
	read := func(lines []json.RawMessage) (events []*tracefmt.Event) {
		last := s.First - 1
		for _, line := range lines {
			e, failed := tracefmt.NewLineDecoder(bytes.NewReader(line), run).Next()
			switch {
			case failed != nil:
				err = cmp.Or(err, failed)
			case e.Seq <= last || e.Seq > s.Last:
				err = cmp.Or(err, fmt.Errorf("seq %d after seq %d in a stretch of seq %d to %d", e.Seq, last,
					s.First, s.Last))
			default:
				events, last = append(events, e.Clone()), e.Seq
			}
		}
		return events
	}
	d = analyze.Digest{
		Full: read(s.Full), Bare: read(s.Bare), Guessed: s.Guessed, GuessedAt: s.GuessedAt,
		Crowded: s.Crowded,
	}
	return d, err
}

// check rejects an invalid stretch, or one of another plan.
func (s *stretch) check(p *Plan) error {
	switch {
	case s.Plan != p.ID:
		return otherPlan(s.Plan, p)
	case s.First < 1 || s.Last < s.First-1 || int64(s.Last-s.First)+1 != s.Seen.Events ||
		(s.End != "") != (s.Seen.Events == 0):
		return fmt.Errorf("%d events from seq %d to %d, expected consecutive events, or none and an end",
			s.Seen.Events, s.First, s.Last)
	case s.Clock == nil:
		return nil
	}
	if err := s.Clock.check(); err != nil {
		return err
	}
	if !s.Clock.covers(s.First, s.Last) {
		return errors.New("an index of the times of other events")
	}
	return nil
}

// survey joins stretches, in any order, to the survey of the run. It fails if they do not contain all events of the
// run.
func (p *Plan) survey(run *tracefmt.Run, properties []*analyze.Property, stretches []*stretch) (*Survey, error) {
	joined, next, end := &Survey{Plan: p.ID}, tracefmt.Seq(1), tracefmt.End("")
	pass := analyze.NewSurvey(run, analyze.Divide(run, properties, p.Options()), p.Options())
	// An end comes after the events.
	slices.SortFunc(stretches, func(a, b *stretch) int {
		return cmp.Or(cmp.Compare(a.First, b.First), -cmp.Compare(a.Last, b.Last))
	})
	for _, s := range stretches {
		if err := s.check(p); err != nil {
			return nil, err
		}
		if s.First != next {
			return nil, fmt.Errorf("the stretch from seq %d on follows seq %d; expected all events of the run, each once", s.First, next-1)
		}
		digest, err := s.decode(run)
		if err == nil {
			err = pass.Take(digest, s.Seen.Events)
		}
		if err != nil {
			return nil, fmt.Errorf("the digest of the stretch from seq %d on: %w", s.First, err)
		}
		if s.Clock != nil {
			if joined.Clock == nil {
				joined.Clock = &Clock{}
			}
			joined.Clock.join(*s.Clock)
		}
		next, joined.Seen, end = s.Last+1, joined.Seen.plus(s.Seen), cmp.Or(s.End, end)
	}
	if end == "" {
		return nil, fmt.Errorf("the events up to seq %d without the end of the run; expected its last line, {\"end\":...}, too", next-1)
	}
	joined.Overall, joined.Rules = pass.End(cmp.Or(p.Examined.End, end))
	return joined, nil
}
