package property_test

import (
	"fmt"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// drawing is a run that is being drawn, event by event.
type drawing struct {
	*tracefmt.Memory
	sends  []tracefmt.Event
	serial int
}

func (d *drawing) add(e tracefmt.Event) {
	e.Seq, e.Time = tracefmt.Seq(d.Len()+1), tracefmt.Time(d.Len())*tracefmt.Unit
	if e.Kind == tracefmt.Send {
		d.sends = append(d.sends, e)
	}
	_ = d.Write(&e) // a Memory takes every event
}

// drawProtocol draws a small run of the events that step adds, among them
// faults.
func drawProtocol(t *rapid.T, step func(*rapid.T, *drawing)) *tracefmt.Memory {
	run := tracefmt.Run{Completeness: recordedWhole, TimeUnit: tracefmt.Delays}
	for i := range rapid.IntRange(1, 4).Draw(t, "processes") {
		run.Members = append(run.Members, tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1})
	}
	if rapid.Bool().Draw(t, "simulated") {
		run.Source, run.Completeness = tracefmt.Simulated, nil
	} else {
		for i := range run.Members {
			role := rapid.SampledFrom([]string{`{}`, `{}`, `{"role":"server"}`, `{"role":"client"}`, `{"role":"byzantine"}`, `{"role":"acceptor"}`})
			run.Members[i].Attributes = []byte(role.Draw(t, "attributes"))
		}
	}
	d := &drawing{Memory: tracefmt.NewMemory(run)}
	for range rapid.IntRange(0, 25).Draw(t, "events") {
		fault := rapid.IntRange(0, 40).Draw(t, "fault")
		kinds := []tracefmt.Kind{tracefmt.Crash, tracefmt.Halt, tracefmt.Start, tracefmt.Recover, tracefmt.Recover}
		if fault < len(kinds) {
			d.add(tracefmt.Event{Kind: kinds[fault], Process: d.process(t)})
		} else {
			step(t, d)
		}
	}
	settle(d.Memory)
	d.Finish(rapid.SampledFrom([]tracefmt.End{tracefmt.Quiescent, tracefmt.Quiescent, tracefmt.Stopped}).Draw(t, "end"))
	return d.Memory
}

func (d *drawing) process(t *rapid.T) tracefmt.ProcessID {
	return tracefmt.ProcessID(rapid.IntRange(1, len(d.Run().Members)).Draw(t, "process"))
}

// pick draws one of the words.
func pick(t *rapid.T, words string) string {
	return rapid.SampledFrom(strings.Fields(words)).Draw(t, "word")
}

func drawMutex(t *rapid.T, d *drawing) {
	switch label := pick(t, "request request enter enter exit exit send receive ask other"); label {
	case "send":
		d.add(tracefmt.Event{
			Kind: tracefmt.Send, Process: d.process(t), Peer: d.process(t), Type: "A",
			Message: tracefmt.MessageID(len(d.sends) + 1),
		})
	case "receive":
		if len(d.sends) > 0 {
			s := rapid.SampledFrom(d.sends).Draw(t, "of")
			d.add(tracefmt.Event{Kind: tracefmt.Receive, Process: s.Peer, Peer: s.Process, Type: "A", Message: s.Message, Cause: s.Seq})
		}
	case "ask": // and inform a process, which may ask, too
		from, receiver, m := d.process(t), d.process(t), tracefmt.MessageID(len(d.sends)+1)
		d.add(tracefmt.Event{Kind: tracefmt.Note, Process: from, Type: "request"})
		d.add(tracefmt.Event{Kind: tracefmt.Send, Process: from, Peer: receiver, Type: "A", Message: m})
		d.add(tracefmt.Event{Kind: tracefmt.Receive, Process: receiver, Peer: from, Type: "A", Message: m, Cause: tracefmt.Seq(d.Len())})
		d.add(tracefmt.Event{Kind: tracefmt.Note, Process: receiver, Type: pick(t, "request other")})
	default:
		e := tracefmt.Event{Kind: tracefmt.Note, Process: d.process(t), Type: label}
		if rapid.IntRange(0, 4).Draw(t, "another lock") == 0 {
			e.Payload = []byte(`{"lock":"x"}`)
		}
		d.add(e)
	}
}

func drawConsensus(t *rapid.T, d *drawing) {
	kind := rapid.SampledFrom([]tracefmt.Kind{
		tracefmt.State, tracefmt.State, tracefmt.State, tracefmt.Recover,
		tracefmt.Start,
	}).Draw(t, "kind")
	payload := fmt.Sprintf(`{"%s":%s}`, pick(t, "proposed decided decided x"), pick(t, "1 1 1 2 null"))
	d.add(tracefmt.Event{Kind: kind, Process: d.process(t), Payload: []byte(payload)})
}

func drawBroadcast(t *rapid.T, d *drawing) {
	e := tracefmt.Event{Kind: tracefmt.Note, Process: d.process(t), Type: pick(t, "broadcast deliver deliver deliver other")}
	switch e.Type {
	case "broadcast": // each message once
		d.serial++
		e.Payload = fmt.Appendf(nil, `{"m":%d}`, d.serial)
	case "deliver": // perhaps broadcast later
		e.Payload = fmt.Appendf(nil, `{"m":%d}`, rapid.IntRange(1, d.serial+1-rapid.IntRange(0, min(1, d.serial)).Draw(t, "back")).Draw(t, "m"))
		if rapid.IntRange(0, 9).Draw(t, "named") == 0 {
			e.Payload = append(e.Payload[:len(e.Payload)-1], fmt.Sprintf(`,"sender":%d}`, d.process(t))...)
		}
	}
	d.add(e)
}

func drawRaft(t *rapid.T, d *drawing) {
	var fields []string
	if d.Len() == 0 {
		switch rapid.IntRange(0, 3).Draw(t, "tells") {
		case 0, 1:
			d.Run().Source, d.Run().Completeness = tracefmt.Simulated, nil // which is complete
		case 2:
			if d.Run().Completeness != nil {
				d.Run().Completeness = stateUndeclared
			}
		}
	}
	for _, name := range []string{"role", "term", "commit", "log[0]", "log[1]", "log[2]", "log[3]"} {
		if rapid.IntRange(0, 2).Draw(t, "names") > 0 {
			continue
		}
		value := pick(t, `1 1 2 "2" 3 3`)
		switch {
		case name == "role":
			value = pick(t, `"leader" "leader" "follower"`)
		case name == "commit":
			value = pick(t, `0 0 -1 1 2 "2" 3 null`)
		case strings.HasPrefix(name, "log"):
			value = pick(t, `{"term":1} {"term":1} {"term":1} {"term":2} {"term":1,"c":"x"} null`)
		}
		fields = append(fields, fmt.Sprintf(`"%s":%s`, name, value))
	}
	kind := rapid.SampledFrom([]tracefmt.Kind{
		tracefmt.State, tracefmt.State, tracefmt.State, tracefmt.State,
		tracefmt.Recover,
	}).Draw(t, "kind")
	d.add(tracefmt.Event{Kind: kind, Process: d.process(t), Payload: []byte("{" + strings.Join(fields, ",") + "}")})
}

// drawDistinct draws like drawHistory, but reads and writes only, and each write writes
// a value of its own: what zones decide.
func drawDistinct(t *rapid.T, d *drawing) {
	p, open := d.process(t), map[tracefmt.ProcessID]string{}
	for e := range d.Events(1) {
		switch e.Kind {
		case tracefmt.Invoke:
			open[e.Process] = e.Type
		case tracefmt.Return:
			delete(open, e.Process)
		}
	}
	e := tracefmt.Event{Kind: tracefmt.Return, Process: p, Type: open[p]}
	switch {
	case e.Type == "write":
		e.Payload = fmt.Appendf(nil, `{"outcome":"%s","value":null}`, pick(t, "ok ok ok ok fail unknown"))
	case e.Type == "read":
		e.Payload = fmt.Appendf(nil, `{"value":%s}`, pick(t, "null 1 2 3 4 5"))
	case rapid.IntRange(0, 9).Draw(t, "silent") == 0:
		e.Kind, e.Type = tracefmt.Note, "other"
	case rapid.Bool().Draw(t, "read"):
		e.Kind, e.Type = tracefmt.Invoke, "read"
	default:
		d.serial++
		e.Kind, e.Type, e.Payload = tracefmt.Invoke, "write", fmt.Appendf(nil, `{"value":%d}`, d.serial)
	}
	d.add(e)
}

// drawVotes draws a change of a server's term, vote and leader.
func drawVotes(t *rapid.T, d *drawing) {
	if d.Len() == 0 {
		run := d.Run()
		if rapid.Bool().Draw(t, "simulated") {
			run.Source, run.Completeness = tracefmt.Simulated, nil // which is complete
		}
		for i := range run.Members {
			run.Members[i].Attributes = map[string][]byte{
				"server": []byte(`{"role":"server"}`),
				"client": []byte(`{"role":"client"}`),
			}[pick(t, "server server client none none")]
		}
	}
	var fields []string
	for _, name := range []string{"role", "elected", "term", "votedFor"} {
		if rapid.IntRange(0, 2).Draw(t, "names") == 0 {
			fields = append(fields, fmt.Sprintf(`"%s":%s`, name, pick(t, map[string]string{
				"role": `"leader" "leader" "follower" null`, "elected": `1 "2" 3 null`, "term": `1 1 "1" 2 null`, "votedFor": `1 1 2 "2" 3 null -1 ""`,
			}[name])))
		}
	}
	kind := rapid.SampledFrom([]tracefmt.Kind{
		tracefmt.State, tracefmt.State, tracefmt.State, tracefmt.State,
		tracefmt.Recover,
	}).Draw(t, "kind")
	d.add(tracefmt.Event{Kind: kind, Process: d.process(t), Payload: []byte("{" + strings.Join(fields, ",") + "}")})
}

// drawHistory draws an invocation of a process, or an end of what a process
// invoked last. Few values, so that much may be explained.
func drawHistory(t *rapid.T, d *drawing) {
	p := d.process(t)
	name, open := "", false
	for e := range d.Events(1) {
		if e.Process == p && (e.Kind == tracefmt.Invoke || e.Kind == tracefmt.Return) {
			name, open = e.Type, e.Kind == tracefmt.Invoke
		}
	}
	e := tracefmt.Event{Kind: tracefmt.Invoke, Process: p}
	switch {
	case !open && rapid.IntRange(0, 9).Draw(t, "silent") == 0:
		e.Kind, e.Type = tracefmt.Note, "other"
	case !open:
		e.Type = pick(t, "read read write write cas acquire release")
		e.Payload = []byte(map[string]string{
			"write": `{"value":` + pick(t, "1 2") + `}`, "cas": `{"old":` + pick(t, "1 2 null") + `,"new":` + pick(t, "1 2") + `}`,
		}[e.Type])
	default:
		e.Kind, e.Type = tracefmt.Return, name
		value := map[string]string{
			"read": "1 1 2 null", "write": "null", "cas": "true true false", "acquire": "true true false", "release": "true true false",
		}[name]
		e.Payload = fmt.Appendf(nil, `{"outcome":"%s","value":%s}`, pick(t, "ok ok ok ok fail unknown"), pick(t, value))
	}
	d.add(e)
}
