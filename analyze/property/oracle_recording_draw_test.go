package property_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// recordedProblems are the problems that a drawn recording may declare.
var recordedProblems = []string{"", "", tracefmt.Election, tracefmt.Raft, tracefmt.Raft, tracefmt.Zab}

// recording is a run that is being drawn as a log would have it: servers and
// clients, with roles or without, names or numbers, some of what happened.
type recording struct {
	drawing
	servers []tracefmt.ProcessID
	// words: names are no numbers; texts: numbers are written as texts.
	words, texts bool
	terms        map[tracefmt.ProcessID]int
	down         map[tracefmt.ProcessID]bool
}

// drawRecording draws a small recording of servers that elect leaders in terms.
// Much of it is as it should be, but any rule may be broken.
func drawRecording(t *rapid.T) *tracefmt.Memory {
	run := tracefmt.Run{
		Completeness: recordedWhole,
		Problem:      rapid.SampledFrom(recordedProblems).Draw(t, "problem"), Source: "service.log",
		TimeUnit: tracefmt.Nanoseconds,
	}
	d := &recording{
		words: rapid.Bool().Draw(t, "words"), texts: rapid.Bool().Draw(t, "texts"),
		terms: map[tracefmt.ProcessID]int{}, down: map[tracefmt.ProcessID]bool{},
	}
	if rapid.IntRange(0, 3).Draw(t, "best") == 0 {
		run.Best = []string{tracefmt.BestID}
	}
	servers, clients := rapid.IntRange(1, 3).Draw(t, "servers"), rapid.IntRange(0, 2).Draw(t, "clients")
	roles := rapid.Bool().Draw(t, "roles")
	for i := range servers + clients {
		m := tracefmt.Member{Name: fmt.Sprint(i + 1), Position: i + 1}
		if d.words {
			m.Name = "n" + m.Name
		}
		role := "server"
		if i < servers {
			d.servers = append(d.servers, tracefmt.ProcessID(i+1))
		} else {
			role = rapid.SampledFrom([]string{"client", "observer", "controller"}).Draw(t, "role")
		}
		if roles {
			m.Attributes = fmt.Appendf(nil, `{"role":%q}`, role)
		}
		run.Members = append(run.Members, m)
	}
	d.Memory = tracefmt.NewMemory(run)
	for range rapid.IntRange(0, 25).Draw(t, "events") {
		d.step(t)
	}
	if rapid.Bool().Draw(t, "settle") {
		settle(d.Memory)
	}
	d.Finish(rapid.SampledFrom([]tracefmt.End{tracefmt.Quiescent, tracefmt.Stopped, tracefmt.Stopped}).Draw(t, "end"))
	return d.Memory
}

func (d *recording) server(t *rapid.T) tracefmt.ProcessID {
	return rapid.SampledFrom(d.servers).Draw(t, "server")
}

func (d *recording) step(t *rapid.T) {
	p := d.server(t)
	fault := rapid.IntRange(0, 30).Draw(t, "fault")
	faults := []tracefmt.Kind{tracefmt.Crash, tracefmt.Crash, tracefmt.Halt, tracefmt.Recover, tracefmt.Start}
	if d.down[p] && fault > 5 { // what is down seldom does anything
		fault = 3
	}
	switch {
	case fault < 2 && rapid.Bool().Draw(t, "silent"):
		d.down[p] = true // not in the log
	case fault < len(faults):
		d.down[p] = fault < 3
		e := tracefmt.Event{Kind: faults[fault], Process: p}
		if fault >= 3 {
			e.Payload = d.recorded(t, p)
		}
		d.add(e)
	default:
		d.work(t, p)
	}
}

func (d *recording) work(t *rapid.T, p tracefmt.ProcessID) {
	switch pick(t, "leads follows follows asks sends receives suspects ticks") {
	case "leads":
		if rapid.IntRange(0, 3).Draw(t, "new term") > 0 {
			d.terms[p] = 1 + max(d.terms[p], d.terms[d.server(t)])
		}
		d.write(p, d.role(t, "leader", "Leader", "leading"), d.elected(t, p), d.term(t, p), d.vote(t, p, p))
	case "follows":
		q := d.server(t)
		d.terms[p] = max(d.terms[p], d.terms[q]) - rapid.SampledFrom([]int{0, 0, 0, 0, 0, 1}).Draw(t, "falls")
		d.write(p, d.role(t, "follower", "candidate", "Follower"), d.elected(t, q), d.term(t, p), d.vote(t, p, q))
	case "asks":
		d.terms[p]++
		d.write(p, d.role(t, "candidate"), d.elected(t, 0), d.term(t, p), d.vote(t, p, p))
	case "sends":
		from, receiver := p, d.process(t)
		if rapid.Bool().Draw(t, "from a client") {
			from, receiver = d.process(t), p
		}
		d.add(tracefmt.Event{Kind: tracefmt.Send, Process: from, Peer: receiver, Type: "A", Message: tracefmt.MessageID(len(d.sends) + 1)})
	case "receives":
		if len(d.sends) > 0 {
			s := rapid.SampledFrom(d.sends).Draw(t, "of")
			d.add(tracefmt.Event{Kind: tracefmt.Receive, Process: s.Peer, Peer: s.Process, Type: "A", Message: s.Message, Cause: s.Seq})
		}
	case "suspects":
		d.add(tracefmt.Event{Kind: tracefmt.Suspect, Process: p, Peer: d.server(t)})
	case "ticks":
		d.add(tracefmt.Event{Kind: tracefmt.Note, Process: d.process(t), Type: "tick"})
	}
}

// write writes the recorded fields; the rest is not logged.
func (d *recording) write(p tracefmt.ProcessID, fields ...string) {
	fields = slices.DeleteFunc(fields, func(f string) bool { return f == "" })
	if len(fields) > 0 {
		d.add(tracefmt.Event{Kind: tracefmt.State, Process: p, Payload: []byte("{" + strings.Join(fields, ",") + "}")})
	}
}

// recorded has the fields that a start names.
func (d *recording) recorded(t *rapid.T, p tracefmt.ProcessID) []byte {
	fields := slices.DeleteFunc([]string{d.role(t, "follower"), d.term(t, p)}, func(f string) bool { return f == "" })
	return []byte("{" + strings.Join(fields, ",") + "}")
}

// logged reports whether the log has a field this time; each log leaves some out.
func logged(t *rapid.T, field string) bool { return rapid.IntRange(0, 3).Draw(t, field) > 0 }

func (d *recording) role(t *rapid.T, words ...string) string {
	if !logged(t, "role") {
		return ""
	}
	return fmt.Sprintf(`"role":%q`, rapid.SampledFrom(words).Draw(t, "word"))
}

// elected names q, 0 for no process.
func (d *recording) elected(t *rapid.T, q tracefmt.ProcessID) string {
	if !logged(t, "elected") {
		return ""
	}
	return `"elected":` + d.name(q)
}

func (d *recording) vote(t *rapid.T, p, q tracefmt.ProcessID) string {
	if !logged(t, "votedFor") || p != q && rapid.Bool().Draw(t, "keeps it") {
		return ""
	}
	return `"votedFor":` + d.name(q)
}

func (d *recording) term(t *rapid.T, p tracefmt.ProcessID) string {
	if !logged(t, "term") {
		return ""
	}
	name := "term"
	if d.Run().Problem == tracefmt.Zab {
		name = "epoch"
	}
	if d.texts {
		return fmt.Sprintf(`"%s":"%d"`, name, d.terms[p]+8) // 8, 9, 10: not in the order of texts
	}
	return fmt.Sprintf(`"%s":%d`, name, d.terms[p]+8)
}

// name is that of a process as a JSON value.
func (d *recording) name(q tracefmt.ProcessID) string {
	switch {
	case q == 0:
		return "null"
	case d.words:
		return fmt.Sprintf(`"n%d"`, q)
	case d.texts:
		return fmt.Sprintf(`"%d"`, q)
	}
	return fmt.Sprint(q)
}
