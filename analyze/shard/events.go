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

// One is the run of a plan in mode events.
type One struct {
	// Header is the header of the run in JSON Lines. Number, End and Events complete it.
	Header json.RawMessage `json:"header"`
	Number int             `json:"number"`
	End    tracefmt.End    `json:"end"`
	Events int64           `json:"events"`
	// Overall has the facts that need the whole run.
	Overall analyze.Overall `json:"overall"`
	// Clock finds the first event after a deadline.
	Clock Clock `json:"clock"`
	// Rules are the checked rules, in the order of the report. Groups are the rules with the same kind of
	// split.
	Rules  []Rule  `json:"rules"`
	Groups []Group `json:"groups"`
	// Alone: the keys of each event depend on this event only, and no part needs other events. So events can be
	// distributed in any order.
	Alone bool `json:"alone"`
	// Everyone are further events that all parts need if a rule reads the state: events that show a restart,
	// the first step of each process, and the first event of a rule with fluents.
	Everyone []tracefmt.Seq `json:"everyone,omitempty"`
}

// Rule is a checked property.
type Rule struct {
	Name string `json:"name"`
	// Group is the index of its group, -1 for a property that does not apply to the run.
	Group int `json:"group"`
	// Known has the facts about the whole run that each part needs.
	Known json.RawMessage `json:"known,omitempty"`
}

// The kinds of split.
const (
	ByKey = "key"
	None  = "none" // shard 0 checks the whole run
)

// Group is a group of rules with the same kind of split.
type Group struct {
	Split string   `json:"split"`
	Rules []string `json:"rules"`
	// Reason is the reason why the rules are not split.
	Reason string `json:"reason,omitempty"`
	// Key is the key of the split, and Kinds are the kinds of the events with keys. Broadcast are the facts
	// that all shards need.
	Key       string   `json:"key,omitempty"`
	Kinds     []string `json:"kinds,omitempty"`
	Broadcast []string `json:"broadcast,omitempty"`
	// Expected are the sums of the events with keys, by shard, and All is the sum of the events for all shards.
	// Without a split, both are those of shard 0.
	Expected []Sum `json:"expected,omitempty"`
	All      Sum   `json:"all"`
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
	run.Number, run.End, run.Events = o.Number, o.End, o.Events
	return run, nil
}

// Whole reports whether some rules are not split.
func (o *One) Whole() bool {
	return slices.ContainsFunc(o.Groups, func(g Group) bool { return g.Split == None })
}

// Text describes the split of a group.
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
