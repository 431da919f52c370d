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

// Run describes one run without its events. Times of day and similar data are empty in simulated runs, so that
// equal runs are equal bytes.
type Run struct {
	// Number is the number of the run in its trace, from 1; 0 outside a trace. The text twin does not contain
	// it.
	Number int
	Name   string
	// Algorithm is the algorithm's name, "" when unknown.
	Algorithm string
	// Problem is the problem that the algorithm solves, one of [Problems]; "" if unknown. It decides which
	// properties apply.
	Problem string
	// Source is the origin of the run: "simulated", "recorded", or the name of the foreign format.
	Source string
	// Scenario is the JSON object that re-creates a simulated run, or nil.
	Scenario []byte
	// Seed is the seed of the random choices; nil if unknown.
	Seed    *int64
	Members []Member
	// TimeUnit is the meaning of Event.Time.
	TimeUnit TimeUnit
	// StartedAt is RFC 3339 wall time, "" when unknown or simulated.
	StartedAt string
	// Tool names the recorder and its version.
	Tool string
	// Traits are the promises of the run and of its algorithm: words of [Traits], or of third-party properties.
	// nil without promises.
	Traits []string
	// Best defines the best process of an election: the process with the greatest values of these keys, in
	// order. Each key is the name of an attribute of the members, otherwise of a variable, or "id"; see
	// [Run.BestKeys]. It is nil if any process may win, or if the traits define the best.
	Best []string
	// Counters are the paths of numbers whose order and differences alone matter to the algorithm, such as ballots
	// and logical clocks: clock, promised.counter, PREPARE:ballot.counter. The path of a variable begins with
	// its name, that of a message with its type and a colon. .name is a field of an object; [] is every item of
	// an array, and every value of an object used as a map. Counters are a promise: if the state recurs with
	// the same number added to all of them, the run repeats forever, see [LoopNote]. nil without counters.
	Counters []string
	// Basic are the message types of the base computation, whose termination is detected or whose state is
	// recorded. nil if not stated.
	Basic []string
	// Token are the message types that carry the token of the run, which must be unique. nil if not stated.
	Token []string
	// Bounds are the bounds on the messages of the run; nil if not stated.
	Bounds []Bound
	// Completeness declares which events are recorded; nil without a declaration, see [Coverage].
	Completeness *Completeness
	// Repaired is the number of changes that a repair made, by the violated rule of lint; nil for an unrepaired
	// run.
	Repaired map[string]int64
	// Slice is true of a part of a run made by etrace slice: the events for one shard of a plan, with their
	// original seqs and causes. Missing events did happen, so a slice must not be judged like a run; see
	// [ErrSlice].
	Slice bool
	// Surveyed has the facts on the whole run that etrace slice found, in the last line of a slice; nil if the slice lacks it.
	// A [NewLineDecoder] has it of all such lines, in lines.
	Surveyed json.RawMessage
	// End and Events are known when the run is complete; before, End is Open.
	End    End
	Events int64
	// InferredGaps are the gaps that inferred events show; nil if they are not known, see [WithInferredGaps].
	InferredGaps []Gap
}

// Mutant returns the mutant that made a simulated run: an intentional fault, named by the parameter mutant of
// its scenario. It returns "" for the correct algorithm, or if the run names no mutant.
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

// Titled returns a name of the run or of its algorithm for titles, with the mutant: "raft (mutant
// votes-twice)". "" stays unchanged.
func (r *Run) Titled(name string) string {
	if mutant := r.Mutant(); mutant != "" && name != "" {
		return name + " (mutant " + mutant + ")"
	}
	return name
}

// Member is one process of a run.
type Member struct {
	// Name is the name given by the user, unique in the run.
	Name string
	// Position is the position in the ring order, from 1.
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
	// Logical: no clock is known; 1e9 is one tick of the Lamport clock. Runs written by hand count ticks as 1,
	// 2, 3, ..., see [TimeUnit.Units].
	Logical TimeUnit = "logical"
)

// Units converts a time such that [Unit] is one unit, as [Time.String] writes it. Ticks have no parts, so
// logical times below one are ticks.
func (u TimeUnit) Units(t Time) Time {
	if u == Logical && -Unit < t && t < Unit {
		return t * Unit
	}
	return t
}

// sinceEpoch is the earliest time that is interpreted as time since 1970: the year 1980.
const sinceEpoch Time = 315_532_800 * Unit

// Wall returns the time of day of a time. It is known for runs in nanoseconds: times of 1980 or later count
// since 1970, others since [Run.StartedAt], if the run has it.
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

// When writes a time of the run for people: the time of day in RFC 3339 if times count since 1970, otherwise in
// units, see [TimeUnit.Units].
func (r *Run) When(t Time) string {
	if r.SinceEpoch(t) {
		return time.Unix(0, int64(t)).UTC().Format(time.RFC3339Nano)
	}
	return r.TimeUnit.Units(t).String()
}

// ParseWhen reads a time as written by [Run.When], in units or in RFC 3339 with any zone.
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

// SinceEpoch reports whether a time of the run counts since 1970, like a wall clock.
func (r *Run) SinceEpoch(t Time) bool { return r.TimeUnit == Nanoseconds && t >= sinceEpoch }

// End is the reason why the record of a run ends.
type End string

// The ends of a run.
const (
	// Quiescent: no message is in flight to a live process, and no timer is armed.
	Quiescent End = "quiescent"
	// Stopped: the record ends while more could happen.
	Stopped End = "stopped"
	// Deadline: a limit of time or events was reached.
	Deadline End = "deadline"
	// Open: the run is still being recorded, or its recorder died.
	Open End = "recording"
)

var ends = []End{Quiescent, Stopped, Deadline, Open}

var timeUnits = []TimeUnit{Delays, Nanoseconds, Logical}

// ParseEnd returns the end with the given name.
func ParseEnd(s string) (End, error) { return oneOf("end", s, ends) }

// ParseTimeUnit returns the time unit with the given name.
func ParseTimeUnit(s string) (TimeUnit, error) { return oneOf("time unit", s, timeUnits) }

// oneOf returns the text as one of the known words. It fails for any other text; category names the words in the
// error.
func oneOf[T ~string](category, s string, known []T) (T, error) {
	if slices.Contains(known, T(s)) {
		return T(s), nil
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return "", text.Unknown(category, s, names)
}

// LoopNote is the type of the note that ends a run whose global state has occurred before. Its payload is
// {"from": seq, "to": seq}: the global state after both events is the same. So a deterministic run repeats the
// events after the first forever (stem 1..from, cycle from+1..to). With a key "shift" the states are equal
// except that this number is added to all [Run.Counters] in each round.
const LoopNote = "loop"

// Recording is a run together with its events, wherever they are kept.
type Recording interface {
	Run() *Run
	// Events yields the events with seq >= from in order. The event is valid until the next step of the loop;
	// [Event.Clone] copies it. After an error the stream ends.
	Events(from Seq) iter.Seq2[*Event, error]
}

// Sources of runs.
const (
	// Simulated is the source of runs that etrace has simulated.
	Simulated = "simulated"
	// Recorded is the source of runs that a program recorded itself.
	Recorded = "recorded"
	// Mapped is the source of runs made from log lines by a mapping.
	Mapped = "map"
)

// Imported reports whether etrace made the run from a foreign log. Then the order of the events of a process is
// that of its lines, and the Lamport clocks are computed.
func (r *Run) Imported() bool {
	return r.Source != "" && r.Source != Simulated && r.Source != Recorded && strings.HasPrefix(r.Tool, "etrace ")
}

// RecordsAll reports whether unrecorded events did not happen: [Run.DeclaresAll], and no inferred event is known to show
// a gap.
func (r *Run) RecordsAll() bool { return len(r.InferredGaps) == 0 && r.DeclaresAll() }

// DeclaresAll reports whether the header declares that unrecorded events did not happen. This holds for a simulated run
// without a declaration, whose events include every message, vote, timer and variable, and for a recording that
// declares it. The absence of events in another recording proves nothing.
func (r *Run) DeclaresAll() bool {
	if r.Completeness == nil {
		return r.Source == Simulated
	}
	return r.Completeness.Whole()
}

// RepairedText describes the changes of a repair, "" for an unrepaired run.
func (r *Run) RepairedText() string {
	var total int64
	var rules []string
	for _, rule := range slices.Sorted(maps.Keys(r.Repaired)) {
		total += r.Repaired[rule]
		rules = append(rules, fmt.Sprintf("%s %d", text.Printable(rule), r.Repaired[rule]))
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("%s by etrace lint --repair (%s)", text.Counted(total, "change", "changes"), strings.Join(rules, ", "))
}

// ProcessName returns the name of p, "" for 0 or a process out of range.
func (r *Run) ProcessName(p ProcessID) string {
	if p < 1 || int(p) > len(r.Members) {
		return ""
	}
	return r.Members[p-1].Name
}

// Process returns the process with the given name.
func (r *Run) Process(name string) (ProcessID, bool) {
	for i := range r.Members {
		if r.Members[i].Name == name {
			return ProcessID(i + 1), true
		}
	}
	return 0, false
}

// ProcessValue returns the process that the JSON value of a variable names: its name as a string or, if the
// name is a number, as a number. null and values that name no process give 0 and false.
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

// AppendProcess appends the JSON value that names p: a number if its name is an integer in plain form,
// otherwise a string; null for no process.
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

// plainInteger reports whether s is a JSON integer in the form of strconv, so that number and name are the same
// bytes.
func plainInteger(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == s
}

// Validate returns the first mistake in the description.
func (r *Run) Validate() error {
	for _, text := range [...]struct{ name, value string }{
		{"name", r.Name},
		{"algorithm", r.Algorithm},
		{"problem", r.Problem},
		{"source", r.Source},
		{"start", r.StartedAt},
		{"tool", r.Tool},
	} {
		if !utf8.ValidString(text.value) {
			return fmt.Errorf("the %s of the run is not UTF-8", text.name)
		}
	}
	// Events refer to members by number, and texts by name, so names must be unique.
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

// isObject reports whether b is one JSON object in UTF-8.
func isObject(b []byte) bool {
	valid, _ := validObject(b)
	return valid && utf8.Valid(b)
}
