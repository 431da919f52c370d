package story

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"etrace/render/view"
	"etrace/tracefmt"
)

// TestTitle: a title describes the run, and nothing twice.
func TestTitle(t *testing.T) {
	for _, tt := range []struct {
		run  tracefmt.Run
		want string
	}{
		{tracefmt.Run{Algorithm: "bully", Problem: tracefmt.Election}, "bully: election among 3 processes"},
		{tracefmt.Run{Algorithm: "raft", Problem: tracefmt.Raft}, "raft among 3 processes"},
		{tracefmt.Run{Name: "figure 8", Algorithm: "raft", Problem: tracefmt.Raft}, "figure 8: raft among 3 processes"},
		{tracefmt.Run{Number: 2}, "run 2: 3 processes"},
	} {
		s := &Story{Run: &tt.run, ringOrder: make([]tracefmt.ProcessID, 3)}
		if got := s.Title(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.run, got, tt.want)
		}
	}
}

// TestRoles: heads name what sets a member apart, by the roles of docs/vocabulary.md; the title counts beside the processes
// who is none of the n.
func TestRoles(t *testing.T) {
	for _, tt := range []struct {
		roles       []string
		title, head string
	}{
		{[]string{"", "", ""}, "pbft: consensus among 3 processes", "a b c"},
		{[]string{"server", "", "client"}, "pbft: consensus among 2 processes and 1 client", "a b c (client)"},
		{[]string{"coordinator", "byzantine", "primary"}, "pbft: consensus among 3 processes", "a (coordinator) b (Byzantine) c"},
		{[]string{"observer", "client", "client"}, "pbft: consensus among 2 clients and 1 observer", "a (observer) b (client) c (client)"},
	} {
		run := &tracefmt.Run{Algorithm: "pbft", Problem: tracefmt.Consensus}
		for i, role := range tt.roles {
			m := tracefmt.Member{Name: string(rune('a' + i)), Position: i + 1}
			if role != "" {
				m.Attributes = fmt.Appendf(nil, `{"role":%q}`, role)
			}
			run.Members = append(run.Members, m)
		}
		s := newStory(run, Options{})
		var heads []string
		for p := range run.Members {
			heads = append(heads, s.RoleName(tracefmt.ProcessID(p+1)))
		}
		if got := strings.Join(heads, " "); got != tt.head || s.Title() != tt.title {
			t.Errorf("%q: %s, %s; want %s, %s", tt.roles, s.Title(), got, tt.title, tt.head)
		}
	}
}

// TestSummaryOfDoubt: no message without a recorded receipt is in flight for certain, whatever part of the run is
// drawn; the summary of a witness and of a window is about that part.
func TestSummaryOfDoubt(t *testing.T) {
	tells := &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All, Kinds: map[string]tracefmt.Level{"receive": tracefmt.None}}}
	m := tracefmt.NewMemory(tracefmt.Run{Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}, Completeness: tells})
	for seq := range tracefmt.Seq(3) {
		m.Write(&tracefmt.Event{Seq: seq + 1, Kind: tracefmt.Send, Process: 1, Peer: 2, Type: "m", Message: tracefmt.MessageID(seq + 1)})
	}
	m.Finish(tracefmt.Stopped)
	const complete = "3 messages: 3 m  ·  whether 3 arrived is not recorded"
	const part = "in this part 1 message sent: 1 m  ·  whether 1 arrived is not recorded"
	for _, tt := range []struct {
		options Options
		want    string
	}{
		{Options{}, complete},
		{Options{Highlight: []tracefmt.Seq{2}, Witness: []tracefmt.Seq{2}}, part},
		{Options{View: view.View{MaxEvents: 1}}, part},
		{Options{View: view.View{From: 2}}, "in this part 2 messages sent: 2 m  ·  whether 2 arrived is not recorded"},
	} {
		s, err := Read(t.Context(), m, tt.options)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Summary(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.options, got, tt.want)
		}
	}
}

// TestLossesUnrecorded: a message is in flight only if its loss would be recorded, too. Before its end it is in flight for certain.
func TestLossesUnrecorded(t *testing.T) {
	for _, tt := range []struct {
		level         tracefmt.Level
		end           tracefmt.Seq
		summary, last string
	}{
		{tracefmt.All, 0, "2 messages: 2 m  ·  1 in flight at the end", "still in flight at the end"},
		{tracefmt.None, 0, "2 messages: 2 m  ·  1 in flight or lost at the end", "not received: in flight or lost"},
		{tracefmt.Some, 0, "2 messages: 2 m  ·  1 in flight or lost at the end", "not received: in flight or lost"},
		{tracefmt.None, 1, "in this part 1 message sent: 1 m", "in flight when the picture ends"},
	} {
		levels := tracefmt.Levels{Default: tracefmt.All, Kinds: map[string]tracefmt.Level{"lose": tt.level}}
		m := tracefmt.NewMemory(tracefmt.Run{
			Members:      []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}},
			Completeness: &tracefmt.Completeness{Levels: levels},
		})
		m.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Send, Process: 1, Peer: 2, Type: "m", Message: 1})
		m.Write(&tracefmt.Event{Seq: 2, Kind: tracefmt.Receive, Process: 2, Peer: 1, Type: "m", Message: 1, Cause: 1})
		m.Write(&tracefmt.Event{Seq: 3, Kind: tracefmt.Send, Process: 1, Peer: 2, Type: "m", Message: 2})
		m.Finish(tracefmt.Stopped)
		s, err := Read(t.Context(), m, Options{View: view.View{To: tt.end}})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Summary(); got != tt.summary {
			t.Errorf("losses at level %d: %q, want %q", tt.level, got, tt.summary)
		}
		if got := s.MessageTip(len(s.Steps) - 1); !strings.HasSuffix(got, ", "+tt.last) {
			t.Errorf("losses at level %d: tip %q, want the end %q", tt.level, got, tt.last)
		}
	}
}

// TestSummaryOfAPart: the heading of a part counts the losses of its messages, and apart from them those of messages that were sent
// before it. With types it counts their messages.
func TestSummaryOfAPart(t *testing.T) {
	members := []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, Members: members})
	write := func(kind tracefmt.Kind, typ string, message, cause int) {
		e := tracefmt.Event{Seq: tracefmt.Seq(m.Len() + 1), Kind: kind, Process: 1, Peer: 2, Type: typ, Message: tracefmt.MessageID(message)}
		e.Cause = tracefmt.Seq(cause)
		if kind == tracefmt.Lose {
			e.Process, e.Peer, e.Payload = 2, 1, []byte(`{"reason":"dropped"}`)
		}
		m.Write(&e)
	}
	types := []string{"x", "x", "x", "y"}
	for i, typ := range types {
		write(tracefmt.Send, typ, i+1, 0)
	}
	for i, typ := range types {
		write(tracefmt.Lose, typ, i+1, i+1)
	}
	m.Finish(tracefmt.Stopped)
	for _, tt := range []struct {
		view view.View
		want string
	}{
		{view.View{}, "4 messages: 3 x, 1 y  ·  4 dropped"},
		{view.View{From: 3}, "in this part 2 messages sent: 1 x, 1 y  ·  2 of them dropped  ·  2 lost of those sent before"},
		{view.View{From: 4, To: 6}, "in this part 1 message sent: 1 y  ·  2 lost of those sent before"},
		{view.View{Types: []string{"x"}}, "3 of 4 messages: 3 x  ·  3 of them dropped"},
		{view.View{Types: []string{"y"}}, "1 of 4 messages: 1 y  ·  1 of them dropped"},
		{view.View{Types: []string{"y"}, From: 5}, "in this part 0 messages sent  ·  1 lost of those sent before"},
	} {
		s, err := Read(t.Context(), m, Options{View: tt.view})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Summary(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.view, got, tt.want)
		}
	}
}

// TestSummaryNamesProcesses: a process that is down is not to be taken for a number of processes.
func TestSummaryNamesProcesses(t *testing.T) {
	const members = 8
	for crashes, want := range map[int]string{
		1: "0 messages  ·  process 1 is down at the end",
		2: "0 messages  ·  processes 1 and 2 are down at the end",
		8: "0 messages  ·  processes 1, 2, 3, 4, 5, 6 and 2 more are down at the end",
	} {
		m := tracefmt.NewMemory(tracefmt.Run{})
		for p := range members {
			m.Run().Members = append(m.Run().Members, tracefmt.Member{Name: fmt.Sprint(p + 1), Position: p + 1})
		}
		for p := range crashes {
			m.Write(&tracefmt.Event{Seq: tracefmt.Seq(p + 1), Kind: tracefmt.Crash, Process: tracefmt.ProcessID(p + 1)})
		}
		m.Finish(tracefmt.Stopped)
		s, err := Read(t.Context(), m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Summary(); got != want {
			t.Errorf("%d are down: %q, want %q", crashes, got, want)
		}
	}
}

// TestWhoIsElected: live processes disagree if two have elected different ones; a process that has not elected yet
// contradicts no other.
func TestWhoIsElected(t *testing.T) {
	for _, c := range []struct {
		elected []string // by process
		want    string
	}{
		{[]string{"a", "null", "null"}, "a is elected by 1 of 3 live processes"},
		{[]string{"a", "null", "a"}, "a is elected by 2 of 3 live processes"},
		{[]string{"a", "a", "a"}, "a is elected"},
		{[]string{"a", "x", "null"}, "the live processes do not agree on who is elected"},
		{[]string{"a", "b", "null"}, "the live processes do not agree on who is elected"},
	} {
		m := tracefmt.NewMemory(tracefmt.Run{
			Problem: tracefmt.Election, TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		})
		for i, leader := range c.elected {
			if leader != "null" {
				leader = strconv.Quote(leader)
			}
			m.Write(&tracefmt.Event{
				Seq: tracefmt.Seq(m.Len() + 1), Kind: tracefmt.State, Process: tracefmt.ProcessID(i + 1), Payload: []byte(`{"elected":` + leader + `}`),
			})
		}
		m.Finish(tracefmt.Quiescent)
		s, err := Read(t.Context(), m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.electedWords(s.condition, s.Leader()); got != c.want {
			t.Errorf("%q: %q, want %q", c.elected, got, c.want)
		}
	}
}

// TestLeaderOfAPartialRecording: where elections may be missing, a process without a recorded choice may have made the
// choice of the others. A process whose recorded choice is null, or an unknown process, has not made it.
func TestLeaderOfAPartialRecording(t *testing.T) {
	for _, c := range []struct{ elected, want string }{
		{"", "a is elected, as far as is recorded"},
		{"null", "a is elected by 2 of 3 live processes, as far as is recorded"},
		{`"x"`, "the live processes do not agree on who is elected, as far as is recorded"},
	} {
		some := &tracefmt.Completeness{Levels: tracefmt.Levels{
			Default: tracefmt.All, Kinds: map[string]tracefmt.Level{"state.elected": tracefmt.Some},
		}}
		m := tracefmt.NewMemory(tracefmt.Run{
			Problem: tracefmt.Election, TimeUnit: tracefmt.Logical, Completeness: some,
			Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		})
		for i, choice := range []string{`"a"`, c.elected, `"a"`} {
			e := tracefmt.Event{
				Seq: tracefmt.Seq(m.Len() + 1), Kind: tracefmt.State, Process: tracefmt.ProcessID(i + 1), Payload: []byte(`{"elected":` + choice + `}`),
			}
			if choice == "" {
				e.Payload = []byte(`{"term":1}`)
			}
			m.Write(&e)
		}
		m.Finish(tracefmt.Stopped)
		s, err := Read(t.Context(), m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.electedText(s.condition, s.Leader()); got != c.want {
			t.Errorf("elected %q: %q, want %q", c.elected, got, c.want)
		}
	}
}

// TestMissing: the events, hops, keys and processes that a picture leaves out are counted, each with the reason.
func TestMissing(t *testing.T) {
	s := &Story{Folded: 12, Merged: 3, Others: 2, Idle: 1, Hidden: 1}
	s.ringOrder, s.Order = make([]tracefmt.ProcessID, 3), make([]tracefmt.ProcessID, 2)
	want := "1 event not shown (use --from/--to); 12 events that repeat others not shown; " +
		"3 hops of messages that are only passed on merged with the hops before; 2 keys without a violation not shown; " +
		"1 process without an event here not shown"
	if got := s.Missing(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSummaryOfShownSenders: a summary counts the messages of the processes, types and events that are shown. The lost
// messages and the messages in flight are among these, wherever they end.
func TestSummaryOfShownSenders(t *testing.T) {
	var members []tracefmt.Member
	for i, name := range []string{"a", "b", "c"} {
		members = append(members, tracefmt.Member{Name: name, Position: i + 1})
	}
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, Members: members})
	send := func(sender, receiver tracefmt.ProcessID) (at tracefmt.Seq) {
		at = tracefmt.Seq(m.Len() + 1)
		m.Write(&tracefmt.Event{Seq: at, Kind: tracefmt.Send, Process: sender, Peer: receiver, Type: "x", Message: tracefmt.MessageID(at)})
		return at
	}
	end := func(kind tracefmt.Kind, sent tracefmt.Seq, sender, receiver tracefmt.ProcessID, reason string) {
		m.Write(&tracefmt.Event{
			Seq: tracefmt.Seq(m.Len() + 1), Kind: kind, Process: receiver, Peer: sender, Type: "x", Message: tracefmt.MessageID(sent), Cause: sent,
			Payload: []byte(reason),
		})
	}
	const dropped, down = `{"reason":"dropped"}`, `{"reason":"receiver crashed"}`
	first, second, third, fourth, fifth := send(1, 3), send(1, 3), send(1, 2), send(3, 1), send(3, 1) // 1 to 5
	end(tracefmt.Lose, first, 1, 3, dropped)
	end(tracefmt.Lose, second, 1, 3, down)
	end(tracefmt.Receive, third, 1, 2, "")
	end(tracefmt.Lose, fourth, 3, 1, dropped)
	end(tracefmt.Lose, fifth, 3, 1, dropped)
	m.Finish(tracefmt.Quiescent)
	a := []bool{false, true, false, false}
	for _, tt := range []struct {
		options Options
		want    string
	}{
		{Options{}, "5 messages: 5 x  ·  4 lost (1 at receivers that are down)"},
		{Options{View: view.View{Processes: a}}, "3 of 5 messages: 3 x  ·  2 of them lost (1 at receivers that are down)"},
		{Options{View: view.View{Processes: a, To: 9}}, "in this part 3 messages sent: 3 x  ·  2 of them lost (1 at receivers that are down)"},
		{Options{View: view.View{Processes: a, From: 2}}, "in this part 2 messages sent: 2 x  ·  1 of them lost at receivers that are down"},
		{Options{View: view.View{From: 5}}, "in this part 1 message sent: 1 x  ·  1 of them dropped  ·  3 lost of those sent before"},
		{Options{View: view.View{MaxEvents: 6}}, "in this part 5 messages sent: 5 x  ·  1 of them dropped"},
		{Options{Highlight: []tracefmt.Seq{3, 8}}, "in this part 3 messages sent: 3 x  ·  2 lost of those sent before"},
	} {
		s, err := Read(t.Context(), m, tt.options)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Summary(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.options, got, tt.want)
		}
	}
}

// TestHiddenEvents: a picture that hides events counts all events of its part that it does not draw, timers included.
func TestHiddenEvents(t *testing.T) {
	members := []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, Members: members})
	for seq := range tracefmt.Seq(12) {
		e := tracefmt.Event{Seq: seq + 1, Kind: tracefmt.Note, Type: "n", Process: tracefmt.ProcessID(seq%2 + 1)}
		if seq%4 == 3 { // 4, 8 and 12, of b
			e.Kind = tracefmt.SetTimer
		}
		m.Write(&e)
	}
	m.Finish(tracefmt.Stopped)
	for _, tt := range []struct {
		view view.View
		want string
	}{
		{view.View{}, ""},
		{view.View{MaxEvents: 5}, "events 1 to 6 of 12; 7 events not shown (use --from/--to)"},
		{view.View{MaxEvents: 2, To: 8}, "events 1 to 2 of 12; 6 events not shown (use --from/--to)"},
		{view.View{MaxEvents: 9}, ""},
		{view.View{Processes: []bool{false, true, false}}, "6 events not shown; 1 process not shown"},
	} {
		s, err := Read(t.Context(), m, Options{View: tt.view})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Missing(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.view, got, tt.want)
		}
	}
}

// TestPartWithoutMessages: only a run without a message has the text "messages not recorded". A part without a message has another text.
func TestPartWithoutMessages(t *testing.T) {
	some := &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All, Kinds: map[string]tracefmt.Level{"send": tracefmt.Some}}}
	m := tracefmt.NewMemory(tracefmt.Run{Completeness: some, Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}})
	m.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Note, Process: 1, Type: "n"})
	m.Write(&tracefmt.Event{Seq: 2, Kind: tracefmt.Send, Process: 1, Peer: 2, Type: "m", Message: 1})
	m.Write(&tracefmt.Event{Seq: 3, Kind: tracefmt.Receive, Process: 2, Peer: 1, Type: "m", Message: 1, Cause: 2})
	m.Finish(tracefmt.Stopped)
	for last, want := range map[tracefmt.Seq]string{0: "at least 1 message: 1 m", 1: "in this part no recorded messages"} {
		s, err := Read(t.Context(), m, Options{View: view.View{To: last}})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Summary(); got != want {
			t.Errorf("to %d: %q, want %q", last, got, want)
		}
	}
}

// TestSummaryOfAPartition: the summary of a part names the groups of a partition that began before it.
func TestSummaryOfAPartition(t *testing.T) {
	for _, tt := range []struct {
		groups string
		from   tracefmt.Seq
		want   string
	}{
		{`{"groups":[["a"],["b"]]}`, 1, "0 messages"},
		{`{"groups":[["a"],["b"]]}`, 2, "in this part 0 messages sent  ·  partition when the picture begins: a  |  b"},
		{`{"groups":[["a"],["b"]]}`, 3, "in this part 0 messages sent  ·  partition when the picture begins: a  |  b"},
		{``, 2, "in this part 0 messages sent  ·  partition when the picture begins"},
		{`{"groups":[["a"],["b"]]}`, 4, "in this part 0 messages sent"},
	} {
		m := tracefmt.NewMemory(tracefmt.Run{Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}})
		m.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Partition, Payload: []byte(tt.groups)})
		m.Write(&tracefmt.Event{Seq: 2, Kind: tracefmt.Note, Process: 1, Type: "n"})
		m.Write(&tracefmt.Event{Seq: 3, Kind: tracefmt.Heal})
		m.Write(&tracefmt.Event{Seq: 4, Kind: tracefmt.Note, Process: 1, Type: "n"})
		m.Finish(tracefmt.Quiescent)
		s, err := Read(t.Context(), m, Options{View: view.View{From: tt.from}})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Summary(); got != tt.want {
			t.Errorf("from %d: %q, want %q", tt.from, got, tt.want)
		}
	}
}
