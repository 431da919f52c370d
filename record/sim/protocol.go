package sim

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Protocol is an algorithm in the form that the kernel runs: its variables, messages, timers, notes and
// operations, each declared with a Go type, and a function for each thing that can happen at a process. The
// declared variables are the whole memory of a process; the functions keep nothing between calls. So the kernel
// can record every change, lose the state at a crash, and recognise a state that recurs. A finished protocol
// does not change, and runs may share it.
type Protocol struct {
	// Begin is called for each process that is up when the run begins, before its start event is recorded. It gives
	// variables their initial values, each once, and must not do anything else. If it is nil, all variables are empty,
	// except elected, which the config may set.
	Begin func(p *Process)
	// Wake is called for each process that is up when the run begins, in their order, after all have begun and before
	// anything else happens. It arms the first timers and sends the first tokens. Its step belongs to the start event.
	// If it is nil, no process takes a step before it is started or gets a message.
	Wake func(p *Process)
	// Start is called when the scenario starts the process: it begins an election, a request, or the like. If it is
	// nil, starts have no effect.
	Start func(p *Process)
	// Starts reports whether a start of p, of processes 1 to last, ever has an effect: a start of a client may have
	// one, and a start of a server has none. If it is nil, each start may have one. See [Protocol.CanStart].
	Starts func(p, last tracefmt.ProcessID) bool
	// Busy reports whether a start has no effect now, though it may have one at another time; then nothing is
	// recorded. If it is nil, each start has an effect.
	Busy func(p *Process) bool
	// Recover is called when the process recovers, with initial variables except the stable ones; it may be nil.
	Recover func(p *Process)
	// Round, unless nil, is called for each participant, in their order, at the beginning of each round: at
	// the instants 0, 1, 2, ... of the config's length. A message of a round takes one unit, so it arrives
	// before the next round. Each call is preceded by the note [RoundNote].
	Round func(p *Process)
	// InRounds reports whether the process participates in further rounds. The run ends when no process does. If it is
	// nil, each process that is up participates forever.
	InRounds func(p *Process) bool
	// Timeout is called when a timer expires; nil if the protocol has none.
	Timeout func(p *Process, t Timer)
	// Draws is true if processes draw numbers, see [Process.Draw]: the run is one of several possible runs of its plan.
	Draws bool

	variables  []*variableSpec
	messages   []*messageSpec
	timers     []string
	notes      []*noteSpec
	operations []*operationSpec
	elected    *Elected
}

// Timer names a declared timer. A process may run several timers of one declaration at a time, with different
// numbers: see [Timer.At].
type Timer int64

// timerNumberShift is the number of bits of a Timer for its declaration.
const timerNumberShift = 32

// At returns the timer of the same declaration that has the number n, from 0
// to 2^31-1. It is recorded as name#n; number 0 is the declared timer itself.
func (t Timer) At(n int64) Timer { return t.Declared() | Timer(n)<<timerNumberShift }

// Number returns the number given to At, 0 for the declared timer.
func (t Timer) Number() int64 { return int64(t >> timerNumberShift) }

// Declared returns the timer without its number.
func (t Timer) Declared() Timer { return t & (1<<timerNumberShift - 1) }

// Timer declares a timer.
func (pr *Protocol) Timer(name string) Timer {
	checkName("timer "+name, name)
	pr.timers = append(pr.timers, name)
	return Timer(len(pr.timers) - 1)
}

// timerName returns the name under which a timer is recorded.
func (pr *Protocol) timerName(t Timer) string {
	name := pr.timers[t.Declared()]
	if n := t.Number(); n != 0 {
		name += "#" + strconv.FormatInt(n, 10)
	}
	return name
}

// timer returns the timer of a recorded name, such as answer or answer#2.
func (pr *Protocol) timer(name string) (Timer, error) {
	declared, number, numbered := strings.Cut(name, "#")
	i := slices.Index(pr.timers, declared)
	n := int64(0)
	if numbered {
		var err error
		n, err = strconv.ParseInt(number, 10, 32)
		if err != nil || n < 1 {
			i = -1
		}
	}
	if i < 0 {
		return 0, text.Unknown("timer", name, pr.timers)
	}
	return Timer(i).At(n), nil
}

// Describe returns the names and meanings of all messages, variables and timers, for documentation.
func (pr *Protocol) Describe() (messages, variables, timers [][2]string) {
	for _, m := range pr.messages {
		messages = append(messages, [2]string{m.signature(), m.doc})
	}
	for _, v := range pr.variables {
		variables = append(variables, [2]string{v.recordedName(), v.doc})
	}
	for _, t := range pr.timers {
		timers = append(timers, [2]string{t, ""})
	}
	return messages, variables, timers
}

// DescribeHistory returns kind, name with fields, and meaning of every note, and of every operation and its
// return, for documentation.
func (pr *Protocol) DescribeHistory() (events [][3]string) {
	for _, n := range pr.notes {
		events = append(events, [3]string{tracefmt.Note.String(), n.signature(), n.doc})
	}
	for _, o := range pr.operations {
		events = append(events, [3]string{tracefmt.Invoke.String(), o.arguments.signature(), o.arguments.doc},
			[3]string{tracefmt.Return.String(), o.results.signature(), o.results.doc})
	}
	return events
}

// Declares reports whether the protocol declares the same messages, variables, timers, notes and operations as
// another one, in the same order. Then a run can switch from one to the other.
func (pr *Protocol) Declares(successor *Protocol) bool {
	return pr != nil && slices.Equal(pr.timers, successor.timers) &&
		slices.EqualFunc(pr.variables, successor.variables, func(v, w *variableSpec) bool {
			return v.declared == w.declared && v.options == w.options
		}) &&
		slices.EqualFunc(pr.messages, successor.messages, func(m, n *messageSpec) bool { return m.declared == n.declared }) &&
		slices.EqualFunc(pr.notes, successor.notes, func(m, n *noteSpec) bool { return m.declared == n.declared }) &&
		slices.EqualFunc(pr.operations, successor.operations, func(o, q *operationSpec) bool {
			return o.arguments.declared == q.arguments.declared && o.results.declared == q.results.declared
		})
}

// MessageNames returns the names of the declared message types.
func (pr *Protocol) MessageNames() []string {
	names := make([]string, len(pr.messages))
	for i, m := range pr.messages {
		names[i] = m.name
	}
	return names
}

// declared is the common part of all declarations.
type declared struct {
	name, doc string
	typ       reflect.Type
}

// payload is the declaration of a message, a note or an operation, with its fields.
type payload struct {
	declared
	*recordCodec
}

// declarePayload returns the declaration of a thing with the fields of the struct T. It panics for a name or
// type that cannot be recorded.
func declarePayload[T any](thing, name, doc string) payload {
	thing += " " + name
	checkName(thing, name)
	return payload{declared{name, doc, reflect.TypeFor[T]()}, recordOf[T](thing)}
}

// signature returns the name with the names of the fields.
func (d *payload) signature() string {
	s, sep := d.name, "("
	for i := range d.fields {
		s, sep = s+sep+d.fields[i].name, ", "
	}
	if sep == ", " {
		s += ")"
	}
	return s
}
