package printer

import (
	"bufio"
	"encoding/json"
	"io"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text/document"
)

// JSONVersion is the format mark of the output of [NewJSON]:
//
//	{"format": "etrace.replay/1", "runs": [
//	  {"run": 1, "events": 60, "state": {STATE}},
//	  {"run": 2, "events": 60, "complete": {...}, "steps": [{STEP}, ...]}]}
//
// with the completeness of the run unless it is complete, a state for --at, and steps for --steps, --find,
// --past and --watch. Times are in units, values of variables are as in the trace, and absent things are left out. In an
// incomplete recording a variable with an unknown value is null, and other uncertain facts have "sure": false.
const JSONVersion = "etrace.replay/1"

// NewJSON returns a printer for programs.
func NewJSON(w io.Writer) Printer { return &jsonPrinter{w: bufio.NewWriter(w)} }

// jsonPrinter prints runs as one JSON document.
type jsonPrinter struct {
	w     *bufio.Writer
	runs  int
	steps int // number of steps printed of the run; -1 before the list of steps begins
	words *replay.Sentences
}

// Begin closes the previous run and opens the object of the next.
func (j *jsonPrinter) Begin(run *tracefmt.Run) error {
	lead := "},\n"
	if j.runs == 0 {
		lead = `{"format":"` + JSONVersion + `","runs":[` + "\n"
	} else {
		lead = j.close() + lead
	}
	j.runs, j.steps, j.words = j.runs+1, -1, replay.NewSentences(run)
	if err := j.write(lead+`{"run":`, run.Number, `,"events":`, run.Events); err != nil || run.RecordsAll() {
		return err
	}
	return j.write(`,"complete":`, run.Completeness)
}

// Step appends an event to the list of steps, which the first step opens.
func (j *jsonPrinter) Step(_ *tracefmt.Run, e *tracefmt.Event, changes []replay.Change) error {
	lead := ",\n"
	if j.steps < 0 {
		lead, j.steps = `,"steps":[`+"\n", 0
	}
	j.steps++
	return j.write(lead, NewStep(j.words, e, changes))
}

// Missing prints nothing: the completeness of the run is beside its number.
func (j *jsonPrinter) Missing(string) error { return nil }

func (j *jsonPrinter) State(c *replay.Cursor) error { return j.write(`,"state":`, stateJSON(c)) }

// Nothing prints an empty list of steps.
func (j *jsonPrinter) Nothing(string) error {
	j.steps = 0
	return j.write(`,"steps":[`)
}

// End closes all open lists and objects.
func (j *jsonPrinter) End() error {
	if err := j.write(j.close() + "}]}\n"); err != nil {
		return err
	}
	return j.w.Flush()
}

// close ends the list of steps, if there is one.
func (j *jsonPrinter) close() string {
	if j.steps < 0 {
		return ""
	}
	return "]"
}

// write writes strings as they are, and all other values as JSON.
func (j *jsonPrinter) write(parts ...any) error {
	for _, part := range parts {
		text, ok := part.(string)
		if !ok {
			b, err := json.Marshal(part)
			if err != nil {
				return err
			}
			text = string(b)
		}
		if _, err := j.w.WriteString(text); err != nil {
			return err
		}
	}
	return nil
}

// stateJSON returns the object of the state at the cursor. The event before the first is null;
// "more_messages" is true if messages may be in flight whose send is not recorded.
func stateJSON(c *replay.Cursor) document.Object {
	run, s := c.Run(), c.State()
	var event *Step
	if e := c.Event(); e != nil {
		event = NewStep(replay.NewSentences(run), e, c.Changes())
	}
	processes := []document.Object{}
	for i := range run.Members {
		processes = append(processes, processJSON(c, tracefmt.ProcessID(i+1)))
	}
	channels := document.List(s.Channels(), func(ch replay.Channel) document.Object {
		messages := []document.Object(nil)
		for _, f := range ch.Flights {
			messages = append(messages, document.Object{
				"message", f.Message,
				"type", f.Type,
				"sent", f.Sent,
				"sent_at", number(run, f.SentAt),
				"payload?", raw(string(f.Payload())),
				"sure?", falseIfUncertain(!s.DoubtfulFlight(f)),
			})
		}
		return document.Object{"from", run.ProcessName(ch.From), "to", run.ProcessName(ch.To), "messages", messages}
	})
	return document.Object{
		"seq", c.Seq(), "event", event, "processes", processes, "channels", channels,
		"more_messages?", s.MoreFlights(),
	}
}

// processJSON returns the object of the state of one process. Variables with an unknown value are null, and
// listed under "not_known" with the last recorded value.
func processJSON(c *replay.Cursor, p tracefmt.ProcessID) document.Object {
	s := c.State()
	process := s.Process(p)
	incarnation := process.Incarnation
	if incarnation <= 1 {
		incarnation = 0
	}
	variables := map[string]json.RawMessage{}
	for _, name := range s.Variables(p) {
		value, _ := s.Variable(p, name)
		variables[name] = raw(string(value))
	}
	var notKnown []document.Object
	for _, name := range c.Variables() {
		if s.Doubtful(p, name) {
			notKnown = append(notKnown, document.Object{
				"variable", name, "recorded?", variables[name], "seq?",
				s.AssignedAt(p, name),
			})
			variables[name] = json.RawMessage("null")
		}
	}
	timers := document.List(s.Timers(p), func(t replay.Timer) document.Object {
		var due *json.Number
		if t.Known {
			n := number(c.Run(), t.Due)
			due = &n
		}
		return document.Object{
			"name", t.Name, "set", t.Set, "due", due, "sure?",
			falseIfUncertain(!s.DoubtfulTimer(p, t)),
		}
	})
	var vector replay.Vector // absent in runs of more than 64 processes
	if clocks := c.Clocks(); clocks != nil && clocks.Incomplete() == "" {
		vector = clocks.At(p)
	}
	return document.Object{
		"process", c.Run().ProcessName(p),
		"status", process.Shown().String(),
		"sure?", falseIfUncertain(!s.DoubtfulStatus(p)),
		"inferred?", process.Inferred,
		"incarnation?", incarnation,
		"since?", process.Since,
		"variables", variables,
		"not_known?", notKnown,
		"timers", timers,
		"more_timers?", s.MoreTimers(p),
		"lamport?", process.Lamport,
		"vector?", vector,
	}
}
