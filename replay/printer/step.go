package printer

import (
	"encoding/json"
	"time"

	"etrace/replay"
	"etrace/tracefmt"
)

// Step is an event for programs, as a JSON object; etrace explain step has its keys.
type Step struct {
	Seq     tracefmt.Seq       `json:"seq"`
	Time    json.Number        `json:"time"` // in units
	Wall    string             `json:"wall,omitempty"`
	Process string             `json:"process,omitempty"`
	Kind    string             `json:"kind"`
	Type    string             `json:"type,omitempty"`
	Peer    string             `json:"peer,omitempty"`
	Message tracefmt.MessageID `json:"message,omitempty"`
	Cause   tracefmt.Seq       `json:"cause,omitempty"`
	Payload json.RawMessage    `json:"payload,omitempty"`
	// Text is the event in words.
	Text    string   `json:"text"`
	Changes []change `json:"changes,omitempty"`
}

type change struct {
	Process string `json:"process"`
	// Aspect is status, variable or timer.
	Aspect string          `json:"aspect"`
	Name   string          `json:"name,omitempty"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
	Sure   *bool           `json:"sure,omitempty"`
}

// NewStep returns an event with what it changed, nil for none.
func NewStep(words *replay.Sentences, e *tracefmt.Event, changes []replay.Change) *Step {
	if e == nil {
		return nil
	}
	run := words.Run()
	s := &Step{
		Seq: e.Seq, Time: number(run, e.Time), Wall: wall(run, e.Time), Process: run.ProcessName(e.Process),
		Kind: e.Kind.String(), Type: e.Type, Peer: run.ProcessName(e.Peer),
		Message: e.Message, Cause: e.Cause, Payload: raw(string(e.Payload)), Text: words.Of(e),
	}
	for _, c := range changes {
		value := raw
		if c.Aspect != replay.VariableAspect {
			value = quote
		}
		name, aspect := run.ProcessName(c.Process), c.Aspect.String()
		s.Changes = append(s.Changes, change{name, aspect, c.Name, value(c.Before), value(c.After), sure(!c.Doubtful)})
	}
	return s
}

// NewSteps returns events.
func NewSteps(words *replay.Sentences, events []tracefmt.Event) []Step {
	steps := []Step{}
	for i := range events {
		steps = append(steps, *NewStep(words, &events[i], nil))
	}
	return steps
}

// sure returns false for an uncertain fact, else nil, which is left out.
func sure(known bool) *bool {
	if known {
		return nil
	}
	return &known
}

// wall is the time of day, as RFC 3339 writes it, "" where it is not known.
func wall(run *tracefmt.Run, t tracefmt.Time) string {
	if at, ok := run.Wall(t); ok {
		return at.Format(time.RFC3339Nano)
	}
	return ""
}

// clock is a time for people, with the time of day where it is known.
func clock(run *tracefmt.Run, t tracefmt.Time) string {
	s := run.When(t)
	if at := wall(run, t); at != "" && !run.SinceEpoch(t) {
		s += " (" + at + ")"
	}
	return s
}

func number(run *tracefmt.Run, t tracefmt.Time) json.Number {
	return json.Number(run.TimeUnit.Units(t).String())
}

// raw is JSON from a trace, as it is; what is no JSON becomes a string.
func raw(text string) json.RawMessage {
	if !json.Valid([]byte(text)) {
		return quote(text)
	}
	return json.RawMessage(text)
}

func quote(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return tracefmt.AppendString(nil, text)
}
