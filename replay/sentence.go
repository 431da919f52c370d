package replay

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Sentence is [Sentences.Of] one event; callers with many events of a run make [Sentences] once.
func Sentence(run *tracefmt.Run, e *tracefmt.Event) string { return NewSentences(run).Of(e) }

// Sentences puts the events of a run into words. It may be used by several
// goroutines.
type Sentences struct {
	run *tracefmt.Run
	// names returns the names of the processes, short and distinct. They depend on each other, so they are
	// computed once, when some name is too long.
	names func() []string
}

// NewSentences returns the sentences of a run.
func NewSentences(run *tracefmt.Run) *Sentences {
	return &Sentences{run, sync.OnceValue(func() []string { return text.Distinct(ShownNames(run), maxWord, nil) })}
}

// Run returns the run.
func (s *Sentences) Run() *tracefmt.Run { return s.run }

// Of returns an event in words, on one line and harmless for terminals: "4 sends ELECTION to 6", "6 elects
// itself, role = leader".
func (s *Sentences) Of(e *tracefmt.Event) string {
	say, ok := sentences[e.Kind]
	if !ok {
		return e.Kind.String()
	}
	return say(sentence{s, e})
}

// sentences describes the events of each kind.
var sentences = map[tracefmt.Kind]func(sentence) string{
	tracefmt.Start: func(t sentence) string {
		return t.subject() + " starts" + t.mark() + withLead(" with ", t.assignments())
	},
	tracefmt.Halt:  func(t sentence) string { return t.subject() + " halts" + t.mark() },
	tracefmt.Crash: func(t sentence) string { return t.subject() + " crashes" + t.mark() },
	tracefmt.Recover: func(t sentence) string {
		return t.subject() + " recovers" + t.mark() + withLead(" with ", t.assignments())
	},
	tracefmt.Send: func(t sentence) string {
		return t.subject() + " sends " + t.typed("a message") + withLead(" to ", t.peer())
	},
	tracefmt.Receive: func(t sentence) string {
		return t.subject() + " receives " + t.typed("a message") + withLead(" from ", t.peer()) + t.unsent()
	},
	tracefmt.Lose: lossText,
	tracefmt.SetTimer: func(t sentence) string {
		return t.subject() + " sets timer " + t.typ() + withLead(", due at ", t.due())
	},
	tracefmt.CancelTimer: func(t sentence) string { return t.subject() + " cancels timer " + t.typ() },
	tracefmt.Timeout:     func(t sentence) string { return "timer " + t.typ() + " of " + t.subject() + " expires" },
	tracefmt.Suspect:     func(t sentence) string { return t.subject() + " suspects " + cmp.Or(t.peer(), "a process") },
	tracefmt.Trust: func(t sentence) string {
		return t.subject() + " trusts " + cmp.Or(t.peer(), "a process") + " again"
	},
	tracefmt.State:     changeText,
	tracefmt.Invoke:    func(t sentence) string { return t.subject() + " invokes " + t.typed("an operation") },
	tracefmt.Return:    func(t sentence) string { return t.subject() + " returns from " + t.typed("an operation") },
	tracefmt.Partition: func(t sentence) string { return "the network splits" + withLead(": ", t.groups()) },
	tracefmt.Heal:      func(sentence) string { return "the network is whole again" },
	tracefmt.Note:      noteText,
}

// lossText describes the loss of a message, with its reason if that is recorded.
func lossText(t sentence) string {
	reason := ""
	if value, ok := t.e.Field("reason"); ok {
		reason = Plain(value)
	}
	return t.typed("a message") + withLead(" from ", t.peer()) + " to " + t.subject() + " is lost" + withLead(": ",
		reason) + t.unsent()
}

// unsent marks the end of a message whose send is not recorded.
func (t sentence) unsent() string {
	if t.e.Cause == 0 && !t.run.RecordsAll() {
		return " (send not recorded)"
	}
	return ""
}

// changeText describes an election as such, and other variables by their values.
func changeText(t sentence) string {
	elected := ""
	if value, ok := t.e.Field("elected"); ok {
		switch p, _ := t.run.ProcessValue(value); {
		case p == t.e.Process:
			elected = " elects itself"
		case string(value) == "null":
			elected = " forgets whom it elected"
		default:
			elected = " elects " + t.value(value)
		}
	}
	variables := t.list(func(name string) bool { return name != "elected" })
	if elected == "" {
		return t.subject() + " sets " + cmp.Or(variables, "nothing")
	}
	return t.subject() + elected + withLead(", ", variables)
}

// noteText describes a note; the note of a loop in a sentence of its own.
func noteText(t sentence) string {
	switch {
	case t.e.Type == tracefmt.LoopNote:
		from, _ := t.e.Field("from")
		again := " is reached again"
		if shift, ok := t.e.Field("shift"); ok {
			again += " except for counters, which are shifted by " + Plain(shift)
		}
		return "the global state after seq " + Plain(from) + again + ": the run is in a loop"
	case t.e.Process == 0:
		return cmp.Or(t.typed(""), "a note")
	}
	return t.subject() + withLead(": ", cmp.Or(t.typed(""), "a note"))
}

// sentence describes one event; its methods return the parts of the description.
type sentence struct {
	*Sentences
	e *tracefmt.Event
}

func (t sentence) subject() string { return cmp.Or(t.name(t.e.Process), "no process") }

func (t sentence) peer() string { return t.name(t.e.Peer) }

// mark marks an inferred event, which the system did not log.
func (t sentence) mark() string {
	if mark := t.e.Mark(); mark != "" {
		return " (" + mark + ")"
	}
	return ""
}

// name returns the name of a process, distinct from all others of the run.
func (t sentence) name(p tracefmt.ProcessID) string {
	name := text.Printable(t.run.ProcessName(p))
	// The empty name of no process is short, too.
	if len(name) <= maxWord {
		return name
	}
	return t.names()[p-1]
}

// value returns a value, or the name of the process that it names.
func (t sentence) value(value []byte) string {
	if p, ok := t.run.ProcessValue(value); ok && p > 0 {
		return t.name(p)
	}
	return Plain(value)
}

// ShownNames returns the names of the processes, harmless for terminals, by their place in the run's members.
func ShownNames(run *tracefmt.Run) []string {
	names := make([]string, len(run.Members))
	for i := range run.Members {
		names[i] = text.Printable(run.Members[i].Name)
	}
	return names
}

func (t sentence) typ() string { return word(t.e.Type) }

// typed returns the type with the fields: "ELECTION(id 5)".
func (t sentence) typed(otherwise string) string {
	var parts []string
	for key, value := range tracefmt.Fields(t.e.Payload) {
		// Keys of the trace itself are not shown. The reason of a loss has its own place in the sentence.
		if k := string(key); k != tracefmt.CausesKey && k != tracefmt.LogKey &&
			(k != "reason" || t.e.Kind != tracefmt.Lose) {
			parts = append(parts, word(string(key))+" "+t.value(value))
		}
	}
	if words, ok := t.logWords(); ok && t.e.Type == "" {
		return words
	}
	if len(parts) == 0 {
		return cmp.Or(t.typ(), otherwise)
	}
	return cmp.Or(t.typ(), otherwise) + "(" + text.Short(strings.Join(parts, ", "), maxList) + ")"
}

// logWords returns the words of the log that an event was imported from.
func (t sentence) logWords() (string, bool) {
	value, ok := logText(t.e)
	return text.Short(Plain(value), maxList), ok
}

// logText returns the JSON of the text that a log has for an event.
func logText(e *tracefmt.Event) ([]byte, bool) {
	log, _ := e.Field(tracefmt.LogKey)
	for key, value := range tracefmt.Fields(log) {
		if string(key) == "text" {
			return value, true
		}
	}
	return nil, false
}

// LogText returns the text that a log has for an event, harmless and on one line but longer than in a
// [Sentence]; "" if the event has none.
func LogText(e *tracefmt.Event) string {
	var words string
	if value, ok := logText(e); ok && json.Unmarshal(value, &words) == nil {
		return text.Short(text.Printable(words), maxList)
	}
	return ""
}

func (t sentence) assignments() string { return t.list(func(string) bool { return true }) }

// list returns the assignments of the payload whose names keep accepts: "elected = 6, role = leader".
func (t sentence) list(keep func(name string) bool) string {
	var parts []string
	for key, value := range tracefmt.Fields(t.e.Payload) {
		if k := string(key); keep(k) && k != tracefmt.CausesKey && k != tracefmt.LogKey &&
			!tracefmt.IsMark(t.e.Kind, key) {
			parts = append(parts, word(k)+" = "+t.value(value))
		}
	}
	return text.Short(strings.Join(parts, ", "), maxList)
}

// due returns the time at which the timer of the event expires; "" if it is not recorded.
func (t sentence) due() string {
	value, _ := t.e.Field("due")
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return ""
	}
	return t.run.When(tracefmt.Time(n))
}

// groups writes {"groups":[["1","2"],["3"]]} as "1 2 | 3".
func (t sentence) groups() string {
	var payload struct{ Groups [][]any }
	if json.Unmarshal(t.e.Payload, &payload) != nil {
		return ""
	}
	var parts []string
	for _, group := range payload.Groups {
		var names []string
		for _, member := range group {
			if b, err := json.Marshal(member); err == nil {
				names = append(names, Plain(b))
			}
		}
		parts = append(parts, strings.Join(names, " "))
	}
	return text.Short(strings.Join(parts, " | "), maxList)
}

// withLead returns the text after lead; "" for an empty text.
func withLead(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}

// The most characters of one name or value, and of a list of them, in a sentence.
const (
	maxWord = 40
	maxList = 160
)

// Plain returns a JSON value as people write it, on one line, harmless and truncated for a sentence: strings
// without quotes, null as none.
func Plain(value []byte) string {
	var text string
	switch {
	case len(value) == 0 || string(value) == "null":
		return "none"
	case value[0] == '"' && json.Unmarshal(value, &text) == nil:
		return word(text)
	}
	return word(string(value))
}

func word(s string) string { return text.Short(text.Printable(s), maxWord) }
