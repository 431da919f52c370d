package property_test

import (
	"fmt"
	"strconv"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// drawCausalRun draws a small run of no problem in particular, in which
// processes lead, come inside, send and crash, and in which few messages, or
// many, tie them together. Most clocks and times are right.
func drawCausalRun(t *rapid.T) *tracefmt.Memory {
	n := rapid.IntRange(1, 4).Draw(t, "processes")
	run := tracefmt.Run{
		Completeness: recordedWhole, TimeUnit: tracefmt.Delays,
		Source: rapid.SampledFrom([]string{"", "simulated"}).Draw(t, "source"),
	}
	if run.Source == tracefmt.Simulated {
		run.Completeness = nil // its record is complete
	}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1})
	}
	m := tracefmt.NewMemory(run)
	process := rapid.Map(rapid.IntRange(1, n), func(p int) tracefmt.ProcessID { return tracefmt.ProcessID(p) })
	kinds := rapid.SampledFrom([][]tracefmt.Kind{quietKinds, talkativeKinds}).Draw(t, "kinds")
	var sends []tracefmt.Event
	for i := range rapid.IntRange(0, 20).Draw(t, "events") {
		e := tracefmt.Event{Seq: tracefmt.Seq(i + 1), Process: process.Draw(t, "process"), Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		switch e.Kind {
		case tracefmt.State, tracefmt.Recover:
			e.Payload = []byte(`{"elected":null}`)
			if rapid.Bool().Draw(t, "leads") {
				e.Payload = fmt.Appendf(nil, `{"elected":%d}`, e.Process)
			}
		case tracefmt.Send:
			e.Peer, e.Message = process.Draw(t, "peer"), tracefmt.MessageID(len(sends)+1)
			sends = append(sends, e)
		case tracefmt.Receive, tracefmt.Lose:
			if len(sends) > 0 {
				s := rapid.SampledFrom(sends).Draw(t, "of")
				e.Process, e.Peer, e.Message, e.Cause = s.Peer, s.Process, s.Message, s.Seq
			}
			if rapid.IntRange(0, 30).Draw(t, "forged") == 0 {
				e.Cause = tracefmt.Seq(rapid.IntRange(0, 21).Draw(t, "forged cause"))
			}
		case tracefmt.Partition:
			e.Process = 0
		case tracefmt.Note:
			e.Type = rapid.SampledFrom([]string{"enter", "enter", "exit", "else"}).Draw(t, "label")
			if e.Type == "else" && i > 0 {
				e.Cause, e.Payload = tracefmt.Seq(rapid.IntRange(0, i).Draw(t, "cause")), fmt.Appendf(nil,
					`{"causes":[%d]}`, rapid.IntRange(1, i).Draw(t, "cause"))
			}
		}
		_ = m.Write(&e) // a Memory takes every event
	}
	if rapid.IntRange(0, 3).Draw(t, "settle") > 0 {
		settle(m)
	}
	stamp(t, m)
	m.Finish(rapid.SampledFrom([]tracefmt.End{tracefmt.Quiescent, tracefmt.Quiescent, tracefmt.Stopped}).Draw(t, "end"))
	return m
}

var (
	quietKinds = []tracefmt.Kind{
		tracefmt.State, tracefmt.State, tracefmt.Note, tracefmt.Note, tracefmt.Send, tracefmt.Receive, tracefmt.Crash, tracefmt.Recover,
	}
	talkativeKinds = []tracefmt.Kind{
		tracefmt.State, tracefmt.State, tracefmt.Note, tracefmt.Note, tracefmt.Send, tracefmt.Send, tracefmt.Send, tracefmt.Receive,
		tracefmt.Receive, tracefmt.Receive, tracefmt.Receive, tracefmt.Lose, tracefmt.Crash, tracefmt.Recover, tracefmt.Partition,
	}
)

// stamp gives the events times and clocks, most of them right.
func stamp(t *rapid.T, m *tracefmt.Memory) {
	faulty := rapid.IntRange(0, 2).Draw(t, "faulty") == 0
	clocks := map[tracefmt.ProcessID]int64{}
	for i := range m.Len() {
		e := m.At(tracefmt.Seq(i + 1))
		e.Time = tracefmt.Time(i/2) * tracefmt.Unit
		if e.Process == 0 {
			continue
		}
		before := int64(0)
		if e.Kind != tracefmt.Lose {
			before = clocks[e.Process]
		}
		for cause := range e.Causes() {
			if cause > 0 && cause < e.Seq {
				before = max(before, m.At(cause).Lamport)
			}
		}
		e.Lamport = before + 1
		if faulty && rapid.IntRange(0, 9).Draw(t, "fault") == 0 {
			e.Lamport = max(0, e.Lamport+int64(rapid.IntRange(-2, 2).Draw(t, "jump")))
			e.Time += tracefmt.Time(rapid.IntRange(-2, 2).Draw(t, "leap")) * tracefmt.Unit
		}
		if e.Kind != tracefmt.Lose {
			clocks[e.Process] = e.Lamport
		}
	}
}
