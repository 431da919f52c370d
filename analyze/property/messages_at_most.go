package property

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/analyze/spec"
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
	Needs:        "send events",
	Convicts:     analyze.Facts("send"),
	Source:       "Attiya and Welch, Distributed Computing, 2.1.2: message complexity",
	WitnessOmits: "the other messages, which are counted",
	Argument:     "a formula over n, such as 3*n-1",
}, parseFormula, func(_ *tracefmt.Run, formula *spec.Formula) analyze.Monitor {
	return &sendMonitor{shown: make(map[tracefmt.MessageID]bool), limits: func(s *replay.State) ([]complexity.Limit, error) {
		l, err := complexity.NewLimit(&tracefmt.Bound{Messages: formula.String()}, map[string]any{"n": s.Run.Size()})
		return []complexity.Limit{l}, err
	}}
})

// parseFormula accepts a formula that gives a number.
func parseFormula(text string) (*spec.Formula, error) {
	example := map[string]any{"n": 1}
	formula, err := spec.ParseFormula(text, []string{"n"})
	if err != nil {
		return nil, fmt.Errorf("formula %w", err)
	}
	_, err = complexity.NewLimit(&tracefmt.Bound{Messages: text}, example)
	return formula, err
}

// counted is a limit and the messages that it counts so far.
type counted struct {
	complexity.Limit
	count int64
	// beyond is the first message beyond the limit, and last the last one.
	beyond, last tracefmt.Seq
}

// what says what the run does with the messages that count, and which do not.
func (c *counted) what() (does, without string) {
	does = map[string]string{tracefmt.CountsOthers: "sends to others", tracefmt.CountsDelivered: "receives"}[c.Bound.Counts]
	if len(c.Bound.Without) > 0 {
		without = " without " + strings.Join(c.Bound.Without, ", ")
	}
	return cmp.Or(does, "sends"), without
}

func isSend(e *tracefmt.Event) bool { return e.Kind == tracefmt.Send }

// sendMonitor counts messages. The limits are asked for at the first send: then
// it is known who is down from the start.
type sendMonitor struct {
	limits func(s *replay.State) ([]complexity.Limit, error)
	live   bool // the limits depend on who is up when the first message is sent
	// shown are the messages that were sent, as what arrived of them shows, though no send of
	// them is recorded; nil if they are not counted.
	shown map[tracefmt.MessageID]bool
	sends bool // some send is recorded

	now   []counted
	err   error
	begun bool
	first tracefmt.Seq // send
}

func (m *sendMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	shows := m.shows(s, e)
	if !m.begun && (shows || isSend(e)) {
		m.begin(s, e)
	}
	if !m.begun || m.err != nil {
		return
	}
	counts := false
	for i := range m.now {
		if c := &m.now[i]; shows || complexity.Counts(c.Bound, e) {
			counts = true
			c.last = e.Seq
			if c.count++; float64(c.count) > c.Value && c.beyond == 0 {
				c.beyond = e.Seq
			}
		}
	}
	if counts {
		r.Examined++
		m.sends = m.sends || isSend(e)
	}
}

func (m *sendMonitor) begin(s *replay.State, e *tracefmt.Event) {
	m.begun, m.first = true, e.Seq
	var limits []complexity.Limit
	limits, m.err = m.limits(s)
	for _, l := range limits {
		m.now = append(m.now, counted{Limit: l})
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
		r.Examined, m.now = 0, nil // the property has no word of what it is about
	}
	switch {
	case errors.As(m.err, new(complexity.Unreadable)):
		r.Undecided(m.err.Error)
	case m.err != nil:
		r.NotApplicable(m.err.Error())
	case r.Examined == 0:
	default:
		m.judge(r, s, end)
	}
}

// judge reports the first limit that the run exceeds, or all that it keeps.
func (m *sendMonitor) judge(r *analyze.Result, s *replay.State, end analyze.Ending) {
	var kept []string
	for i := range m.now {
		c := &m.now[i]
		does, without := c.what()
		switch {
		case end.Looping() && c.last > end.LoopFrom:
			r.Violate(func() string {
				return fmt.Sprintf("messages are sent forever, expected at most %s: the global state after seq %d is that after seq %d",
					c, end.LoopTo, end.LoopFrom)
			}, end.LoopFrom, c.last, end.LoopTo)
			return
		case c.beyond != 0:
			r.ViolateUnless(m.mayAllow(s), func() string {
				return fmt.Sprintf("the run %s %s%s, expected at most %s", does, messages(c.count), without, c)
			}, c.beyond)
			return
		}
		kept = append(kept, fmt.Sprintf("%s%s, at most %s", messages(c.count), without, c))
	}
	r.Explanation = strings.Join(kept, "; ")
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
func (m *sendMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	if s.Coverage().Complete() {
		return nil
	}
	return slices.Values(slices.Concat(m.mayBeMore(s, end), m.mayAllow(s), mayLoop(s, end)))
}

// mayBeMore is that there may be more messages.
func (m *sendMonitor) mayBeMore(s *replay.State, end analyze.Ending) []analyze.Need {
	if m.shown != nil {
		return mayHaveSent(s, end, func(*tracefmt.Event) bool { return true })
	}
	delivered := func(c counted) bool { return c.Bound.Counts == tracefmt.CountsDelivered }
	var needs []analyze.Need
	if slices.ContainsFunc(m.now, delivered) {
		needs = analyze.Needs(analyze.EveryProcess, 0, 0, receiveFacts...)
	}
	if len(m.now) == 0 || slices.ContainsFunc(m.now, func(c counted) bool { return !delivered(c) }) {
		needs = append(needs, analyze.Needs(analyze.EveryProcess, 0, 0, sendFacts...)...)
	}
	return needs
}
