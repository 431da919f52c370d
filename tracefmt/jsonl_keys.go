package tracefmt

import (
	"fmt"
	"strings"
)

// jsonKey is a key of an object of the text twin. Readers accept exactly these keys, and the description of the
// format is generated from them.
type jsonKey struct {
	name     string
	required bool
	// value describes the possible values, doc the meaning.
	value, doc string
}

// must and may are the values of jsonKey.required.
const (
	must = true
	may  = false
)

var (
	headerKeys = []jsonKey{
		{"format", must, `"` + JSONLFormat + `"`, "the version of the format; the first key"},
		{"name", may, "text", "the name of the run"},
		{"algorithm", may, "text", "the algorithm that the processes execute"},
		{"problem", may, "text", "the problem that the run solves: etrace list problems; properties of other problems do not apply"},
		{"source", may, "text", "the origin of the run: simulated, or the name of a system or file"},
		{"scenario", may, "object", "the scenario from which etrace executes a simulated run again; other runs have none"},
		{"seed", may, "integer", "the seed of the random numbers"},
		{
			"time_unit", must, "delay, ns or logical",
			"the unit of times. delay: 1e9 is a mean message delay. ns: nanoseconds since 1970 or another moment. " +
				"logical: there is no clock, and times count 1, 2, 3, ...",
		},
		{
			"started_at", may, "text",
			"the date of the beginning, such as 2026-05-01T10:00:00Z; times in ns that do not count from 1970 count from it",
		},
		{"tool", may, "text", "the program that wrote the file"},
		{"members", must, "list of members", "the processes"},
		{"traits", may, "list of words", "the promises of the run, which properties read: etrace list traits"},
		{
			"best", may, "list of words",
			"attributes or variables that rank the processes: the process with the greatest values has to be elected, " +
				"or with the least values, as in least:load. The first difference decides; id is the name",
		},
		{
			"counters", may, "list of paths",
			"numbers such as clock, promised.counter, queue[].clock, PREPARE:ballot.counter. The algorithm uses only " +
				"their order and their differences, so if a state repeats with the same number added to all counters, " +
				"the run is a loop",
		},
		{
			"basic", may, "list of types",
			"the types of the messages of the computation whose end is detected, or whose state is recorded; all others are control messages",
		},
		{"token", may, "list of types", "the types of the messages that carry the token"},
		{"bounds", may, "list of bounds", "published bounds on the number of messages"},
		{
			"complete", may, "object",
			"how complete the recording is; without this key, the kinds and variables that occur are assumed to be " +
				"complete, and all others to be missing",
		},
		{"repaired", may, "object", "the number of changes of etrace lint --repair, by rule"},
		{"slice", may, "true or false", "true for a part of a run that etrace slice wrote: see below"},
	}
	memberKeys = []jsonKey{
		{"name", must, "text", "the name of the process in events"},
		{"position", may, "integer", "its place in the order of the ring"},
		{
			"attributes", may, "object",
			"further facts on the process. role: whether it is a participant (etrace list roles). host: its machine. " +
				"clock: the clock of its times",
		},
	}
	boundKeys = []jsonKey{
		{
			"messages", must, "formula",
			"the greatest number, such as 3*n-1. n: processes. live: processes up at the first send. starts: processes that start",
		},
		{"if", may, "formula", "when the bound holds"},
		{
			"kind", may, "worst, exact, least, mean or order",
			"the sort of bound: an upper bound (also without this key), the exact number, a lower bound, the mean, or the growth in words",
		},
		{"counts", may, "sent, others or delivered", "the messages that count: sent, sent to other processes, or delivered"},
		{"without", may, "list of types", "the messages that do not count, such as an announcement"},
		{"given", may, "object", "the values of further names in the formulas, such as edges"},
		{"delays", may, "unit", "the bound holds if every message takes one delay"},
		{"source", may, "text", "the text that states the bound"},
	}
	completenessKeys = []jsonKey{
		{
			"default", may, "all, some or none",
			"the level of all that kinds and processes do not name. all: every event that happened is recorded. " +
				"some: more events may have happened. none: no event is recorded",
		},
		{"kinds", may, "object", "the same by kind of event, by state.VARIABLE, or by group: messages, states, timers"},
		{"processes", may, "object", "the same by process: default and kinds"},
		{"gaps", may, "list of gaps", "the places where events of any kind are missing"},
		{
			"suspected", may, "list of gaps",
			"the places where events may be missing without a sign: before the first line of a log, and " +
				"after the last line of a log that ends before others",
		},
		{"unplaced", may, "integer", "the number of lines of the log that are events, but have no known place in the order"},
		{"not_understood", may, "object", "the number of lines, by process, of processes that have lines in the log, but no event"},
		{
			"clocks", may, "object",
			"the clocks that order events of different processes; left out if the record itself has one order",
		},
	}
	clocksKeys = []jsonKey{
		{"skew", may, "integer", "the greatest difference of two clocks in nanoseconds, as far as the record shows"},
		{"shared", may, "list of lists", "lists of processes that share a clock, by name; every other process has its own clock"},
	}
	levelKeys = completenessKeys[:2]
	gapKeys   = []jsonKey{
		{"process", must, "name", "the process whose events are missing"},
		{"from", may, "integer", "the gap begins after the event before this seq; 0 is the beginning of the run"},
		{"to", may, "integer", "the gap ends before the event after this seq; 0 is the end of the run"},
		{"dropped", may, "integer", "the number of missing events; left out if it is unknown"},
	}
	eventKeys = []jsonKey{
		{"seq", must, "integer", "1, 2, 3, ... in the order in which the events were recorded"},
		{"time", may, "integer", "the time, in the unit of the header"},
		{"process", may, "name", "the process of the event; of a lose event, the intended receiver"},
		{"kind", must, "kind", "the kind of event, which decides the other keys"},
		{"type", may, "text", "the type of the message, timer, operation or note"},
		{"peer", may, "name", "the other process: of a send the receiver, of a receive or lose event the sender"},
		{"message", may, "integer", "the number of the message; each send has another number, and its receive or lose event repeats it"},
		{
			"cause", may, "integer",
			"the seq of an earlier event of another process that caused this event. For a receive or lose event it is " +
				"the send; without this key, message finds the send. null: no cause is known",
		},
		{"lamport", may, "integer", "the logical clock of the process, after the event"},
		{"term", may, "integer", "the term or epoch, if the algorithm has terms"},
		{"payload", may, "object", "the fields of the message, the variables that change, the due time of a timer in nanoseconds, ..."},
	}
	trailerKeys = []jsonKey{
		{"end", must, "quiescent, stopped, deadline or recording", "why the record ends; quiescent: nothing more can happen"},
		{"events", must, "integer", "the number of events of the run"},
	}
	sliceTrailerKeys = []jsonKey{
		trailerKeys[0],
		{"events", may, "integer", "the number of events of the slice"},
		{"surveyed", may, "object", "facts on the whole run, which etrace slice found"},
	}
)

// JSONLKey is a key of an object of the text form, for descriptions.
type JSONLKey struct {
	Name string
	// Value describes the possible values, Doc the meaning.
	Value, Doc string
	required   bool
}

// Starred returns the name, with a star if the key is required.
func (k JSONLKey) Starred() string { return keyText(k.Name, k.required) }

// JSONLPart is a part of a run in the text form, with its keys.
type JSONLPart struct {
	Name, Doc string
	Keys      []JSONLKey
}

// JSONLParts lists the parts of the text form.
func JSONLParts() []JSONLPart {
	return []JSONLPart{
		{"header", "The first line of a run, which describes it", exportedForm(headerKeys)},
		{"member", "One of the processes, in the list members of the header", exportedForm(memberKeys)},
		{"bound", "A published bound, in the list bounds of the header", exportedForm(boundKeys)},
		{"complete", "How complete the recording is, in the header", exportedForm(completenessKeys)},
		{"gap", "A stretch with missing events, in the list gaps of complete", exportedForm(gapKeys)},
		{"clocks", "By which clocks the events are in order, in complete", exportedForm(clocksKeys)},
		{"event", "A line of the run", exportedForm(eventKeys)},
		{"trailer", "The last line of a run", exportedForm(trailerKeys)},
	}
}

// exportedForm returns the exported form of a list of keys.
func exportedForm(keys []jsonKey) []JSONLKey {
	list := make([]JSONLKey, len(keys))
	for i, k := range keys {
		list[i] = JSONLKey{k.name, k.value, k.doc, k.required}
	}
	return list
}

// keyNames returns the names of the keys.
func keyNames(keys []jsonKey) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return names
}

// DescribeJSONL describes the text twin for people who write it: its keys, the keys of the events of each kind,
// and a run with all of them.
func DescribeJSONL() string {
	var b strings.Builder
	b.WriteString(`UTF-8, one JSON object on each line. A file has one run after another. A run has a header, its
events, and a trailer; a run that is still being recorded has no trailer.
Keys with * are required. An unknown key is an error that names the line.
`)
	for _, part := range JSONLParts() {
		fmt.Fprintf(&b, "\n%s:\n", strings.ToUpper(part.Name[:1])+part.Name[1:])
		for _, k := range part.Keys {
			fmt.Fprintf(&b, "  %-12s %s: %s\n", k.Starred(), k.Value, k.Doc)
		}
	}
	b.WriteString("\nKinds of events, and their keys beside seq, time, lamport and term:\n")
	for _, k := range Kinds() {
		fmt.Fprintf(&b, "  %-12s %s\n", k, strings.Join(k.Info().keys(), " "))
	}
	b.WriteString(`
A slice ("slice": true) has some events of a run, unchanged: its seqs ascend, with gaps, and it may lack
sends and causes of its events. Its trailer, and the key events of the trailer, are optional. Only etrace
check with the plan of the slice can examine it.
`)
	b.WriteString("\nExample:\n")
	enc := NewEncoder(&b)
	if err := enc.Encode(exampleRun()); err != nil {
		return b.String() + err.Error() // a test encodes it
	}
	return b.String()
}

// keyText returns the name of a key, with a star if the key is required.
func keyText(name string, required bool) string {
	if required {
		return name + "*"
	}
	return name
}

// keys returns the keys of the events of a kind. A cause is optional in the text if the message determines it.
func (info KindInfo) keys() []string {
	var list []string
	for _, k := range []struct {
		name string
		need Need
	}{
		{"process", info.Process},
		{"type", info.Type},
		{"peer", info.Peer},
		{"message", info.Message},
		{"cause", info.Cause},
		{"payload", info.Payload},
	} {
		if k.need != Absent {
			list = append(list, keyText(k.name, k.need == Required && (k.name != "cause" || info.Message != Required)))
		}
	}
	return list
}

// exampleRun returns a run with an event of every kind and with every key.
func exampleRun() *Memory {
	seed := int64(1)
	m := NewMemory(Run{
		Name: "example", Algorithm: "bully", Problem: "election", Source: "by hand", Scenario: []byte(`{"made":"by hand"}`), Seed: &seed,
		TimeUnit: Nanoseconds, StartedAt: "2024-05-01T10:00:00Z", Tool: "my converter 1.0",
		Members: []Member{{"a", 1, []byte(`{"zone":"eu-west"}`)}, {"b", 2, nil}, {"c", 3, nil}},
		Traits:  []string{FIFO}, Best: []string{"zone", BestID}, Basic: []string{"WORK"}, Token: []string{"TOKEN"}, Counters: []string{"tries"},
		Bounds: []Bound{
			{"n*n + edges", "n > 1", WorstCase, CountsSent, []string{"COORDINATOR"}, map[string]int64{"edges": 3}, UnitDelays, "an example"},
		},
		Completeness: &Completeness{
			Levels{All, map[string]Level{"timers": Some, "state.elected": All}},
			map[string]Levels{"c": {Default: Some}},
			[]Gap{{"b", 9, 12, 2}},
			[]Gap{{"a", 0, 1, 0}},
			1,
			map[string]int64{"c": 4},
			&Clocks{1_000_000, [][]string{{"a", "b"}}},
		},
		Repaired: map[string]int64{"false-end": 1},
	})
	const a, b, c = 1, 2, 3
	for i, e := range []Event{
		{Kind: Start, Process: a, Lamport: 1, Payload: []byte(`{"elected":null}`)},
		{Kind: Start, Process: b, Lamport: 1},
		{Kind: Start, Process: c, Lamport: 1},
		{Kind: Crash, Process: c, Lamport: 2},
		{Kind: Suspect, Process: a, Peer: c, Lamport: 2},
		{Kind: Send, Process: a, Type: "ELECTION", Peer: b, Message: 1, Lamport: 3, Term: 1, Payload: []byte(`{"id":"a"}`)},
		{Kind: SetTimer, Process: a, Type: "answer", Lamport: 4, Payload: []byte(`{"due":20000000}`)},
		{Kind: Receive, Process: b, Type: "ELECTION", Peer: a, Message: 1, Cause: 6, Lamport: 4, Term: 1, Payload: []byte(`{"id":"a"}`)},
		{Kind: Send, Process: b, Type: "OK", Peer: a, Message: 2, Lamport: 5, Term: 1},
		{Kind: Receive, Process: a, Type: "OK", Peer: b, Message: 2, Cause: 9, Lamport: 6, Term: 1},
		{Kind: CancelTimer, Process: a, Type: "answer", Lamport: 7},
		{Kind: State, Process: b, Lamport: 6, Term: 1, Payload: []byte(`{"elected":"b"}`)},
		{Kind: Send, Process: b, Type: "COORDINATOR", Peer: a, Message: 3, Lamport: 7, Term: 1},
		{Kind: Send, Process: b, Type: "COORDINATOR", Peer: c, Message: 4, Lamport: 8, Term: 1},
		{Kind: Receive, Process: a, Type: "COORDINATOR", Peer: b, Message: 3, Cause: 13, Lamport: 8, Term: 1},
		{Kind: State, Process: a, Lamport: 9, Term: 1, Payload: []byte(`{"elected":"b"}`)},
		{
			Kind: Lose, Process: c, Type: "COORDINATOR", Peer: b, Message: 4, Cause: 14, Lamport: 9,
			Payload: []byte(`{"reason":"receiver crashed"}`),
		},
		{Kind: Recover, Process: c, Lamport: 3, Payload: []byte(`{"elected":"b"}`)},
		{Kind: Trust, Process: a, Peer: c, Lamport: 10},
		{Kind: Partition, Payload: []byte(`{"groups":[["a","b"],["c"]]}`)},
		{Kind: SetTimer, Process: c, Type: "heartbeat", Lamport: 4},
		{Kind: Timeout, Process: c, Type: "heartbeat", Lamport: 5},
		{Kind: Heal},
		{Kind: Invoke, Process: a, Type: "read", Lamport: 11, Payload: []byte(`{"key":"x"}`)},
		{Kind: Return, Process: a, Type: "read", Lamport: 12, Payload: []byte(`{"outcome":"ok","value":null}`)},
		{Kind: Note, Process: b, Type: "log line", Lamport: 9, Payload: []byte(`{"log":{"text":"all is well"}}`)},
		{Kind: Halt, Process: b, Lamport: 10},
	} {
		e.Seq, e.Time = Seq(i+1), Time(i)*1_000_000
		_ = m.Write(&e) // into memory
	}
	_ = m.Finish(Stopped)
	return m
}
