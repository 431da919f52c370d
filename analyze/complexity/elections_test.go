package complexity_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/analyze/complexity"
	"etrace/analyze/spec"
	"etrace/tracefmt"
)

func suspect(p, q tracefmt.ProcessID) tracefmt.Event {
	return tracefmt.Event{Kind: tracefmt.Suspect, Process: p, Peer: q}
}

// TestElections: process p begins at the event from; who wins, with the last word at to; and the
// messages of each. Each row follows from the rule in the documentation of Election.
func TestElections(t *testing.T) {
	crash3 := tracefmt.Event{Kind: tracefmt.Crash, Process: 3}
	ask, ok, coordinator := send(1, 2, 1, "ELECTION"), send(2, 1, 2, "OK"), send(2, 1, 3, "COORDINATOR")
	for _, tt := range []struct {
		name   string
		events []tracefmt.Event
		want   []string // by, from, to, winner, messages; the sums of the rest last
	}{
		{"none", nil, []string{"rest 0"}},
		{
			"one",
			[]tracefmt.Event{
				crash3, suspect(1, 3), ask, receive(1, 2, 1), ok, coordinator, state(2, `{"elected":2}`),
				receive(2, 1, 3), state(1, `{"elected":2}`),
			},
			[]string{"1 2-9 2 agreed: 3", "rest 0"},
		},
		{
			"what is sent in the step of the decision belongs to it, what comes later does not",
			[]tracefmt.Event{
				crash3, suspect(1, 3), ask, state(2, `{"elected":2}`), receive(2, 1, 3),
				state(1, `{"elected":2}`), send(2, 1, 4, "HELLO"),
			},
			[]string{"1 2-6 2 agreed: 1", "rest 1"},
		},
		{
			"a second process that notices is of the same election",
			[]tracefmt.Event{crash3, suspect(1, 3), suspect(2, 3), ask, state(2, `{"elected":2}`), state(1, `{"elected":2}`)},
			[]string{"1 2-6 2 agreed: 1", "rest 0"},
		},
		{
			"the next one begins when the winner is suspected",
			[]tracefmt.Event{
				suspect(1, 3), state(3, `{"elected":3}`), state(1, `{"elected":3}`), state(2, `{"elected":3}`), send(3, 1, 1, "HELLO"),
				crash3, suspect(2, 3), send(2, 1, 2, "COORDINATOR"), state(2, `{"elected":2}`), receive(2, 1, 2), state(1, `{"elected":2}`),
			},
			[]string{"1 1-4 3 agreed: 0", "2 7-11 2 agreed: 1", "rest 1"},
		},
		{
			"nobody wins",
			[]tracefmt.Event{crash3, suspect(1, 3), ask, state(1, `{"elected":null}`)},
			[]string{"1 2-0 none: 1", "rest 0"},
		},
		{
			"a suspicion of another than the leader is no election",
			[]tracefmt.Event{suspect(1, 3), state(1, `{"elected":2}`), state(2, `{"elected":2}`), state(3, `{"elected":2}`), suspect(1, 3)},
			[]string{"1 1-4 2 agreed: 0", "rest 0"},
		},
		{
			"a message without a live leader is a sign",
			[]tracefmt.Event{
				state(1, `{"elected":null}`), send(1, 2, 1, "ELECTION"), state(2, `{"elected":2}`),
				state(1, `{"elected":2}`), state(3, `{"elected":2}`),
			},
			[]string{"1 2-5 2 agreed: 1", "rest 0"},
		},
		{
			// 1 and 2 win as in echo: no process reports an elected leader, and 1 keeps its role. The message
			// of 2 has no input at the same time; the message of 3 is an answer.
			"who has said nothing of the last election sends by itself",
			[]tracefmt.Event{
				state(1, `{"role":"follower"}`), state(2, `{"role":"follower"}`), state(3, `{"role":"follower"}`),
				send(1, 2, 1, "wave"), receive(1, 2, 1), state(1, `{"role":"leader"}`),
				send(2, 3, 2, "wave"), send(2, 1, 3, "wave"), receive(2, 3, 2), send(3, 2, 4, "wave"), receive(3, 2, 4), state(2, `{"role":"leader"}`),
			},
			[]string{"1 4-6 1 agreed: 1", "2 7-12 2: 3", "rest 0"},
		},
		{
			"what it sends is no election if nobody wins",
			[]tracefmt.Event{
				state(1, `{"role":"follower"}`), state(2, `{"role":"follower"}`), send(1, 2, 1, "wave"),
				state(1, `{"role":"leader"}`), send(2, 1, 2, "HELLO"),
			},
			[]string{"1 3-4 1 agreed: 1", "rest 1"},
		},
		{
			"one for each term",
			[]tracefmt.Event{
				state(1, `{"role":"candidate","term":1}`), state(2, `{"role":"candidate","term":2}`),
				inTerm(1, send(1, 2, 1, "Vote")), inTerm(2, send(2, 1, 2, "Vote")),
				state(2, `{"role":"leader","term":2}`), inTerm(2, send(2, 3, 3, "Append")),
			},
			[]string{"1 1-0 none: 1", "2 2-5 2: 1", "rest 1"},
		},
		{
			"two leaders in a term",
			[]tracefmt.Event{
				state(1, `{"role":"candidate","term":1}`), state(1, `{"role":"leader","term":1}`),
				state(2, `{"role":"leader","term":1}`),
			},
			[]string{"1 1-2 1 and [2]: 0", "rest 0"},
		},
	} {
		m := newRun(3)
		m.Run().Problem = "election"
		s, err := complexity.CountDetailed(write(m, tt.events...), complexity.Detail{Per: []*spec.Operation{complexity.Elections()}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := shown(s), strings.Join(tt.want, "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, want)
		}
	}
}

func inTerm(term int64, e tracefmt.Event) tracefmt.Event {
	e.Term = term
	return e
}

func shown(s *complexity.Stats) string {
	var lines []string
	for _, e := range s.Elections {
		line := fmt.Sprintf("%s %d-%d ", e.By, e.From, e.To)
		switch {
		case e.Winner == nil:
			line += "none"
		case e.AlsoWon != nil:
			line += fmt.Sprintf("%s and %s", e.Winner, e.AlsoWon)
		case e.Agreed != nil && *e.Agreed:
			line += string(e.Winner) + " agreed"
		default:
			line += string(e.Winner)
		}
		lines = append(lines, fmt.Sprintf("%s: %d", line, e.Sent))
	}
	per := s.Per[0]
	return strings.Join(append(lines, fmt.Sprint("rest ", per.WarmUp.Sent+per.Rest.Sent)), "\n")
}
