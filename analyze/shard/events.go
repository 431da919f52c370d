package shard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt"
)

// One is the run whose events a plan splits.
type One struct {
	// Header is the header of the run in JSON Lines.
	Header json.RawMessage `json:"header"`
	Number int             `json:"number"`
	// Only is true if the trace has no other run. A command that reads the whole trace verifies this.
	Only bool `json:"only,omitempty"`
	// Alone is true if an event alone determines which shards need it. Then engines can distribute the events in any
	// order.
	Alone bool `json:"alone"`
	// Rules describe how each property is split, in the order of the report. They follow from the header and the
	// properties; a plan contains them for readers and for engines.
	Rules []Rule `json:"rules"`
}

// Rule describes how a checked property is split.
type Rule struct {
	Name  string `json:"name"`
	Split string `json:"split"`
	// Reason is why the property is not split.
	Reason string `json:"reason,omitempty"`
	// Key describes the keys by which events are distributed. Kinds are the kinds of events with keys. Broadcast are
	// the facts that all shards need.
	Key       string   `json:"key,omitempty"`
	Kinds     []string `json:"kinds,omitempty"`
	Broadcast []string `json:"broadcast,omitempty"`
}

// The kinds of split.
const (
	ByKey   = "key"
	None    = "none"    // shard 0 checks the whole run
	Settled = "settled" // the property does not apply to the run
)

// SplitEvents makes a plan that splits the events of a run.
func (p *Plan) SplitEvents(run *tracefmt.Run, properties []*analyze.Property) error {
	header, err := headerOf(run)
	if err != nil {
		return err
	}
	p.Mode, p.One = Events, &One{Header: header, Number: run.Number, Alone: true}
	for _, d := range analyze.Divide(run, properties, p.Options()) {
		p.One.Alone = p.One.Alone && d.Alone()
		r := Rule{Name: d.Property.Name, Split: ByKey}
		switch {
		case d.Settled:
			r.Split = Settled
		case !d.Parted():
			r.Split, r.Reason = None, d.Split.Whole
		default:
			r.Key, r.Broadcast = d.Split.Key, factTexts(append(d.Split.Reads, d.Split.Leans...))
			for _, k := range d.Split.Kinds {
				r.Kinds = append(r.Kinds, k.String())
			}
		}
		p.One.Rules = append(p.One.Rules, r)
	}
	return nil
}

// factTexts returns the facts as texts for a plan.
func factTexts(facts []tracefmt.Fact) (words []string) {
	for _, f := range facts {
		f.Variable = tracefmt.ListName(f.Variable)
		if word := f.String(); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// headerOf returns the header of a run in JSON Lines.
func headerOf(run *tracefmt.Run) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := tracefmt.NewEncoder(&b)
	err := errors.Join(enc.Begin(run), enc.Finish(tracefmt.Open))
	return bytes.TrimSpace(b.Bytes()), err
}

// Run returns the run of the plan.
func (o *One) Run() (*tracefmt.Run, error) {
	// A plan may have been indented.
	var line bytes.Buffer
	if err := json.Compact(&line, o.Header); err != nil {
		return nil, err
	}
	run, err := tracefmt.NewDecoder(&line).NextRun()
	if errors.Is(err, io.EOF) {
		err = errors.New("no header")
	}
	if err != nil {
		return nil, fmt.Errorf("the plan's run: %w", err)
	}
	run.Number = o.Number
	return run, nil
}

// same reports whether two rules are split in the same way.
func (r Rule) same(s Rule) bool {
	return r.Split == s.Split && r.Reason == s.Reason && r.Key == s.Key && slices.Equal(r.Broadcast, s.Broadcast)
}

// describe returns in words how the rule is split.
func (r *Rule) describe() string {
	if r.Split == None {
		return "not split, on shard 0: " + r.Reason
	}
	text := "by " + r.Key
	if len(r.Broadcast) > 0 {
		text += "; all shards see " + strings.Join(r.Broadcast, ", ")
	}
	return text
}
