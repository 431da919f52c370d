package printer

import (
	"bufio"
	"encoding/json"
	"io"

	"etrace/replay"
	"etrace/tracefmt"
)

// JSONVersion is the version mark of what [NewJSON] prints:
//
//	{"format": "etrace.replay/1", "runs": [
//	  {"run": 1, "events": 60, "state": {STATE}},
//	  {"run": 2, "events": 60, "complete": {...}, "steps": [{STEP}, ...]}]}
//
// with what the run tells, if that is not everything, a state for --at, and steps for --steps, --find and --watch. Times are
// in units, values of variables are as in the trace, and what is not there is
// left out. Where the run does not tell everything, a variable whose value is not known is
// null, and what else is not known has "sure": false.
const JSONVersion = "etrace.replay/1"

// NewJSON returns a printer for programs.
func NewJSON(w io.Writer) Printer { return &jsonPrinter{w: bufio.NewWriter(w)} }

type jsonPrinter struct {
	w     *bufio.Writer
	runs  int
	steps int // of the run
	words *replay.Sentences
}

type jsonState struct {
	Seq tracefmt.Seq `json:"seq"`
	// Event is the last event, null before the first.
	Event     *Step         `json:"event"`
	Processes []jsonProcess `json:"processes"`
	Channels  []jsonChannel `json:"channels"`
	// More: messages may be in flight whose send is not recorded.
	More bool `json:"more_messages,omitempty"`
}

type jsonProcess struct {
	Process string `json:"process"`
	Status  string `json:"status"`
	Sure    *bool  `json:"sure,omitempty"`
	// Inferred: the event that gave the status was guessed.
	Inferred bool `json:"inferred,omitempty"`
	// Incarnation is which time the process runs, left out of the first.
	Incarnation int64 `json:"incarnation,omitempty"`
	// Since is the event that gave the status.
	Since     tracefmt.Seq               `json:"since,omitempty"`
	Variables map[string]json.RawMessage `json:"variables"`
	// NotKnown are the variables that are null, with what was recorded of them last.
	NotKnown []jsonVariable `json:"not_known,omitempty"`
	Timers   []jsonTimer    `json:"timers"`
	// More: timers may be armed whose set-timer is not recorded.
	More bool `json:"more_timers,omitempty"`
	// Lamport is left out where no clock is recorded.
	Lamport int64 `json:"lamport,omitempty"`
	// Vector is the vector clock; absent in runs of more than 64 processes.
	Vector replay.Vector `json:"vector,omitempty"`
}

type jsonVariable struct {
	Variable string          `json:"variable"`
	Recorded json.RawMessage `json:"recorded,omitempty"`
	// Seq is the event that gave it, or left it without a value; absent for none.
	Seq tracefmt.Seq `json:"seq,omitempty"`
}

type jsonTimer struct {
	Name string       `json:"name"`
	Set  tracefmt.Seq `json:"set"`
	Due  *json.Number `json:"due"`
	Sure *bool        `json:"sure,omitempty"`
}

type jsonChannel struct {
	From     string       `json:"from"`
	To       string       `json:"to"`
	Messages []jsonFlight `json:"messages"`
}

type jsonFlight struct {
	Message tracefmt.MessageID `json:"message"`
	Type    string             `json:"type"`
	Sent    tracefmt.Seq       `json:"sent"`
	SentAt  json.Number        `json:"sent_at"`
	Payload json.RawMessage    `json:"payload,omitempty"`
	Sure    *bool              `json:"sure,omitempty"`
}

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

func (j *jsonPrinter) Step(_ *tracefmt.Run, e *tracefmt.Event, changes []replay.Change) error {
	lead := ",\n"
	if j.steps < 0 {
		lead, j.steps = `,"steps":[`+"\n", 0
	}
	j.steps++
	return j.write(lead, NewStep(j.words, e, changes))
}

// Missing prints nothing: what the run tells is beside its number.
func (j *jsonPrinter) Missing(string) error { return nil }

func (j *jsonPrinter) State(c *replay.Cursor) error { return j.write(`,"state":`, newState(c)) }

func (j *jsonPrinter) Nothing(string) error {
	j.steps = 0
	return j.write(`,"steps":[`)
}

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

// write prints texts as they are, and all else as JSON.
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

func newState(c *replay.Cursor) *jsonState {
	run, s := c.Run(), c.State()
	state := &jsonState{Seq: c.Seq(), Processes: []jsonProcess{}, Channels: []jsonChannel{}, More: s.MoreFlights()}
	if e := c.Event(); e != nil {
		state.Event = NewStep(replay.NewSentences(run), e, c.Changes())
	}
	for i := range run.Members {
		state.Processes = append(state.Processes, newProcess(c, tracefmt.ProcessID(i+1)))
	}
	for _, ch := range s.Channels() {
		channel := jsonChannel{From: run.ProcessName(ch.From), To: run.ProcessName(ch.To)}
		for _, f := range ch.Flights {
			channel.Messages = append(channel.Messages, jsonFlight{f.Message, f.Type, f.Sent, number(run, f.SentAt), raw(string(f.Payload())), sure(!s.DoubtfulFlight(f))})
		}
		state.Channels = append(state.Channels, channel)
	}
	return state
}

func newProcess(c *replay.Cursor, p tracefmt.ProcessID) jsonProcess {
	s := c.State()
	now := s.Process(p)
	out := jsonProcess{
		Process: c.Run().ProcessName(p), Status: now.Shown().String(), Inferred: now.Inferred, Since: now.Since, Lamport: now.Lamport, Sure: sure(!s.DoubtfulStatus(p)), More: s.MoreTimers(p),
		Variables: map[string]json.RawMessage{}, Timers: []jsonTimer{},
	}
	if now.Incarnation > 1 {
		out.Incarnation = now.Incarnation
	}
	for _, name := range s.Variables(p) {
		value, _ := s.Variable(p, name)
		out.Variables[name] = raw(string(value))
	}
	for _, name := range c.Variables() {
		if s.Doubtful(p, name) {
			out.NotKnown = append(out.NotKnown, jsonVariable{name, out.Variables[name], s.AssignedAt(p, name)})
			out.Variables[name] = json.RawMessage("null")
		}
	}
	for _, t := range s.Timers(p) {
		timer := jsonTimer{Name: t.Name, Set: t.Set, Sure: sure(!s.DoubtfulTimer(p, t))}
		if t.Known {
			due := number(c.Run(), t.Due)
			timer.Due = &due
		}
		out.Timers = append(out.Timers, timer)
	}
	if clocks := c.Clocks(); clocks != nil && clocks.Incomplete() == "" {
		out.Vector = clocks.At(p)
	}
	return out
}
