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

// Mode is what a plan splits.
type Mode string

// The modes: each run belongs to a shard, or each event of the one run. Of cases, whose plan is
// no file, each of them does; see [OfCases].
const (
	Runs   Mode = "runs"
	Events Mode = "events"
	Cases  Mode = "cases"
)

// MostShards bounds the number of shards.
const MostShards = 1 << 20

// Plan says how a check is split.
type Plan struct {
	Format string `json:"format"`
	// Tool is the program that planned, a name and a version. Only the same one checks shards
	// of it, since another may know other properties.
	Tool string `json:"tool"`
	// ID is the sum of all the rest, by which summaries name their plan.
	ID     string `json:"id"`
	Mode   Mode   `json:"mode"`
	Shards int    `json:"shards"`
	// Examined is what the traces are examined for, and how.
	Examined Examined `json:"examined"`
	// Traces are what is examined, in their order.
	Traces []Trace `json:"traces"`
	// One is the run of the mode events.
	One *One `json:"run,omitempty"`
}

// Examined is what traces are examined for, as it was asked for.
type Examined struct {
	// Rules are the texts of the rules, Quadratic is whether they may compare each event with
	// every other.
	Rules     []Rules `json:"rules,omitempty"`
	Quadratic bool    `json:"allow_quadratic,omitempty"`
	// Names are the properties that were named, Except those to leave out.
	Names  []string `json:"named,omitempty"`
	Except []string `json:"except,omitempty"`
	// Properties are the names of all that comes to, rules included, in the order of a report.
	Properties []string `json:"properties"`
	MaxSteps   int64    `json:"max_steps"`
	// Completeness goes over what the runs declare to tell, nil for nothing; Crashed and End are
	// stated besides what is recorded.
	Completeness *tracefmt.Completeness `json:"complete,omitempty"`
	Crashed      []string               `json:"crashed,omitempty"`
	End          tracefmt.End           `json:"end,omitempty"`
	// Salvage: what is damaged is left out.
	Salvage bool `json:"salvage,omitempty"`
}

// Rules is a text of rules, and what errors call it.
type Rules struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Named reports whether it was said what to examine, so that it has to apply.
func (x *Examined) Named() bool { return len(x.Rules)+len(x.Names) > 0 }

// Trace is a trace and what of it is examined.
type Trace struct {
	Path string `json:"path"`
	// LeftOut says what was left out of it, since it is damaged.
	LeftOut []string `json:"left_out,omitempty"`
	Runs    []Run    `json:"runs"`
}

// Run is a run of a trace.
type Run struct {
	Number int   `json:"run"`
	Events int64 `json:"events"`
	// Digest changes with the run; see [tracefile.Trace.Digest].
	Digest string `json:"digest"`
	// Shard is to whom the run belongs, where runs are split.
	Shard int `json:"shard"`
}

// Seal makes the plan one: with its format, and the sum of what it has.
func (p *Plan) Seal() error {
	p.Format = PlanFormat
	id, err := p.sum()
	p.ID = id
	return err
}

func (p *Plan) sum() (string, error) {
	rest := *p
	rest.ID = ""
	return sealed.Sum(rest)
}

// WriteJSON writes the plan.
func (p *Plan) WriteJSON(w io.Writer) error { return tracefmt.WriteJSON(w, p) }

// ReadPlan reads a plan, which errors call name. One that is not as it was made is an error.
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

// quoted is a text of a file for an error.
func quoted(s string) string { return text.Quote(text.Short(s, 65)) }

// check refuses a plan that no program made.
func (p *Plan) check(name string) error {
	if p.Mode != Runs && p.Mode != Events {
		return fmt.Errorf("%s: mode %s, expected %s or %s", name, quoted(string(p.Mode)), Runs, Events)
	}
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

// CheckTool refuses a plan of another program or version.
func (p *Plan) CheckTool(name, tool string) error {
	if p.Tool != tool {
		return fmt.Errorf("%s: a plan of %s, and this is %s; expected the same", name, p.Tool, tool)
	}
	return nil
}

// CheckShard refuses the number of a shard that the plan does not have.
func (p *Plan) CheckShard(shard int) error {
	if shard < 0 || shard >= p.Shards {
		return fmt.Errorf("--shard %d: the plan has %d, expected 0 to %d", shard, p.Shards, p.Shards-1)
	}
	return nil
}

// Options are those of the check.
func (p *Plan) Options() analyze.Options {
	return analyze.Options{Named: p.Examined.Named(), MaxSteps: p.Examined.MaxSteps}
}
