package property_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/fixtures/exceptions"
	"etrace/fixtures/size"
	"etrace/replay"
	"etrace/tracefmt"
)

// countMessages are the properties that are about all messages: those of a client are examined, too, so that they may
// be satisfied where they were vacuous.
var countMessages = exceptions.New(
	exceptions.Row{What: "causal-delivery", Why: "all messages"},
	exceptions.Row{What: "fifo", Why: "all messages"},
	exceptions.Row{What: "message-integrity", Why: "all messages"},
	exceptions.Row{What: "no-duplication", Why: "all messages"},
	exceptions.Row{What: "no-loss", Why: "all messages"},
)

// beyond are the properties that no law of clients holds for.
var beyond = exceptions.New(
	exceptions.Row{What: "lamport-clocks", Why: "all events are to have clocks; those of the client have none"},
	exceptions.Row{What: "message-complexity", Why: "theory counts all members"},
	exceptions.Row{What: "messages-at-most(2*n)", Why: "n counts all members"},
	exceptions.Row{What: "termination-within(12)", Why: "the messages of the client, too, end in time"},
)

// beyondUndeclared are the properties that a member without a role changes.
var beyondUndeclared = exceptions.New(
	exceptions.Row{What: "leader-has-quorum", Why: "a member that says nothing may be one that elects, so that no majority is known"},
	exceptions.Row{What: "ring-successor-only", Why: "the ring is that of the members, unless their roles say otherwise"},
)

// TestIdleClient: a member with the role of a client, an observer or a controller, or
// with none in a recording, that does nothing, or only sends, or only receives,
// changes no verdict.
func TestIdleClient(t *testing.T) {
	obeys(t, func(t *rapid.T, m *tracefmt.Memory, _ bool) (*tracefmt.Memory, func(string, finding, finding) bool) {
		client, place := drawClient(t, m.Run())
		does := rapid.SampledFrom([]string{"nothing", "nothing", "sends", "receives"}).Draw(t, "the client")
		recorded, seqs := withClient(t, m, client, place, does)
		return recorded, func(name string, was, current finding) bool {
			similar := alike(was.Verdict, current.Verdict)
			for i, seq := range was.Witness {
				was.Witness[i] = seqs(seq)
			}
			if does != "nothing" { // a witness may be the last step at which something held
				was.Witness = current.Witness
			}
			obeys := cmp.Equal(was, current)
			switch {
			case beyond.Has(name):
				return obeys || beyond.Excuse(name)
			case client.Attributes == nil && beyondUndeclared.Has(name):
				return obeys || beyondUndeclared.Excuse(name)
			case does != "nothing" && similar:
				return obeys || countMessages.Excuse(name)
			}
			return obeys
		}
	})
	checkNeeded(t, countMessages, beyond, beyondUndeclared)
}

// checkNeeded reports the exceptions that no drawn run needs. Only make long draws enough of them.
func checkNeeded(t *testing.T, tables ...*exceptions.Table) {
	t.Helper()
	if size.Now() != size.Long {
		return
	}
	for _, table := range tables {
		table.CheckNeeded(t.Logf)
	}
}

// drawClient returns a member for a run, and where it is to be among the others.
func drawClient(t *rapid.T, run *tracefmt.Run) (client tracefmt.Member, place tracefmt.ProcessID) {
	roles, names := []string{"client", "observer", "controller"}, []string{"0", "99"}
	if run.Source != tracefmt.Simulated {
		roles = append(roles, "", "")
	}
	role := rapid.SampledFrom(roles).Draw(t, "role")
	if role != "" { // one without may take part: its name decides whether ids are numbers
		names = append(names, "A", "zz")
	}
	client = tracefmt.Member{Name: rapid.SampledFrom(names).Draw(t, "name"), Position: len(run.Members) + 1}
	if role != "" {
		client.Attributes = fmt.Appendf(nil, `{"role":%q}`, role)
	}
	return client, tracefmt.ProcessID(rapid.IntRange(1, len(run.Members)+1).Draw(t, "place"))
}

// withClient adds an idle member, and returns the new place of each event.
func withClient(t *rapid.T, m *tracefmt.Memory, client tracefmt.Member, place tracefmt.ProcessID,
	does string,
) (*tracefmt.Memory, func(tracefmt.Seq) tracefmt.Seq) {
	run := *m.Run()
	run.Members = slices.Insert(slices.Clone(run.Members), int(place)-1, client)
	shift := func(p tracefmt.ProcessID) tracefmt.ProcessID {
		if p >= place {
			return p + 1
		}
		return p
	}
	o, recorded := oracle{m.Run(), events(m)}, tracefmt.NewMemory(run)
	moved := make([]tracefmt.Seq, m.Len()+1)
	for k, e := range o.events {
		if does != "nothing" && rapid.IntRange(0, 3).Draw(t, "a message of the client") == 0 {
			traffic(recorded, o, k, does, o.processes()[k%len(o.run.Members)], place)
		}
		moved[e.Seq] = tracefmt.Seq(recorded.Len() + 1)
		e.Process, e.Peer = shift(e.Process), shift(e.Peer)
		_ = recorded.Write(&e) // a Memory takes every event
	}
	seqs := func(s tracefmt.Seq) tracefmt.Seq {
		switch {
		case s <= 0:
			return s
		case int(s) > m.Len(): // forged
			return s + tracefmt.Seq(recorded.Len()-m.Len())
		}
		return moved[s]
	}
	for _, e := range o.events {
		at := recorded.At(seqs(e.Seq))
		*at = movedEvent(*at, e, seqs)
	}
	recorded.Finish(run.End)
	return recorded, seqs
}

// traffic writes a message between the client and p, which is received at once. It
// has to do with nothing, so a p that is new or has been down is left alone: who has done no
// more than be written about may not have been up.
func traffic(recorded *tracefmt.Memory, o oracle, k int, does string, p, client tracefmt.ProcessID) {
	last, up := -1, false // step of p
	for i, e := range o.events[:k] {
		if e.Process == p && e.Kind != tracefmt.Lose {
			last, up = i, up || e.Kind == tracefmt.Start || replay.IsAct(&e)
		}
	}
	if !up || o.down(p, 0, k) {
		return
	}
	now := o.events[last].Time
	if p >= client {
		p++
	}
	send := tracefmt.Event{
		Seq: tracefmt.Seq(recorded.Len() + 1), Kind: tracefmt.Send, Process: client, Peer: p,
		Type: "IDLE", Message: tracefmt.MessageID(1000 + recorded.Len()),
	}
	receive := tracefmt.Event{
		Seq: send.Seq + 1, Kind: tracefmt.Receive, Process: p, Peer: client, Type: "IDLE",
		Message: send.Message, Cause: send.Seq, Time: now,
	}
	if does == "receives" {
		send.Process, send.Peer, send.Time = p, client, now
		receive.Process, receive.Peer, receive.Time = client, p, 0
	}
	_ = recorded.Write(&send)
	_ = recorded.Write(&receive)
}

var causesField = regexp.MustCompile(`"causes":\[(\d+)\]`)

// movedEvent is an event whose place, and those of the causes of what it was before,
// have changed.
func movedEvent(e, was tracefmt.Event, seqs func(tracefmt.Seq) tracefmt.Seq) tracefmt.Event {
	e.Seq, e.Cause = seqs(was.Seq), seqs(was.Cause)
	if m := causesField.FindSubmatch(was.Payload); m != nil {
		cause, _ := strconv.Atoi(string(m[1])) // digits
		e.Payload = fmt.Appendf(nil, `{"causes":[%d]}`, seqs(tracefmt.Seq(cause)))
	}
	return e
}
