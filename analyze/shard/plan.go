package shard

import (
	"fmt"
	"io"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
	"etrace/tracefmt/text"
)

// PlanFormat is the version of the JSON of a plan.
const PlanFormat = "etrace.plan/1"

// Mode is what a plan splits.
type Mode string

// The modes split runs, events of one run, or cases. A plan of cases has no file; see [OfCases].
const (
	// The modes split runs, the events of one run, or cases of suites. A plan of cases has no file; see [OfCases].
	Runs   Mode = "runs"
	Events Mode = "events"
	Cases  Mode = "cases"
)

// MostShards is the greatest number of shards.
const MostShards = 1 << 20

// Plan defines how a check is split into shards.
type Plan struct {
	Format string `json:"format"`
	// Tool is the name and version of the program that made the plan. Only the same version can check the shards,
	// because another may have other properties.
	Tool string `json:"tool"`
	// ID is the check sum of all other fields. Summaries name their plan by it.
	ID     string `json:"id"`
	Mode   Mode   `json:"mode"`
	Shards int    `json:"shards"`
	// Examined are the checked properties and options.
	Examined Examined `json:"examined"`
	// Traces are the checked traces, in order.
	Traces []Trace `json:"traces"`
	// One is the run whose events are split.
	One *One `json:"run,omitempty"`
}

// Examined describes what a check examines.
type Examined struct {
	// Rules are the texts of the rules. Quadratic allows rules that compare each event with every other.
	Rules     []Rules `json:"rules,omitempty"`
	Quadratic bool    `json:"allow_quadratic,omitempty"`
	// Names are the requested properties, and Except the excluded ones.
	Names  []string `json:"named,omitempty"`
	Except []string `json:"except,omitempty"`
	// Properties are the names of all examined properties and rules, in the order of the report.
	Properties []string `json:"properties"`
	MaxSteps   int64    `json:"max_steps"`
	// Completeness overrides the completeness that the runs declare, unless it is nil. Crashed and End are facts that
	// the user states in addition to the recording.
	Completeness *tracefmt.Completeness `json:"complete,omitempty"`
	Crashed      []string               `json:"crashed,omitempty"`
	End          tracefmt.End           `json:"end,omitempty"`
	// Salvage skips damaged parts of traces.
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
	// LeftOut describes the skipped parts of a damaged trace.
	LeftOut []string `json:"left_out,omitempty"`
	Runs    []Run    `json:"runs"`
}

// Run is a run of a trace.
type Run struct {
	Number int   `json:"run"`
	Events int64 `json:"events"`
	// Digest is a check sum of the run; see [tracefile.Trace.Digest].
	Digest string `json:"digest"`
	// Shard is the shard that checks the run, if the plan splits runs.
	Shard int `json:"shard"`
}

// Seal sets the format and the ID of the plan.
func (p *Plan) Seal() error {
	p.Format = PlanFormat
	id, err := p.sum()
	p.ID = id
	return err
}

// sum returns the check sum of the plan without its ID.
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

// quoted quotes a text from a file for an error.
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
				return fmt.Errorf("%s: %s: run %d of %d events, expected no negative numbers", name, t.Path,
					r.Number, r.Events)
			}
			if r.Shard < 0 || r.Shard >= p.Shards {
				return fmt.Errorf("%s: %s: run %d: shard %d, expected one of 0 to %d", name, t.Path, r.Number,
					r.Shard, p.Shards-1)
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

// CheckShard rejects the number of a shard that the plan does not have.
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
