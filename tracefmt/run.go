package tracefmt

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"etrace/tracefmt/text"
)

// Run describes one run: everything but its events. Times of day and the
// like stay empty in simulated runs, so that equal runs are equal bytes.
type Run struct {
	// Number is the run's place in its trace, from 1; 0 outside a trace.
	// The text twin does not carry it.
	Number int
	Name   string
	// Algorithm is the algorithm's name, "" when unknown.
	Algorithm string
	// Problem is what the algorithm solves, one of [Problems]; "" when unknown.
	// It decides which properties apply.
	Problem string
	// Source says where the run came from: "simulated", "recorded", or the
	// name of the foreign format that it was imported from.
	Source string
	// Scenario is the JSON object that re-creates a simulated run, or nil.
	Scenario []byte
	// Seed of the random choices; nil when there was none to know.
	Seed    *int64
	Members []Member
	// TimeUnit says what Event.Time means.
	TimeUnit TimeUnit
	// StartedAt is RFC 3339 wall time, "" when unknown or simulated.
	StartedAt string
	// Tool names the recorder and its version.
	Tool string
	// Traits are what the run states of itself and of its algorithm: words of
	// [Traits], or of other people's properties. nil when it states nothing.
	Traits []string
	// Best says who is to be elected: the process with the greatest values of
	// these, the first of which counts most. Each is the name of an attribute of
	// the members, else of a variable, or "id"; see [Run.BestKeys]. nil when any
	// process will do, or the traits say who.
	Best []string
	// Counters are the paths of the numbers of which only order and differences matter to
	// the algorithm, such as ballots and logical clocks: clock, promised.counter,
	// PREPARE:ballot.counter. Of a variable the path begins with its name, of a message with
	// its type and a colon; .name is a field of an object, [] every item of an array and every
	// value of an object by keys. They are a promise: a run whose state recurs with the
	// same number added to all of them repeats forever, see [LoopNote]. nil when there are none.
	Counters []string
	// Basic are the types of the messages of the base computation, beside which an
	// algorithm detects its termination or records its state. nil when none is stated.
	Basic []string
	// Token are the types of the messages that carry the token of the run, of which there
	// is to be one. nil when none is stated.
	Token []string
	// Bounds on the messages of the run; nil when none is stated.
	Bounds []Bound
	// Completeness says what the record undertakes to tell of what happened; nil where it says
	// nothing of that, see [Coverage].
	Completeness *Completeness
	// Repaired is how many changes a repair made of the recording, by the rule of lint that
	// it broke; nil for a run that is as it was recorded.
	Repaired map[string]int64
	// Slice is true of a part of a run that etrace slice made: the events that one shard of a
	// plan reads, with the seqs and causes that they have in the run. What it lacks happened, so
	// that nothing may be concluded from it as from a run; see [ErrSlice].
	Slice bool
	// End and Events are known when the run is complete; End is Open before.
	End    End
	Events int64
}

// Mutant returns the mutant of the algorithm by which a simulated run was made: a fault put in on
// purpose, which the parameter mutant of its scenario names. "" is the algorithm as it should be, or a
// run that does not say.
func (r *Run) Mutant() string {
	for key, params := range Fields(r.Scenario) {
		if string(key) != "params" {
			continue
		}
		for name, value := range Fields(params) {
			var mutant string
			if string(name) == "mutant" && json.Unmarshal(value, &mutant) == nil && mutant != "none" {
				return mutant
			}
		}
	}
	return ""
}

// Titled returns a name of the run or of its algorithm as titles have it, with the mutant by which the
// run was made: "raft (mutant votes-twice)". "" stays as it is.
func (r *Run) Titled(name string) string {
	if mutant := r.Mutant(); mutant != "" && name != "" {
		return name + " (mutant " + mutant + ")"
	}
	return name
}

// Member is one process of a run.
type Member struct {
	// Name as the user wrote it, unique in the run.
	Name string
	// Position in the ring order, from 1.
	Position int
	// Attributes is a JSON object, or nil.
	Attributes []byte
}

// TimeUnit is the meaning of the times of a run.
type TimeUnit string

// The meanings of time.
const (
	// Delays: 1e9 is one mean message delay of a simulated run.
	Delays TimeUnit = "delay"
	// Nanoseconds: wall time, since 1970 or since the start of the run.
	Nanoseconds TimeUnit = "ns"
	// Logical: no clock is known; 1e9 is one tick of the Lamport clock. Runs that
	// people write by hand count ticks as 1, 2, 3, ..., see [TimeUnit.Units].
	Logical TimeUnit = "logical"
)

// Units returns a time such that [Unit] is one unit of it, as [Time.String]
// writes it. There is no part of a tick: logical times below one are ticks.
func (u TimeUnit) Units(t Time) Time {
	if u == Logical && -Unit < t && t < Unit {
		return t * Unit
	}
	return t
}

// sinceEpoch is the least time that is taken for one since 1970: the year 1980.
const sinceEpoch Time = 315_532_800 * Unit

// Wall returns the time of day that an event of that time has. It is known of runs in
// nanoseconds: since 1970, which are those of 1980 and later, or since [Run.StartedAt] where
// the run says that.
func (r *Run) Wall(t Time) (time.Time, bool) {
	if r.TimeUnit != Nanoseconds {
		return time.Time{}, false
	}
	if r.SinceEpoch(t) {
		return time.Unix(0, int64(t)).UTC(), true
	}
	began, err := time.Parse(time.RFC3339, r.StartedAt)
	return began.Add(time.Duration(t)).UTC(), err == nil
}

// When writes a time of the run for people: the time of day, as RFC 3339 writes it, where
// times count since 1970, else in units, see [TimeUnit.Units].
func (r *Run) When(t Time) string {
	if r.SinceEpoch(t) {
		return time.Unix(0, int64(t)).UTC().Format(time.RFC3339Nano)
	}
	return r.TimeUnit.Units(t).String()
}

// ParseWhen reads a time as [Run.When] writes it, in units or, as RFC 3339 does, in any zone.
func (r *Run) ParseWhen(s string) (Time, error) {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil || r.TimeUnit != Nanoseconds {
		return ParseTime(s)
	}
	if t := Time(at.UnixNano()); at.Year() < 2262 && r.SinceEpoch(t) {
		return t, nil
	}
	return 0, fmt.Errorf("%q is not a time of the run, expected one from 1980 to 2261", s)
}

// SinceEpoch reports whether a time of the run counts since 1970, as that of a clock of the
// wall does.
func (r *Run) SinceEpoch(t Time) bool { return r.TimeUnit == Nanoseconds && t >= sinceEpoch }

// End says why a run's record ends.
type End string

// The ends of a run.
const (
	// Quiescent: no message in flight to a live process and no timer armed.
	Quiescent End = "quiescent"
	// Stopped: the record ends while more could have happened.
	Stopped End = "stopped"
	// Deadline: a limit of time or events was reached.
	Deadline End = "deadline"
	// Open: still being recorded, or its recorder died.
	Open End = "recording"
)

var ends = []End{Quiescent, Stopped, Deadline, Open}

var timeUnits = []TimeUnit{Delays, Nanoseconds, Logical}

// ParseEnd returns the end of that name.
func ParseEnd(s string) (End, error) { return oneOf("end", s, ends) }

// ParseTimeUnit returns the time unit of that name.
func ParseTimeUnit(s string) (TimeUnit, error) { return oneOf("time unit", s, timeUnits) }

func oneOf[T ~string](what, s string, known []T) (T, error) {
	if slices.Contains(known, T(s)) {
		return T(s), nil
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return "", text.Unknown(what, s, names)
}

// LoopNote is the type of the note that ends a run whose whole global state
// has occurred before. Its payload is {"from": seq, "to": seq}: after both
// events the global state is the same, so a deterministic run repeats the
// events after the first forever (stem 1..from, cycle from+1..to). With a key "shift" the
// states are the same but for that number, which is added to all [Run.Counters] in each round.
const LoopNote = "loop"

// Recording is a run together with its events, wherever they are kept.
type Recording interface {
	Run() *Run
	// Events yields the events with seq >= from in order. The event is lent: the next step of
	// the loop overwrites it, payload and all, and [Event.Clone] keeps a copy. After an error the
	// stream ends.
	Events(from Seq) iter.Seq2[*Event, error]
}

// Sources of runs.
const (
	// Simulated is the source of runs that etrace has simulated.
	Simulated = "simulated"
	// Recorded is the source of runs that a program recorded of itself.
	Recorded = "recorded"
	// Mapped is the source of runs made of the lines of a log by a mapping.
	Mapped = "map"
)

// Imported reports whether etrace has made the run of a foreign log. Then the order of the
// events of a process is that of its lines, and the Lamport clocks are computed.
func (r *Run) Imported() bool {
	return r.Source != "" && r.Source != Simulated && r.Source != Recorded && strings.HasPrefix(r.Tool, "etrace ")
}

// RecordsAll reports whether what the run does not record did not happen: so it is in a
// simulated run that does not say otherwise, where every message, vote, timer and variable
// is in the events, and in a recording that says so. What another one lacks proves nothing.
func (r *Run) RecordsAll() bool {
	if r.Completeness == nil {
		return r.Source == Simulated
	}
	return r.Completeness.Whole()
}

// RepairedText says in words what a repair has changed, "" for a run as it was recorded.
func (r *Run) RepairedText() string {
	var all int64
	var rules []string
	for _, rule := range slices.Sorted(maps.Keys(r.Repaired)) {
		all += r.Repaired[rule]
		rules = append(rules, fmt.Sprintf("%s %d", text.Printable(rule), r.Repaired[rule]))
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%s by etrace lint --repair (%s)", text.Counted(all, "change", "changes"), strings.Join(rules, ", "))
}

// ProcessName returns the name of p, "" for 0 or a process out of range.
func (r *Run) ProcessName(p ProcessID) string {
	if p < 1 || int(p) > len(r.Members) {
		return ""
	}
	return r.Members[p-1].Name
}

// Process returns the process of that name.
func (r *Run) Process(name string) (ProcessID, bool) {
	for i := range r.Members {
		if r.Members[i].Name == name {
			return ProcessID(i + 1), true
		}
	}
	return 0, false
}

// ProcessValue returns the process that the JSON value of a variable names:
// its name as a string or, when the name is one, as a number. null and values
// that name no process give 0 and false.
func (r *Run) ProcessValue(value []byte) (ProcessID, bool) {
	if len(value) > 0 && value[0] == '"' {
		var name string
		if json.Unmarshal(value, &name) != nil {
			return 0, false
		}
		return r.Process(name)
	}
	if !plainInteger(string(value)) {
		return 0, false
	}
	return r.Process(string(value))
}

// AppendProcess appends the JSON value that names p: a number if its name is
// an integer in plain form, else a string; null for no process.
func (r *Run) AppendProcess(dst []byte, p ProcessID) []byte {
	name := r.ProcessName(p)
	switch {
	case p == 0:
		return append(dst, "null"...)
	case plainInteger(name):
		return append(dst, name...)
	}
	return AppendString(dst, name)
}

// plainInteger reports whether s is a JSON integer in the one form that
// strconv writes, so that the number and the name are the same bytes.
func plainInteger(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == s
}

// Validate reports the first thing that is wrong with the description.
func (r *Run) Validate() error {
	for _, text := range [...]struct{ what, value string }{
		{"name", r.Name},
		{"algorithm", r.Algorithm},
		{"problem", r.Problem},
		{"source", r.Source},
		{"start", r.StartedAt},
		{"tool", r.Tool},
	} {
		if !utf8.ValidString(text.value) {
			return fmt.Errorf("the %s of the run is not UTF-8", text.what)
		}
	}
	seen := make(map[string]bool, len(r.Members))
	for i, m := range r.Members {
		switch {
		case m.Name == "":
			return fmt.Errorf("process %d has no name", i+1)
		case !utf8.ValidString(m.Name):
			return fmt.Errorf("the name of process %d is not UTF-8", i+1)
		case seen[m.Name]:
			return fmt.Errorf("two processes are named %s", text.Quote(m.Name))
		case m.Attributes != nil && !isObject(m.Attributes):
			return fmt.Errorf("the attributes of process %q are not a JSON object", text.Short(m.Name, 65))
		}
		seen[m.Name] = true
	}
	if _, err := ParseTimeUnit(string(r.TimeUnit)); err != nil {
		return err
	}
	if _, err := ParseEnd(string(r.End)); err != nil {
		return err
	}
	if r.Scenario != nil && !isObject(r.Scenario) {
		return fmt.Errorf("the scenario is not a JSON object")
	}
	for rule, n := range r.Repaired {
		if rule == "" || !utf8.ValidString(rule) || n < 1 {
			return fmt.Errorf(`"repaired": expected rules of lint with numbers of changes above 0`)
		}
	}
	if err := r.validateCompleteness(); err != nil {
		return err
	}
	return r.validateTraits()
}

func isObject(b []byte) bool {
	valid, _ := validObject(b)
	return valid && utf8.Valid(b)
}
