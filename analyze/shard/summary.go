package shard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"etrace/tracefmt/sealed"
	"etrace/tracefmt/text"
)

// SummaryFormat is the version of the JSON of a summary.
const SummaryFormat = "etrace.shard/1"

// Summary has the results of some shards of a plan.
type Summary struct {
	Format string `json:"format"`
	Tool   string `json:"tool"`
	// Plan is the ID of the plan. Mode is what it splits, and Of is its number of shards.
	Plan string `json:"plan"`
	Mode Mode   `json:"mode"`
	Of   int    `json:"of"`
	// Parts are the results of the shards, in the order of their numbers.
	Parts []Part `json:"parts"`
	// Sum is the check sum of all other fields. [Summary.WriteJSON] sets it.
	Sum string `json:"sum"`
}

// Part is the result of one shard.
type Part struct {
	Shard int `json:"shard"`
	// Found is the result. Its type depends on the mode of the plan.
	Found json.RawMessage `json:"found"`
}

// Summary returns the summary of one shard. found is its result and is written as JSON.
func (p *Plan) Summary(shard int, found any) (*Summary, error) {
	written, err := sealed.Marshal(found)
	if err != nil {
		return nil, err
	}
	return &Summary{
		Format: SummaryFormat, Tool: p.Tool, Plan: p.ID, Mode: p.Mode, Of: p.Shards,
		Parts: []Part{{shard, written}},
	}, nil
}

// WriteJSON writes the summary with its sum in one line.
func (s *Summary) WriteJSON(w io.Writer) (err error) {
	summed := *s
	summed.Sum, err = s.sum()
	if err != nil {
		return err
	}
	written, err := sealed.Marshal(summed)
	if err != nil {
		return err
	}
	_, err = w.Write(append(written, '\n'))
	return err
}

func (s *Summary) sum() (string, error) {
	copied := *s
	copied.Sum = ""
	return sealed.Sum(copied)
}

const notSummary = "%s: not a summary, or not a whole one, expected what etrace check --plan writes, format %s"

// ReadSummaries reads at least one summary of the plan. Errors call the file name. If the plan is the zero value, the
// first summary must be of cases, and the plan is set to its plan.
func (p *Plan) ReadSummaries(r io.Reader, name string) (summaries []*Summary, err error) {
	// The loop ends: each round consumes input of the decoder or returns.
	for dec := json.NewDecoder(r); ; {
		var written json.RawMessage
		err := dec.Decode(&written)
		switch {
		case errors.Is(err, io.EOF) && len(summaries) > 0:
			return summaries, nil
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%s: empty, expected a summary, format %s", name, SummaryFormat)
		case err != nil:
			return nil, fmt.Errorf(notSummary, name, SummaryFormat)
		}
		var s Summary
		err = sealed.Unmarshal(written, &s)
		switch {
		case s.Format != SummaryFormat && s.Format != "":
			return nil, fmt.Errorf("%s: format %s, expected %s", name, quoted(s.Format), SummaryFormat)
		case err != nil:
			return nil, fmt.Errorf(notSummary+": %w", name, SummaryFormat, err)
		}
		switch sum, err := s.sum(); {
		case err != nil:
			return nil, err
		case s.Sum != sum:
			return nil, fmt.Errorf("%s: the summary was changed after it was written: its sum is %s, expected %s",
				name, quoted(s.Sum), sum)
		}
		if p.ID == "" {
			p.setFromSummary(&s)
		}
		if err := s.check(p); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		summaries = append(summaries, &s)
	}
}

// check rejects a summary of another plan.
func (s *Summary) check(p *Plan) error {
	// Compare the plan first: all later numbers have a meaning only within the same plan.
	switch {
	case p.Mode == Cases && s.Mode != Cases:
		return errors.New("the summary of a shard of a plan, expected the plan, too (--plan)")
	case s.Plan != p.ID:
		return fmt.Errorf("a summary of another plan: its id is %s, expected %s", quoted(s.Plan), p.ID)
	case s.Of < 1 || s.Of > MostShards:
		return fmt.Errorf("a summary of one of %d shards, expected of 1 to %d", s.Of, MostShards)
	case s.Tool != p.Tool || s.Of != p.Shards:
		return fmt.Errorf("a summary by %s of one of %d shards, expected by %s of one of %d", s.Tool, s.Of, p.Tool,
			p.Shards)
	}
	for i, part := range s.Parts {
		if part.Shard < 0 || part.Shard >= p.Shards || i > 0 && part.Shard <= s.Parts[i-1].Shard {
			return fmt.Errorf("shard %d, expected shards 0 to %d in order", part.Shard, p.Shards-1)
		}
	}
	return nil
}

// Join returns one summary with all shards of the given summaries. The order of the summaries does not matter, nor do
// duplicates. It fails if a shard has two different results.
func Join(p *Plan, summaries ...*Summary) (*Summary, error) {
	joined := &Summary{Format: SummaryFormat, Tool: p.Tool, Plan: p.ID, Mode: p.Mode, Of: p.Shards}
	for _, s := range summaries {
		joined.Parts = append(joined.Parts, s.Parts...)
	}
	slices.SortStableFunc(joined.Parts, func(a, b Part) int { return a.Shard - b.Shard })
	var differ []string
	joined.Parts = slices.CompactFunc(joined.Parts, func(a, b Part) bool {
		if a.Shard == b.Shard && !bytes.Equal(a.Found, b.Found) {
			differ = append(differ, fmt.Sprint(a.Shard))
		}
		return a.Shard == b.Shard
	})
	if len(differ) > 0 {
		return nil, fmt.Errorf("%s: different summaries of one shard, expected one each",
			shards(slices.Compact(differ)))
	}
	return joined, nil
}

// Whole rejects a summary that lacks a shard of the plan.
func (s *Summary) Whole(p *Plan) error {
	var missing []string
	at := 0
	for shard := range p.Shards {
		if at < len(s.Parts) && s.Parts[at].Shard == shard {
			at++
			continue
		}
		missing = append(missing, fmt.Sprint(shard))
	}
	if missing == nil {
		return nil
	}
	return fmt.Errorf("%s of %d: no summary, expected one of each", shards(missing), p.Shards)
}

// shards lists the numbers of shards as text.
func shards(numbers []string) string {
	if len(numbers) == 1 {
		return "shard " + numbers[0]
	}
	return "shards " + text.Some(numbers, 12)
}
