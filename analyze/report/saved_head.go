package report

import (
	"encoding/json"

	"etrace/tracefmt"
)

// savedHead is the part of a run's header that runs of a sweep have in common. Scenario and attributes are
// JSON, unchanged to the byte.
type savedHead struct {
	Algorithm    string                 `json:"algorithm,omitempty"`
	Problem      string                 `json:"problem,omitempty"`
	Source       string                 `json:"source,omitempty"`
	Members      []savedMember          `json:"members,omitempty"`
	TimeUnit     tracefmt.TimeUnit      `json:"time_unit,omitempty"`
	Tool         string                 `json:"tool,omitempty"`
	Traits       []string               `json:"traits"`
	Best         []string               `json:"best,omitempty"`
	Counters     []string               `json:"counters,omitempty"`
	Basic        []string               `json:"basic,omitempty"`
	Token        []string               `json:"token,omitempty"`
	Bounds       []tracefmt.Bound       `json:"bounds"`
	Completeness *tracefmt.Completeness `json:"complete,omitempty"`
	Repaired     map[string]int64       `json:"repaired,omitempty"`
	Slice        bool                   `json:"slice,omitempty"`
}

// savedMember is a member of a run.
type savedMember struct {
	Name       string `json:"name"`
	Position   int    `json:"position,omitempty"`
	Attributes string `json:"attributes,omitempty"`
}

// savedOwn is the part of a header that is stored with its run; Head is the index of the common part.
type savedOwn struct {
	Number    int          `json:"run"`
	Name      string       `json:"name,omitempty"`
	Head      int          `json:"head"`
	Scenario  string       `json:"scenario,omitempty"`
	Seed      *int64       `json:"seed,omitempty"`
	StartedAt string       `json:"started_at,omitempty"`
	End       tracefmt.End `json:"end,omitempty"`
	Events    int64        `json:"events"`
}

// head returns the index of the common part of a run's header, and adds a new one.
func (s *saver) head(run *tracefmt.Run) (int, error) {
	head := savedHead{
		Algorithm: run.Algorithm, Problem: run.Problem, Source: run.Source, TimeUnit: run.TimeUnit, Tool: run.Tool,
		Traits: run.Traits, Best: run.Best, Basic: run.Basic, Token: run.Token, Counters: run.Counters,
		Bounds: run.Bounds, Completeness: run.Completeness, Repaired: run.Repaired, Slice: run.Slice,
	}
	for _, m := range run.Members {
		head.Members = append(head.Members, savedMember{m.Name, m.Position, string(m.Attributes)})
	}
	key, err := json.Marshal(head)
	if err != nil {
		return 0, err
	}
	i, known := s.heads[string(key)]
	if !known {
		if s.heads == nil {
			s.heads = make(map[string]int)
		}
		i = len(s.Heads)
		s.heads[string(key)] = i
		s.Heads = append(s.Heads, head)
	}
	return i, nil
}

// ownOf returns the part of a header that is stored with its run.
func ownOf(run *tracefmt.Run, head int) savedOwn {
	return savedOwn{
		Number: run.Number, Name: run.Name, Head: head, Scenario: string(run.Scenario), Seed: run.Seed,
		StartedAt: run.StartedAt, End: run.End, Events: run.Events,
	}
}

// run joins both parts of a header.
func (s *savedOwn) run(head *savedHead) *tracefmt.Run {
	run := &tracefmt.Run{
		Number: s.Number, Name: s.Name, Scenario: textOrNil(s.Scenario), Seed: s.Seed, StartedAt: s.StartedAt,
		End: s.End, Events: s.Events,
		Algorithm: head.Algorithm, Problem: head.Problem, Source: head.Source, TimeUnit: head.TimeUnit, Tool: head.Tool,
		Traits: head.Traits, Best: head.Best, Basic: head.Basic, Token: head.Token, Counters: head.Counters,
		Bounds: head.Bounds, Completeness: head.Completeness, Repaired: head.Repaired, Slice: head.Slice,
	}
	for _, m := range head.Members {
		run.Members = append(run.Members, tracefmt.Member{
			Name: m.Name, Position: m.Position,
			Attributes: textOrNil(m.Attributes),
		})
	}
	return run
}

// textOrNil returns the bytes of a text; nil for "".
func textOrNil(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}
