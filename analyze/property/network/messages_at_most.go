package network

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/analyze/property/unrecorded"
	"etrace/analyze/spec"
	"etrace/replay"
	"etrace/tracefmt"
)

var messagesAtMost = analyze.WithArgument(analyze.Property{
	Name: "messages-at-most",
	Kind: analyze.Safety,
	Doc: `The run sends at most as many messages as the given bound.

The bound is a formula over n, the number of processes of the run, including crashed ones and without clients, controllers,
observers and learners, in the language of budgets: messages-at-most(3*n-1). Every send counts, also to a crashed process. A run
that ends in a proven loop with sends exceeds every bound. The property is vacuous if nothing is sent.`,
	Needs:        "send events",
	ViolatedBy:   analyze.Facts("send"),
	Source:       "Attiya and Welch, Distributed Computing, 2.1.2: message complexity",
	WitnessOmits: "the other messages, which are counted",
	Argument:     "a formula over n, such as 3*n-1",
}, parseFormula, func(_ *tracefmt.Run, formula *spec.Formula) analyze.Monitor {
	return &sendMonitor{
		shown: make(map[tracefmt.MessageID]bool),
		limits: func(s *replay.State) ([]complexity.Limit, error) {
			l, err := complexity.NewLimit(&tracefmt.Bound{Messages: formula.String()},
				map[string]any{"n": s.Run.Size()})
			return []complexity.Limit{l}, err
		},
	}
})

// parseFormula parses a formula for a number.
func parseFormula(text string) (*spec.Formula, error) {
	example := map[string]any{"n": 1}
	formula, err := spec.ParseFormula(text, []string{"n"})
	if err != nil {
		return nil, fmt.Errorf("formula %w", err)
	}
	_, err = complexity.NewLimit(&tracefmt.Bound{Messages: text}, example)
	return formula, err
}

// counted is a limit with the count of its messages.
type counted struct {
	complexity.Limit
	count int64
	// beyond is the first message beyond the limit, and last is the last one.
	beyond, last tracefmt.Seq
}

// outcome returns what the run does with the counted messages, and which messages are excluded.
func (c *counted) outcome() (does, without string) {
	does = map[string]string{
		tracefmt.CountsOthers:    "sends to others",
		tracefmt.CountsDelivered: "receives",
	}[c.Bound.Counts]
	if len(c.Bound.Without) > 0 {
		without = " without " + strings.Join(c.Bound.Without, ", ")
	}
	return cmp.Or(does, "sends"), without
}

// isSend reports whether the event is a send.
func isSend(e *tracefmt.Event) bool { return e.Kind == tracefmt.Send }

// sendMonitor counts messages. The limits are evaluated at the first send: then it is known which processes were
// down from the start.
type sendMonitor struct {
	limits func(s *replay.State) ([]complexity.Limit, error)
	live   bool // a limit depends on the processes that are up at the first send
	// shown are the messages with an arrival but without a recorded send; nil if they are not counted.
	shown map[tracefmt.MessageID]bool
	sends bool // some send is recorded

	current []counted
	err     error
	begun   bool
	first   tracefmt.Seq // the first send
}

// Step counts a message for each limit that applies to it.
func (m *sendMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	// An arrival without a recorded send proves that its message was sent.
	shows := m.provesSend(s, e)
	// The limits depend on the processes that are up at the first send.
	if !m.begun && (shows || isSend(e)) {
		m.begin(s, e)
	}
	if !m.begun || m.err != nil {
		return
	}
	counts := false
	for i := range m.current {
		if c := &m.current[i]; shows || complexity.Counts(c.Bound, e) {
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

// begin evaluates the limits in the state at the first send.
func (m *sendMonitor) begin(s *replay.State, e *tracefmt.Event) {
	m.begun, m.first = true, e.Seq
	var limits []complexity.Limit
	limits, m.err = m.limits(s)
	for _, l := range limits {
		m.current = append(m.current, counted{Limit: l})
	}
}

// provesSend reports whether an event shows an unrecorded send, once for each message.
func (m *sendMonitor) provesSend(s *replay.State, e *tracefmt.Event) bool {
	if m.shown == nil || !unrecorded.IsOrphan(s, e) || m.shown[e.Message] {
		return false
	}
	m.shown[e.Message] = true
	return true
}

// End judges the counts, unless the limits have no value.
func (m *sendMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !m.sends && s.Coverage().Nowhere(unrecorded.SendFact) {
		r.Examined, m.current = 0, nil // the run has no send at all
	}
	switch {
	case errors.As(m.err, new(complexity.Unreadable)):
		r.Undecided(m.err.Error)
	case m.err != nil:
		r.NotApplicable(m.err.Error())
	case r.Examined == 0: // no send counts
	default:
		m.judge(r, s, end)
	}
}

// judge reports the first exceeded limit, or all limits that are kept.
func (m *sendMonitor) judge(r *analyze.Result, s *replay.State, end analyze.Ending) {
	var kept []string
	for i := range m.current {
		c := &m.current[i]
		does, without := c.outcome()
		switch {
		case end.Looping() && c.last > end.LoopFrom:
			r.Violate(func() string {
				return fmt.Sprintf("messages are sent forever, expected at most %s: the global state after seq %d is that after seq %d",
					c, end.LoopTo, end.LoopFrom)
			}, end.LoopFrom, c.last, end.LoopTo)
			return
		case c.beyond != 0:
			r.ViolateUnless(m.possiblyAllowed(s), func() string {
				return fmt.Sprintf("the run %s %s%s, expected at most %s", does, messages(c.count), without, c)
			}, c.beyond)
			return
		}
		kept = append(kept, fmt.Sprintf("%s%s, at most %s", messages(c.count), without, c))
	}
	r.Explanation = strings.Join(kept, "; ")
}

// messages returns the number of messages in words.
func messages(n int64) string {
	if n == 1 {
		return "1 message"
	}
	return fmt.Sprintf("%d messages", n)
}

// possiblyAllowed returns the needs by which the limit may be another: other processes were up at the first send,
// or it was not the first.
func (m *sendMonitor) possiblyAllowed(s *replay.State) []analyze.Need {
	if s.Coverage().Complete() || !m.live {
		return nil
	}
	return analyze.Needs(analyze.AnyProcess, 0, m.first, unrecorded.SendFact, unrecorded.CrashFact, unrecorded.HaltFact,
		unrecorded.RecoverFact)
}

// Relies implements [analyze.Relying].
func (m *sendMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(slices.Concat(m.possibleExcess(s, end), m.possiblyAllowed(s), unrecorded.Loop(s, end)))
}

// possibleExcess returns the needs for further messages.
func (m *sendMonitor) possibleExcess(s *replay.State, end analyze.Ending) []analyze.Need {
	if m.shown != nil {
		return unrecorded.Send(s, end, func(*tracefmt.Event) bool { return true })
	}
	delivered := func(c counted) bool { return c.Bound.Counts == tracefmt.CountsDelivered }
	var needs []analyze.Need
	if slices.ContainsFunc(m.current, delivered) {
		needs = analyze.Needs(analyze.EveryProcess, 0, 0, unrecorded.ReceiveFacts...)
	}
	if slices.ContainsFunc(m.current, func(c counted) bool { return !delivered(c) }) {
		needs = append(needs, analyze.Needs(analyze.EveryProcess, 0, 0, unrecorded.SendFacts...)...)
	}
	return needs
}
