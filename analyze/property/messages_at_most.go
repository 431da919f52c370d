package property

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/replay"
	"etrace/tracefmt"
)

var messagesAtMost = withArgument(analyze.Property{
	Name: "messages-at-most",
	Kind: analyze.Safety,
	Doc: `The run sends at most so many messages.

The bound is a formula over n, the number of processes of the run, those that are
down included and clients, controllers, observers and learners left out, in the language of budgets: messages-at-most(3*n-1). Every send
counts, also to a process that is down. A run that ends in a proven loop in which
messages are sent exceeds every bound. The property is vacuous where nothing is
sent.`,
	Needs:    "send events",
	Convicts: analyze.Facts("send"),
	Source:   "Attiya and Welch, Distributed Computing, 2.1.2: message complexity",
	Argument: "a formula over n, such as 3*n-1",
}, parseFormula, func(_ *tracefmt.Run, formula *complexity.Formula) analyze.Monitor {
	return &sendMonitor{shown: make(map[tracefmt.MessageID]bool), limit: func(s *replay.State) (limit, error) {
		return newLimit(formula, map[string]any{"n": s.Run.Size()})
	}}
})

// parseFormula accepts a formula that gives a number.
func parseFormula(text string) (*complexity.Formula, error) {
	example := map[string]any{"n": 1}
	formula, err := complexity.ParseFormula(text, example)
	if err == nil {
		_, err = newLimit(formula, example)
	}
	return formula, err
}

// newLimit evaluates a formula, which must give a number.
func newLimit(formula *complexity.Formula, values map[string]any) (limit, error) {
	value, err := formula.Evaluate(values)
	if err != nil {
		return limit{}, err
	}
	switch x := value.(type) {
	case int:
		return limit{float64(x), formula.String(), values, countings[""]}, nil
	case float64:
		if !math.IsNaN(x) {
			return limit{x, formula.String(), values, countings[""]}, nil
		}
	}
	return limit{}, fmt.Errorf("formula %q: expected a number, got %v", formula, value)
}

// limit is a bound on the number of sends, and where it comes from.
type limit struct {
	most    float64
	formula string
	values  map[string]any // of the names in the formula, and others
	counting
}

// formulaNames finds the names in a formula.
var formulaNames = regexp.MustCompile(`[a-z]\w*`)

// String is the bound, with its formula and the values that it is made of.
func (l limit) String() string {
	number := strconv.FormatFloat(l.most, 'f', -1, 64)
	var parts []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(formulaNames.FindAllString(l.formula, -1)))) {
		if value, ok := l.values[name]; ok {
			parts = append(parts, fmt.Sprintf("%s = %v", name, value))
		}
	}
	if len(parts) == 0 {
		return number
	}
	return fmt.Sprintf("%s = %s with %s", number, l.formula, strings.Join(parts, ", "))
}

// counting says which messages count, and what a run does with them.
type counting struct {
	does   string
	counts func(e *tracefmt.Event) bool
}

// countings are those of a bound by its word; "" is every send.
var countings = map[string]counting{
	"":                       {"sends", isSend},
	tracefmt.CountsSent:      {"sends", isSend},
	tracefmt.CountsOthers:    {"sends to others", func(e *tracefmt.Event) bool { return isSend(e) && e.Peer != e.Process }},
	tracefmt.CountsDelivered: {"receives", func(e *tracefmt.Event) bool { return e.Kind == tracefmt.Receive }},
}

func isSend(e *tracefmt.Event) bool { return e.Kind == tracefmt.Send }

// sendMonitor counts messages. The limit is asked for at the first send: then
// it is known who is down from the start.
type sendMonitor struct {
	limit func(s *replay.State) (limit, error)
	live  bool // the limit depends on who is up when the first message is sent
	// shown are the messages that were sent, as what arrived of them shows, though no send of
	// them is recorded; nil if they are not counted.
	shown map[tracefmt.MessageID]bool
	sends bool // some send is recorded

	now   limit
	err   error
	begun bool
	count int64
	// beyond is the first message beyond the limit, and last the last one.
	beyond, last tracefmt.Seq
	first        tracefmt.Seq // send
}

func (m *sendMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	shows := m.shows(s, e)
	if !m.begun && (shows || isSend(e)) {
		m.begun, m.first = true, e.Seq
		m.now, m.err = m.limit(s)
	}
	if !m.begun || m.err != nil || !shows && !m.now.counts(e) {
		return
	}
	r.Examined++
	m.sends = m.sends || isSend(e)
	m.last = e.Seq
	if m.count++; float64(m.count) > m.now.most && m.beyond == 0 {
		m.beyond = e.Seq
	}
}

// shows reports whether an event shows that a message was sent of which no send is recorded,
// once of each message.
func (m *sendMonitor) shows(s *replay.State, e *tracefmt.Event) bool {
	if m.shown == nil || !isOrphan(s, e) || m.shown[e.Message] {
		return false
	}
	m.shown[e.Message] = true
	return true
}

func (m *sendMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !m.sends && s.Coverage().Nowhere(sendFact) {
		r.Examined, m.count = 0, 0 // the property has no word of what it is about
	}
	switch {
	case errors.As(m.err, new(unreadable)):
		r.Undecided(m.err.Error)
	case m.err != nil:
		r.NotApplicable(m.err.Error())
	case m.count == 0:
	case end.Looping() && m.last > end.LoopFrom:
		r.Violate(func() string {
			return fmt.Sprintf("messages are sent forever, expected at most %s: the global state after seq %d is that after seq %d",
				m.now, end.LoopTo, end.LoopFrom)
		}, end.LoopFrom, m.last, end.LoopTo)
	case m.beyond != 0:
		r.ViolateUnless(m.mayAllow(s), func() string {
			return fmt.Sprintf("the run %s %s, expected at most %s", m.now.does, messages(m.count), m.now)
		}, m.beyond)
	default:
		r.Explanation = fmt.Sprintf("%s, at most %s", messages(m.count), m.now)
	}
}

func messages(n int64) string {
	if n == 1 {
		return "1 message"
	}
	return fmt.Sprintf("%d messages", n)
}

// mayAllow is that others may have been up at the first message, or that it was not the
// first, so that the limit may be another one.
func (m *sendMonitor) mayAllow(s *replay.State) []analyze.Need {
	if s.Coverage().Complete() || !m.live {
		return nil
	}
	return analyze.Needs(analyze.AnyProcess, 0, m.first, sendFact, crashFact, haltFact, recoverFact)
}

// Relies implements [analyze.Relying].
func (m *sendMonitor) Relies(s *replay.State, end analyze.Ending) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	return slices.Concat(m.mayBeMore(s, end), m.mayAllow(s), mayLoop(s, end))
}

// mayBeMore is that there may be more messages.
func (m *sendMonitor) mayBeMore(s *replay.State, end analyze.Ending) []analyze.Need {
	switch {
	case m.shown != nil:
		return mayHaveSent(s, end, func(*tracefmt.Event) bool { return true })
	case m.begun && m.err == nil && !m.now.counts(&tracefmt.Event{Kind: tracefmt.Send, Process: 1, Peer: 2}):
		return analyze.Needs(analyze.EveryProcess, 0, 0, receiveFacts...)
	}
	return analyze.Needs(analyze.EveryProcess, 0, 0, sendFacts...)
}
