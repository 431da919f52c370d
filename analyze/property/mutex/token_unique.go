package mutex

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var tokenUnique = analyze.Property{
	Name: "token-unique",
	Kind: analyze.Safety,
	Doc: `There is at most one token, in a process or in transit.

A process has the token while its variable token is neither false nor null, until it crashes, halts or restarts. A
message carries it if the header lists its type under token, and is in transit until it is received or lost. The
recorded order counts: a process that gives the token away records that before the send, in the same step, and a
process that gets it receives it first. Each event that creates a further token counts once. A lost token is no
violation here. Byzantine processes and clients have no token, and neither send nor get it.`,
	Needs:      "state events that assign token; token in the header, the types of the messages that carry it",
	Source:     paper.SuzukiKasami + "; Raynal, Algorithms for Mutual Exclusion, 1986",
	Problem:    tracefmt.Mutex,
	ViolatedBy: append(analyze.Facts("send"), tokenFact),
	ExcusedBy:  append(analyze.Facts("receive", "lose", "crash", "halt"), tokenFact),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &tokenMonitor{
			types: run.Token, nonParticipants: members.Bystanders(run),
			held: make(map[tracefmt.ProcessID]tracefmt.Seq), flying: make(map[tracefmt.MessageID]replay.Flight),
		}
	},
}

const (
	tokenVariable = "token"
	noToken       = "no process has a variable " + tokenVariable + ", or sends a message of the types that the header lists so"
)

var tokenFact = tracefmt.StateOf(tokenVariable)

// tokenMonitor stores the tokens: the processes that hold one, and the messages in transit that carry one.
type tokenMonitor struct {
	types           []string
	nonParticipants []bool
	held            map[tracefmt.ProcessID]tracefmt.Seq // the event since which each has it
	flying          map[tracefmt.MessageID]replay.Flight
	variant         bool // some process has the variable token, or sends it
}

// Step updates the tokens and, if the event creates one, looks for another.
func (m *tokenMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	value, assigned := members.Assigned(e, tokenVariable)
	m.variant = m.variant || assigned
	if e.Process == 0 || m.nonParticipants[e.Process] {
		return
	}
	more := false
	switch e.Kind {
	case tracefmt.Crash, tracefmt.Halt, tracefmt.Start, tracefmt.Recover:
		// An inferred crash may not have happened, so it ends no possession.
		if !e.Inferred() {
			delete(m.held, e.Process)
		}
	case tracefmt.Send:
		more = slices.Contains(m.types, e.Type) && !m.nonParticipants[e.Peer]
		if more {
			m.variant = true
			m.flying[e.Message] = replay.Flight{
				Message: e.Message, From: e.Process, To: e.Peer, Type: e.Type,
				Sent: e.Seq,
			}
		}
	case tracefmt.Receive, tracefmt.Lose:
		delete(m.flying, e.Message)
	}
	if assigned {
		switch _, has := m.held[e.Process]; {
		case members.IsNull(value) || string(value) == "false":
			delete(m.held, e.Process)
		case !has:
			m.held[e.Process], more = e.Seq, true
		}
	}
	if more {
		r.Examined++
		m.examine(r, s, e)
	}
}

// examine looks for another token than that of the event.
func (m *tokenMonitor) examine(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if len(m.held)+len(m.flying) < 2 {
		return
	}
	otherToken, _ := unrecorded.Surest(s, m.otherTokens(s, e))
	text := fmt.Sprintf("process %s has a token since seq %d", s.Run.ProcessName(e.Process), e.Seq)
	if e.Kind == tracefmt.Send {
		text = fmt.Sprintf("process %s sends a token at seq %d", s.Run.ProcessName(e.Process), e.Seq)
	}
	r.ViolateUnless(otherToken.Excuses, func() string { return text + ", and " + otherToken.Outcome },
		otherToken.Since, e.Seq)
}

// otherTokens returns the tokens that existed before the event, the oldest first.
func (m *tokenMonitor) otherTokens(s *replay.State, e *tracefmt.Event) (list []unrecorded.Lasting) {
	for p, since := range m.held {
		if since != e.Seq {
			list = append(list, unrecorded.Lasting{
				Since: since, Outcome: fmt.Sprintf("process %s has one since seq %d", s.Run.ProcessName(p), since),
				Excuses: append(unrecorded.Difference(s, p, tokenFact),
					analyze.Needs(p, since, e.Seq, unrecorded.DownFacts...)...),
			})
		}
	}
	for _, f := range m.flying {
		if f.Sent != e.Seq {
			list = append(list, unrecorded.Lasting{
				Since: f.Sent, Outcome: fmt.Sprintf("one is in flight from process %s to process %s since seq %d",
					s.Run.ProcessName(f.From), s.Run.ProcessName(f.To), f.Sent),
				Excuses: unrecorded.Arrival(f, e.Seq),
			})
		}
	}
	slices.SortFunc(list, func(x, y unrecorded.Lasting) int { return int(x.Since - y.Since) })
	return list
}

// End reports a run without tokens as not applicable.
func (m *tokenMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	switch {
	case m.variant: // the run has tokens
	case len(m.types) == 0: // the run has no token
		r.NotApplicable(noToken)
	default:
		r.NoFacts(noToken, tokenFact, unrecorded.SendFact)
	}
}
