package property_test

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// drawRun draws a small run: mostly like a run of an election, but any rule may be broken.
func drawRun(t *rapid.T) *tracefmt.Memory {
	n := rapid.IntRange(1, 4).Draw(t, "processes")
	run := tracefmt.Run{Completeness: recordedWhole, Problem: "election", TimeUnit: tracefmt.Delays, Traits: []string{tracefmt.GreatestWins}}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1})
	}
	words := drawVocabulary(t, &run)
	m := tracefmt.NewMemory(run)
	process := rapid.Map(rapid.IntRange(1, n), func(p int) tracefmt.ProcessID { return tracefmt.ProcessID(p) })
	var sends []tracefmt.Event
	for i := range rapid.IntRange(0, 30).Draw(t, "events") {
		e := tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(i) * tracefmt.Unit,
			Kind: rapid.SampledFrom(drawnKinds).Draw(t, "kind"), Process: process.Draw(t, "process"),
		}
		switch e.Kind {
		case tracefmt.State, tracefmt.Recover, tracefmt.Start:
			e.Payload = words(t)
		case tracefmt.Send:
			e.Peer, e.Type, e.Message = process.Draw(t, "peer"), "A", tracefmt.MessageID(len(sends)+1)
			e.Payload = []byte(fmt.Sprintf(`{"id":%d}`, i%2))
			if rapid.IntRange(0, 9).Draw(t, "again") == 0 {
				e.Message = 1
			}
			sends = append(sends, e)
		case tracefmt.Receive, tracefmt.Lose:
			if len(sends) == 0 {
				e.Kind = tracefmt.Note
				break
			}
			s := rapid.SampledFrom(sends).Draw(t, "of")
			e.Process, e.Peer, e.Type, e.Message, e.Cause, e.Payload = s.Peer, s.Process, s.Type, s.Message, s.Seq, s.Payload
			switch rapid.IntRange(0, 20).Draw(t, "forged") {
			case 0:
				e.Peer = process.Draw(t, "forged peer")
			case 1:
				e.Type = "B"
			case 2:
				e.Message = tracefmt.MessageID(rapid.IntRange(1, 9).Draw(t, "forged id"))
			case 3:
				e.Cause = tracefmt.Seq(rapid.IntRange(0, 31).Draw(t, "forged cause"))
			case 4:
				e.Payload = []byte(`{"id":2}`)
			}
		case tracefmt.Suspect, tracefmt.Trust:
			e.Peer = process.Draw(t, "suspected")
		case tracefmt.SetTimer, tracefmt.CancelTimer, tracefmt.Timeout:
			e.Type = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "timer")
			if e.Kind == tracefmt.SetTimer && rapid.Bool().Draw(t, "due") {
				e.Payload = fmt.Appendf(nil, `{"due":%d}`, e.Time+tracefmt.Time(rapid.IntRange(0, 9).Draw(t, "in"))*tracefmt.Unit)
			}
		}
		if err := m.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	// Let most runs come to rest, or they would seldom be judged for good.
	if rapid.IntRange(0, 3).Draw(t, "settle") > 0 {
		settle(m)
	}
	m.Finish(rapid.SampledFrom([]tracefmt.End{tracefmt.Quiescent, tracefmt.Quiescent, tracefmt.Stopped}).Draw(t, "end"))
	return m
}

// drawVocabulary draws a run's members and ranking, and returns the generator of variables. Half of the runs are
// simulated.
func drawVocabulary(t *rapid.T, run *tracefmt.Run) (words func(*rapid.T) []byte) {
	elected := []string{`"elected":null`, `"x":1`, `"elected":%d`, `"elected":%d`, `"elected":77`}
	process := rapid.IntRange(1, len(run.Members))
	plain := rapid.Bool().Draw(t, "plain")
	if plain {
		run.Source, run.Completeness = tracefmt.Simulated, nil
	} else {
		for i := range run.Members {
			run.Members[i].Attributes = []byte(rapid.SampledFrom([]string{
				`{}`, `{}`, `{"role":"server"}`, `{"role":"client"}`, `{"role":"byzantine"}`, `{"w":1}`, `{"role":"acceptor","w":2}`,
			}).Draw(t, "attributes"))
		}
		run.Best = rapid.SampledFrom([][]string{nil, {"w"}, {"w", "id"}}).Draw(t, "best")
	}
	return func(t *rapid.T) []byte {
		var fields []string
		if plain || rapid.Bool().Draw(t, "elects") {
			field := rapid.SampledFrom(elected).Draw(t, "value")
			if strings.Contains(field, "%d") {
				field = fmt.Sprintf(field, process.Draw(t, "elected"))
			}
			fields = append(fields, field)
		}
		for _, options := range [][]string{
			{`"role":"leader"`, `"role":"LEADING"`, `"role":"follower"`, `"role":"candidate"`, `"role":"client"`, `"role":null`},
			{`"term":1`, `"term":2`, `"term":"2"`, `"term":null`},
			{`"w":1`, `"w":2`, `"w":"2"`, `"w":null`},
			{`"votedFor":1`, `"votedFor":null`},
		} {
			if !plain && rapid.IntRange(0, 2).Draw(t, "more") == 0 {
				fields = append(fields, rapid.SampledFrom(options).Draw(t, "field"))
			}
		}
		return []byte("{" + strings.Join(fields, ",") + "}")
	}
}

var drawnKinds = []tracefmt.Kind{
	tracefmt.Start, tracefmt.Halt, tracefmt.Crash, tracefmt.Recover, tracefmt.Recover,
	tracefmt.State, tracefmt.State, tracefmt.State, tracefmt.State, tracefmt.Send, tracefmt.Send, tracefmt.Send, tracefmt.Receive,
	tracefmt.Receive, tracefmt.Receive, tracefmt.Lose, tracefmt.SetTimer, tracefmt.CancelTimer, tracefmt.Timeout,
	tracefmt.Suspect, tracefmt.Note,
}

// settle appends the loss of all messages and the cancelling of all timers.
func settle(m *tracefmt.Memory) {
	for i := range m.Len() {
		s := *m.At(tracefmt.Seq(i + 1))
		e := tracefmt.Event{Seq: tracefmt.Seq(m.Len() + 1), Time: s.Time, Process: s.Process, Type: s.Type}
		switch s.Kind {
		case tracefmt.Send:
			e.Kind, e.Process, e.Peer, e.Message, e.Cause = tracefmt.Lose, s.Peer, s.Process, s.Message, s.Seq
		case tracefmt.SetTimer:
			e.Kind = tracefmt.CancelTimer
		default:
			continue
		}
		_ = m.Write(&e) // a Memory takes every event
	}
}

// recordedWhole is what a drawn run declares whose oracle knows of nothing but its events:
// nothing is missing of any kind that there is.
var recordedWhole = func() *tracefmt.Completeness {
	kinds := map[string]tracefmt.Level{}
	for _, k := range tracefmt.Kinds() {
		kinds[k.String()] = tracefmt.All
	}
	return &tracefmt.Completeness{Levels: tracefmt.Levels{Kinds: kinds}}
}()

// stateUndeclared declares the same, but for variables: the events show which occur.
var stateUndeclared = func() *tracefmt.Completeness {
	kinds := maps.Clone(recordedWhole.Kinds)
	delete(kinds, tracefmt.State.String())
	return &tracefmt.Completeness{Levels: tracefmt.Levels{Kinds: kinds}}
}()
