package property

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var tokenUnique = analyze.Property{
	Name: "token-unique",
	Kind: analyze.Safety,
	Doc: `There is at most one token, in a process or on its way.

A process has the token while its variable token is neither false nor null, until it
crashes, halts or begins anew; a message carries it if its type is one of those that the header lists under
token, and is on its way until it is received or lost. That is asked in the recorded order: who
gives the token away says so before the send, in the same step, and who gets it receives it first. Each event
by which there is a further token counts once. That there is none, since it was lost, violates nothing here.
A Byzantine process or a client has no token, and sends and gets none.`,
	Needs:    "state events that assign token; token in the header, the types of the messages that carry it",
	Source:   suzukiKasami + "; Raynal, Algorithms for Mutual Exclusion, 1986",
	Problem:  tracefmt.Mutex,
	Convicts: append(analyze.Facts("send"), tokenFact),
	Acquits:  append(analyze.Facts("receive", "lose", "crash", "halt"), tokenFact),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &tokenMonitor{types: run.Token, aside: standingBy(run),
			held: make(map[tracefmt.ProcessID]tracefmt.Seq), flying: make(map[tracefmt.MessageID]replay.Flight)}
	},
}

const (
	tokenVariable = "token"
	noToken       = "no process has a variable " + tokenVariable + ", or sends a message of the types that the header lists so"
)

var tokenFact = tracefmt.StateOf(tokenVariable)

type tokenMonitor struct {
	types  []string
	aside  []bool
	held   map[tracefmt.ProcessID]tracefmt.Seq // since which event
	flying map[tracefmt.MessageID]replay.Flight
	told   bool // some process has the variable token, or sends it
}

func (m *tokenMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	value, says := assigned(e, tokenVariable)
	m.told = m.told || says
	if e.Process == 0 || m.aside[e.Process] {
		return
	}
	more := false
	switch e.Kind {
	case tracefmt.Crash, tracefmt.Halt, tracefmt.Start, tracefmt.Recover:
		if !e.Inferred() {
			delete(m.held, e.Process)
		}
	case tracefmt.Send:
		more = slices.Contains(m.types, e.Type) && !m.aside[e.Peer]
		if more {
			m.told = true
			m.flying[e.Message] = replay.Flight{Message: e.Message, From: e.Process, To: e.Peer, Type: e.Type, Sent: e.Seq}
		}
	case tracefmt.Receive, tracefmt.Lose:
		delete(m.flying, e.Message)
	}
	if says {
		switch _, has := m.held[e.Process]; {
		case isNull(value) || string(value) == "false":
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

// examine looks for another token than that which there is by the event.
func (m *tokenMonitor) examine(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if len(m.held)+len(m.flying) < 2 {
		return
	}
	other, _ := surest(s, m.others(s, e))
	what := fmt.Sprintf("process %s has a token since seq %d", s.Run.ProcessName(e.Process), e.Seq)
	if e.Kind == tracefmt.Send {
		what = fmt.Sprintf("process %s sends a token at seq %d", s.Run.ProcessName(e.Process), e.Seq)
	}
	r.ViolateUnless(other.excuses, func() string { return what + ", and " + other.what }, other.since, e.Seq)
}

// others are the tokens that there were before the event, the oldest first.
func (m *tokenMonitor) others(s *replay.State, e *tracefmt.Event) (all []lasting) {
	for p, since := range m.held {
		if since != e.Seq {
			all = append(all, lasting{
				since, fmt.Sprintf("process %s has one since seq %d", s.Run.ProcessName(p), since),
				append(mayDiffer(s, p, tokenFact), analyze.Needs(p, since, e.Seq, downFacts...)...),
			})
		}
	}
	for _, f := range m.flying {
		if f.Sent != e.Seq {
			all = append(all, lasting{
				f.Sent, fmt.Sprintf("one is on its way from process %s to process %s since seq %d",
					s.Run.ProcessName(f.From), s.Run.ProcessName(f.To), f.Sent),
				mayHaveArrived(f, e.Seq),
			})
		}
	}
	slices.SortFunc(all, func(x, y lasting) int { return int(x.since - y.since) })
	return all
}

func (m *tokenMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	switch {
	case m.told:
	case len(m.types) == 0: // the run is not about one
		r.NotApplicable(noToken)
	default:
		r.NothingTold(noToken, tokenFact, sendFact)
	}
}
