package shard

import (
	"fmt"
	"io"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
	"etrace/tracefmt/text"
)

// PlanFormat is the version mark of a plan.
const PlanFormat = "etrace.plan/1"

// Mode is the unit that a plan splits.
type Mode string

// The modes split runs, events of one run, or cases. A plan of cases has no file; see [OfCases].
const (
	Runs   Mode = "runs"
	Events Mode = "events"
	Cases  Mode = "cases"
)

// MostShards is the limit for the number of shards.
const MostShards = 1 << 20

// Plan defines the split of a check.
type Plan struct {
	Format string `json:"format"`
	// Tool is the name and version of the program that made the plan. Only the same program can check the
	// shards, since another may know other properties.
	Tool string `json:"tool"`
	// ID is the sum of all other fields, by which summaries name their plan.
	ID     string `json:"id"`
	Mode   Mode   `json:"mode"`
	Shards int    `json:"shards"`
	// Examined are the checked properties and options.
	Examined Examined `json:"examined"`
	// Traces are the checked traces, in order.
	Traces []Trace `json:"traces"`
	// One is the run in mode events.
	One *One `json:"run,omitempty"`
}

// Examined is the request for a check.
type Examined struct {
	// Rules are the texts of the rules. Quadratic allows rules to compare each event with every other.
	Rules     []Rules `json:"rules,omitempty"`
	Quadratic bool    `json:"allow_quadratic,omitempty"`
	// Names are the requested properties, Except the excluded ones.
	Names  []string `json:"named,omitempty"`
	Except []string `json:"except,omitempty"`
	// Properties are the names of all resulting properties including rules, in the order of a report.
	Properties []string `json:"properties"`
	MaxSteps   int64    `json:"max_steps"`
	// Completeness overrides the completeness that the runs declare, unless nil. Crashed and End are stated in
	// addition to the recording.
	Completeness *tracefmt.Completeness `json:"complete,omitempty"`
	Crashed      []string               `json:"crashed,omitempty"`
	End          tracefmt.End           `json:"end,omitempty"`
	// Salvage omits damaged parts.
	Salvage bool `json:"salvage,omitempty"`
}

// Rules is a text of rules, with its name in errors.
type Rules struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Trace is a trace with its checked runs.
type Trace struct {
	Path string `json:"path"`
	// LeftOut describes the omitted parts of a damaged trace.
	LeftOut []string `json:"left_out,omitempty"`
	Runs    []Run    `json:"runs"`
}

// Run is a run of a trace.
type Run struct {
	Number int   `json:"run"`
	Events int64 `json:"events"`
	// Digest changes with the run; see [tracefile.Trace.Digest].
	Digest string `json:"digest"`
	// Shard is the shard of the run in mode runs.
	Shard int `json:"shard"`
}

// Seal sets the format and the ID of the plan.
func (p *Plan) Seal() error {
	p.Format = PlanFormat
	id, err := p.sum()
	p.ID = id
	return err
}

func (p *Plan) sum() (string, error) {
	copied := *p
	copied.ID = ""
	return sealed.Sum(copied)
}

// WriteJSON writes the plan.
func (p *Plan) WriteJSON(w io.Writer) error { return tracefmt.WriteJSON(w, p) }

// ReadPlan reads a plan; name is its name in errors. It fails if the plan was changed.
func ReadPlan(r io.Reader, name string) (*Plan, error) {
	written, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var p Plan
	switch err := sealed.Unmarshal(written, &p); {
	case p.Format != PlanFormat && p.Format != "":
		return nil, fmt.Errorf("%s: format %s, expected %s", name, quoted(p.Format), PlanFormat)
	case err != nil:
		return nil, fmt.Errorf("%s: not a plan, expected what etrace plan writes, format %s: %w", name, PlanFormat, err)
	}
	id, err := p.sum()
	switch {
	case err != nil:
		return nil, err
	case id != p.ID:
		return nil, fmt.Errorf("%s: the plan was changed after it was made, or is not whole: its id is %s, expected %s", name, quoted(p.ID), id)
	}
	return &p, p.check(name)
}

// quoted quotes a text of a file for an error.
func quoted(s string) string { return text.Quote(text.Short(s, 65)) }

// check rejects an invalid plan.
func (p *Plan) check(name string) error {
	if p.Mode != Runs && p.Mode != Events {
		return fmt.Errorf("%s: mode %s, expected %s or %s", name, quoted(string(p.Mode)), Runs, Events)
	}
	// The check of the run allocates by the number of shards, so that is checked first.
	if p.Mode == Events && p.Shards >= 1 && p.Shards <= MostShards {
		if err := p.One.check(p); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if p.Shards < 1 || p.Shards > MostShards {
		return fmt.Errorf("%s: %d shards, expected 1 to %d", name, p.Shards, MostShards)
	}
	for _, t := range p.Traces {
		for _, r := range t.Runs {
			if r.Number < 0 || r.Events < 0 {
				return fmt.Errorf("%s: %s: run %d of %d events, expected no negative numbers", name, t.Path, r.Number, r.Events)
			}
			if r.Shard < 0 || r.Shard >= p.Shards {
				return fmt.Errorf("%s: %s: run %d: shard %d, expected one of 0 to %d", name, t.Path, r.Number, r.Shard, p.Shards-1)
			}
		}
	}
	return nil
}

// CheckTool rejects a plan of another program or version.
func (p *Plan) CheckTool(name, tool string) error {
	if p.Tool != tool {
		return fmt.Errorf("%s: a plan of %s, and this is %s; expected the same", name, p.Tool, tool)
	}
	return nil
}

// CheckShard rejects a shard number that the plan does not have.
func (p *Plan) CheckShard(shard int) error {
	if shard < 0 || shard >= p.Shards {
		return fmt.Errorf("--shard %d: the plan has %d, expected 0 to %d", shard, p.Shards, p.Shards-1)
	}
	return nil
}

// Options returns the options of the check.
func (p *Plan) Options() analyze.Options {
	return analyze.Options{MaxSteps: p.Examined.MaxSteps}
}
