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

// One is the one run of a plan of the mode events.
type One struct {
	// Header is that of the run in JSON Lines, with all that is stated of it; Number, End and
	// Events are what it does not say.
	Header json.RawMessage `json:"header"`
	Number int             `json:"number"`
	End    tracefmt.End    `json:"end"`
	Events int64           `json:"events"`
	// Overall is what only the whole run says.
	Overall analyze.Overall `json:"overall"`
	// Clock finds the event with which a time was over.
	Clock Clock `json:"clock"`
	// Rules are what is examined, in the order of the report, and Groups those that are
	// split alike.
	Rules  []Rule  `json:"rules"`
	Groups []Group `json:"groups"`
	// Alone: each event tells its keys by itself, and no part needs any other, so that events
	// can be given to parts in any order and by whoever sees them.
	Alone bool `json:"alone"`
	// Everyone are further events that all parts need where a rule asks for the state: those
	// that show a restart, the first step of each process, and the first that a rule with fluents
	// looks at.
	Everyone []tracefmt.Seq `json:"everyone,omitempty"`
}

// Rule is a property that is examined.
type Rule struct {
	Name string `json:"name"`
	// Group is the place of its group, -1 for a property that does not apply to the run.
	Group int `json:"group"`
	// Known is what whoever examines a part must know of the whole run.
	Known json.RawMessage `json:"known,omitempty"`
}

// How rules are split.
const (
	ByKey = "key"
	None  = "none" // shard 0 examines the whole run
)

// Group is a group of rules that are split alike.
type Group struct {
	Split string   `json:"split"`
	Rules []string `json:"rules"`
	// Reason is why rules are not split.
	Reason string `json:"reason,omitempty"`
	// Key says by what they are, Kinds of which events; Broadcast are the facts that all
	// shards must see.
	Key       string   `json:"key,omitempty"`
	Kinds     []string `json:"kinds,omitempty"`
	Broadcast []string `json:"broadcast,omitempty"`
	// Expected are the events with keys, by shard, and All those that all must see. Of what is
	// not split, they are those of shard 0.
	Expected []Sum `json:"expected,omitempty"`
	All      Sum   `json:"all"`
}

// headerOf is the header of a run in JSON Lines.
func headerOf(run *tracefmt.Run) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := tracefmt.NewEncoder(&b)
	err := errors.Join(enc.Begin(run), enc.Finish(tracefmt.Open))
	return bytes.TrimSpace(b.Bytes()), err
}

// Run is the run that the plan is of.
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
	run.Number, run.End, run.Events = o.Number, o.End, o.Events
	return run, nil
}

// Whole reports whether some rules are not split.
func (o *One) Whole() bool {
	return slices.ContainsFunc(o.Groups, func(g Group) bool { return g.Split == None })
}

// Text says how a group is split.
func (g *Group) Text() string {
	if g.Split == None {
		return "not split, on shard 0: " + g.Reason
	}
	text := "by " + g.Key
	if len(g.Broadcast) > 0 {
		text += "; all shards see " + strings.Join(g.Broadcast, ", ")
	}
	return text
}
