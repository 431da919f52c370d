package sim

import (
	"reflect"
	"slices"
	"strconv"

	"etrace/tracefmt"
)

// Protocol is an algorithm as the kernel runs it: the names of its messages,
// variables and timers, and a function for each thing that can happen at a
// process. All that a process remembers is in the declared variables; the
// functions keep nothing between calls. So the kernel can record every change,
// lose the state at a crash, and recognise a state that was there before.
type Protocol struct {
	// Begin is called for each process that is up at the start, before its
	// start event is recorded: it gives variables the content that they begin
	// with. It does nothing else, and assigns no variable twice. nil: all begin
	// empty, but for elected, which the config may name.
	Begin func(p *Process)
	// Start is called when the process notices that the coordinator is gone.
	Start func(p *Process)
	// Busy reports whether an election of the process's own is running: then a
	// start has no effect, and nothing is recorded. nil: it never is.
	Busy func(p *Process) bool
	// Recover is called when the process comes back with fresh variables;
	// nil does nothing.
	Recover func(p *Process)
	// Round, unless nil, is called for each process that takes part, in their
	// order, at the beginning of each round: at the instants 0, 1, 2, ... of the
	// config's length. What is sent in a round, after one unit, arrives before
	// the next one begins. Each call is recorded before it as a note, [RoundNote].
	Round func(p *Process)
	// InRounds reports whether the process takes part in the rounds to come. The
	// run ends only if no process does. nil: each one that is up does, for ever.
	InRounds func(p *Process) bool
	// Receive is called for each message that arrives.
	Receive func(p *Process, m *Message)
	// Timeout is called when a timer expires; nil if the protocol has none.
	Timeout func(p *Process, t Timer)

	messages  []messageSpec
	variables []variableSpec
	timers    []string
	marks     []markSpec
	elected   *ProcessVar
}

type messageSpec struct {
	name, doc string
	fields    []Field
	list      string // name of the list or table field, "" for none
	// words of the table that the message carries, nil if it is a list.
	words []string
}

type variableSpec struct {
	name, doc string
	kind      varKind
	words     []string
	// every: each assignment is recorded, not only each change.
	every bool
}

type varKind uint8

const (
	flagVar varKind = iota
	numberVar
	processVar
	wordVar
	processesVar
	tableVar
)

// Field declares a scalar field of a message.
type Field struct {
	name string
	kind varKind
}

// ID declares a field that holds a process.
func ID(name string) Field { return Field{name, processVar} }

// Number declares a field that holds an integer.
func Number(name string) Field { return Field{name, numberVar} }

// maxFields is how many scalar fields a message has room for.
const maxFields = 4

// MessageType names a declared message type.
type MessageType int

// Timer names a declared timer. A process may run several at a time of what is
// declared once, told apart by numbers: see [Timer.At].
type Timer int64

// timerNumberShift leaves the low half of a Timer to the declaration.
const timerNumberShift = 32

// At returns the timer of the same declaration that has the number n, from 0
// to 2^31-1. It is recorded as name#n; number 0 is the declared timer itself.
func (t Timer) At(n int64) Timer { return t.Declared() | Timer(n)<<timerNumberShift }

// Number returns the number given to At, 0 for the declared timer.
func (t Timer) Number() int64 { return int64(t >> timerNumberShift) }

// Declared returns the timer without its number.
func (t Timer) Declared() Timer { return t & (1<<timerNumberShift - 1) }

// Flag, Counter, ProcessVar, Word, Processes and Table name declared variables.
type (
	Flag       struct{ index int }
	Counter    struct{ index int }
	ProcessVar struct{ index int }
	Word       struct{ index int }
	Processes  struct{ index int }
	Table      struct{ index int }
)

// Message declares a message type with its scalar fields, in the order in
// which [Message] and [Process.Send] number them.
func (pr *Protocol) Message(name, doc string, fields ...Field) MessageType {
	if len(fields) > maxFields {
		panic("sim: message " + name + " has too many fields")
	}
	pr.messages = append(pr.messages, messageSpec{name: name, doc: doc, fields: fields})
	return MessageType(len(pr.messages) - 1)
}

// ListMessage declares a message type that also carries a list of processes.
func (pr *Protocol) ListMessage(name, doc, list string, fields ...Field) MessageType {
	t := pr.Message(name, doc, fields...)
	pr.messages[t].list = list
	return t
}

// TableMessage declares a message type that carries a copy of a table; see
// [Process.SendTable].
func (pr *Protocol) TableMessage(name, doc string, table Table, fields ...Field) MessageType {
	v := pr.variables[table.index]
	t := pr.ListMessage(name, doc, v.name, fields...)
	pr.messages[t].words = v.words
	return t
}

// Timer declares a timer.
func (pr *Protocol) Timer(name string) Timer {
	pr.timers = append(pr.timers, name)
	return Timer(len(pr.timers) - 1)
}

// Elected declares the variable of election algorithms: the coordinator as
// the process sees it. Every assignment to it is recorded.
func (pr *Protocol) Elected() ProcessVar {
	v := ProcessVar{pr.variable(variableSpec{
		name: "elected", doc: "the coordinator as this process sees it", kind: processVar, every: true,
	})}
	pr.elected = &v
	return v
}

// ProcessVar declares a variable that holds a process or none.
func (pr *Protocol) ProcessVar(name, doc string) ProcessVar {
	return ProcessVar{pr.variable(variableSpec{name: name, doc: doc, kind: processVar})}
}

// Flag declares a variable that is true or, at first, false.
func (pr *Protocol) Flag(name, doc string) Flag {
	return Flag{pr.variable(variableSpec{name: name, doc: doc, kind: flagVar})}
}

// Counter declares a variable that holds an integer, at first 0.
func (pr *Protocol) Counter(name, doc string) Counter {
	return Counter{pr.variable(variableSpec{name: name, doc: doc, kind: numberVar})}
}

// Word declares a variable that holds one of the words, at first the first.
func (pr *Protocol) Word(name, doc string, words ...string) Word {
	return Word{pr.variable(variableSpec{name: name, doc: doc, kind: wordVar, words: words})}
}

// Processes declares a variable that holds a list of processes, at first empty.
func (pr *Protocol) Processes(name, doc string) Processes {
	return Processes{pr.variable(variableSpec{name: name, doc: doc, kind: processesVar})}
}

// Table declares a variable that holds one of the words for each process of
// which something is known, at first for none. The i-th word counts from 1;
// 0 is no entry.
func (pr *Protocol) Table(name, doc string, words ...string) Table {
	return Table{pr.variable(variableSpec{name: name, doc: doc, kind: tableVar, words: words})}
}

func (pr *Protocol) variable(v variableSpec) int {
	if len(pr.variables) == 64 {
		panic("sim: more than 64 variables")
	}
	pr.variables = append(pr.variables, v)
	return len(pr.variables) - 1
}

// Describe yields name and meaning of every message, variable and timer, for
// documentation.
func (pr *Protocol) Describe() (messages, variables, timers [][2]string) {
	for _, m := range pr.messages {
		messages = append(messages, [2]string{m.signature(), m.doc})
	}
	for _, v := range pr.variables {
		variables = append(variables, [2]string{v.name, v.doc})
	}
	for _, t := range pr.timers {
		timers = append(timers, [2]string{t, ""})
	}
	return messages, variables, timers
}

// Declares reports whether the protocol declares the same messages, variables,
// timers and marks as another, in the same order: then one can go on where the
// other is.
func (pr *Protocol) Declares(other *Protocol) bool {
	return pr != nil && slices.Equal(pr.timers, other.timers) && reflect.DeepEqual(pr.messages, other.messages) &&
		reflect.DeepEqual(pr.variables, other.variables) && reflect.DeepEqual(pr.marks, other.marks)
}

// MessageNames returns the names of the declared message types.
func (pr *Protocol) MessageNames() []string {
	names := make([]string, len(pr.messages))
	for i, m := range pr.messages {
		names[i] = m.name
	}
	return names
}

func (m *messageSpec) signature() string {
	s, sep := m.name, "("
	for _, f := range m.fields {
		s, sep = s+sep+f.name, ", "
	}
	if m.list != "" {
		s, sep = s+sep+m.list, ", "
	}
	if sep == ", " {
		s += ")"
	}
	return s
}

// Message is a message as its receiver sees it.
type Message struct {
	Type   MessageType
	From   tracefmt.ProcessID
	to     tracefmt.ProcessID
	used   int // how many fields the type has; the others are 0
	fields [maxFields]int64
	list   []tracefmt.ProcessID // or a table, see Table.Get
	hash   uint64               // of the message, while it is on its way
}

// ID returns the i-th field, which holds a process.
func (m *Message) ID(i int) tracefmt.ProcessID { return tracefmt.ProcessID(m.fields[i]) }

// Number returns the i-th field, which holds an integer.
func (m *Message) Number(i int) int64 { return m.fields[i] }

// List returns the list of processes. It must not be changed.
func (m *Message) List() []tracefmt.ProcessID { return m.list }

// timerName returns the name under which a timer is recorded.
func (pr *Protocol) timerName(t Timer) string {
	name := pr.timers[t.Declared()]
	if n := t.Number(); n != 0 {
		name += "#" + strconv.FormatInt(n, 10)
	}
	return name
}

// appendValue appends a scalar as JSON.
func (k *kernel) appendValue(dst []byte, kind varKind, words []string, n int64) []byte {
	switch kind {
	case flagVar:
		return strconv.AppendBool(dst, n != 0)
	case processVar:
		return append(dst, k.names[n]...)
	case wordVar:
		return tracefmt.AppendString(dst, words[n])
	default:
		return strconv.AppendInt(dst, n, 10)
	}
}

func (k *kernel) appendList(dst []byte, list []tracefmt.ProcessID) []byte {
	dst = append(dst, '[')
	for i, p := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, k.names[p]...)
	}
	return append(dst, ']')
}

// appendTable appends a table as an object by the names of the processes.
func (k *kernel) appendTable(dst []byte, words []string, table []tracefmt.ProcessID) []byte {
	dst = append(dst, '{')
	sep := false
	for i, word := range table {
		if word == 0 {
			continue
		}
		if sep {
			dst = append(dst, ',')
		}
		sep = true
		dst = append(tracefmt.AppendString(dst, k.Members[i].Name), ':')
		dst = tracefmt.AppendString(dst, words[word-1])
	}
	return append(dst, '}')
}

// payload returns the JSON object of a message's fields, nil if it has none.
// The bytes are overwritten by the next call.
func (k *kernel) payload(m *Message) []byte {
	spec := &k.protocol.messages[m.Type]
	if len(spec.fields) == 0 && spec.list == "" {
		return nil
	}
	b := append(k.buf[:0], '{')
	for i, f := range spec.fields {
		b = appendKey(b, f.name)
		b = k.appendValue(b, f.kind, nil, m.fields[i])
	}
	if spec.list != "" {
		b = appendKey(b, spec.list)
		if spec.words != nil {
			b = k.appendTable(b, spec.words, m.list)
		} else {
			b = k.appendList(b, m.list)
		}
	}
	k.buf = append(b, '}')
	return k.buf
}

// appendKey appends a key of a declaration, which needs no escaping, behind
// a comma unless it is the first.
func appendKey(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}
