package printer

import (
	"encoding/json"
	"time"

	"etrace/replay"
	"etrace/tracefmt"
)

// Step is an event as a JSON object; etrace explain step describes its keys.
type Step struct {
	Seq     tracefmt.Seq       `json:"seq"`
	Time    json.Number        `json:"time"` // the time in units
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

// change is a change of a process, as a JSON object.
type change struct {
	Process string `json:"process"`
	// Aspect is status, variable or timer.
	Aspect string          `json:"aspect"`
	Name   string          `json:"name,omitempty"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
	Sure   *bool           `json:"sure,omitempty"`
}

// NewStep returns the JSON object of an event and its changes; nil for a nil event.
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
		s.Changes = append(s.Changes, change{
			Process: name, Aspect: aspect, Name: c.Name, Before: value(c.Before), After: value(c.After),
			Sure: falseIfUncertain(!c.Doubtful),
		})
	}
	return s
}

// NewSteps returns the JSON objects of events.
func NewSteps(words *replay.Sentences, events []tracefmt.Event) []Step {
	steps := []Step{}
	for i := range events {
		steps = append(steps, *NewStep(words, &events[i], nil))
	}
	return steps
}

// falseIfUncertain returns false for an uncertain fact, else nil, which is left out.
func falseIfUncertain(known bool) *bool {
	if known {
		return nil
	}
	return &known
}

// wall returns the time of day as RFC 3339 writes it; "" if the run does not record it.
func wall(run *tracefmt.Run, t tracefmt.Time) string {
	if at, ok := run.Wall(t); ok {
		return at.Format(time.RFC3339Nano)
	}
	return ""
}

// clock returns a time for people, followed by the time of day if the run records it.
func clock(run *tracefmt.Run, t tracefmt.Time) string {
	s := run.When(t)
	if at := wall(run, t); at != "" && !run.SinceEpoch(t) {
		s += " (" + at + ")"
	}
	return s
}

// number returns a time in the time unit of the run.
func number(run *tracefmt.Run, t tracefmt.Time) json.Number {
	return json.Number(run.TimeUnit.Units(t).String())
}

// raw returns JSON of a trace unchanged. Text that is not JSON becomes a JSON string.
func raw(text string) json.RawMessage {
	if !json.Valid([]byte(text)) {
		return quote(text)
	}
	return json.RawMessage(text)
}

// quote returns the text as a JSON string; nil for "".
func quote(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return tracefmt.AppendString(nil, text)
}
