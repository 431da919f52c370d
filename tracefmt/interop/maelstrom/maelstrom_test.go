package maelstrom_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/fixtures/growth"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/maelstrom"
)

func read(t testing.TB, text string) (*tracefmt.Collector, interop.Report, error) {
	t.Helper()
	input, err := interop.NewInput("j.jsonl", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var got tracefmt.Collector
	report, err := interop.Import(context.Background(), maelstrom.Format, input, &got, interop.Settings{})
	return &got, report, err
}

// events are those of the run as words: process, kind, type, the other end of a message
// with the seq of its send, and the payload without the fields of the log.
func events(t testing.TB, text string) string {
	t.Helper()
	got, _, err := read(t, text)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	run := got.Runs[0]
	name := func(p tracefmt.ProcessID) string {
		if p == 0 {
			return "-"
		}
		return run.Run().ProcessName(p)
	}
	for e := range run.Events(1) {
		fmt.Fprintf(&b, "%d %s %s %s", e.Seq, name(e.Process), e.Kind, e.Type)
		if e.Peer != 0 {
			fmt.Fprintf(&b, " %s %d", name(e.Peer), e.Cause)
		}
		for key, value := range tracefmt.Fields(e.Payload) {
			if string(key) != tracefmt.LogKey {
				fmt.Fprintf(&b, " %s=%s", key, value)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func line(ev, node, src, dest, body string) string {
	return fmt.Sprintf(`{"seq":1,"t":0.5,"ev":%q,"node":%q,"msg":{"src":%q,"dest":%q,"body":{%s}}}`, ev, node, src, dest, body) + "\n"
}

const initial = `"type":"init","node_id":"n1","node_ids":["n1","n2"],"msg_id":1`

// TestMessages: the writer is the sender whoever the src is, equal messages are paired in
// their order, a second arrival is a duplicate, and who gets what no process sent is half a message.
func TestMessages(t *testing.T) {
	text := line("send", "c1", "c1", "n1", initial) + line("recv", "n1", "c1", "n1", initial) +
		line("send", "n1", "c1", "n2", `"type":"echo"`) + line("recv", "n2", "c1", "n2", `"type":"echo"`) +
		line("send", "n1", "n1", "n2", `"type":"gossip"`) + line("send", "n1", "n1", "n2", `"type":"gossip"`) +
		line("recv", "n2", "n1", "n2", `"type": "gossip"`) + line("recv", "n2", "n1", "n2", `"type":"gossip"`) +
		line("recv", "n2", "n1", "n2", `"type":"gossip"`) +
		line("recv", "n1", "n2", "n1", `"type":"alone","x":1`) +
		`{"t":0.6,"ev":"log","node":"n2","line":"hello"}` + "\n"
	want := `1 c1 send init n1 0 node_id="n1" node_ids=["n1","n2"] msg_id=1
2 n1 receive init c1 1 node_id="n1" node_ids=["n1","n2"] msg_id=1
3 n1 send echo n2 0
4 n2 receive echo n1 3
5 n1 send gossip n2 0
6 n1 send gossip n2 0
7 n2 receive gossip n1 5
8 n2 receive gossip n1 6
9 n2 receive gossip n1 6
10 n1 receive alone n2 0 x=1
` + "11 n2 note \n"
	if diff := cmp.Diff(want, events(t, text)); diff != "" {
		t.Error(diff)
	}
	got, _, _ := read(t, text)
	run := got.Runs[0].Run()
	if len(run.Members) != 3 || run.Role(3) != "client" || run.Role(1) != "" || run.Problem != "" {
		t.Errorf("members %+v, problem %q", run.Members, run.Problem)
	}
}

// TestTimes: t counts seconds.
func TestTimes(t *testing.T) {
	got, _, err := read(t, `{"t":0.5,"ev":"log","node":"n1","line":"a"}
{"t":2.25,"ev":"log","node":"n1","line":"b"}
`)
	if err != nil {
		t.Fatal(err)
	}
	var times []tracefmt.Time
	for e := range got.Runs[0].Events(1) {
		times = append(times, e.Time)
	}
	if len(times) != 2 || times[1]-times[0] != 1_750_000_000 {
		t.Errorf("times %v, want two that are 1.75 s apart", times)
	}
}

// TestRestart: a node that gets init again was killed after its last line.
func TestRestart(t *testing.T) {
	first := line("send", "c1", "c1", "n1", initial) + line("recv", "n1", "c1", "n1", initial)
	want := `1 c1 send init n1 0 node_id="n1" node_ids=["n1","n2"] msg_id=1
2 n1 receive init c1 1 node_id="n1" node_ids=["n1","n2"] msg_id=1
3 n1 crash  inferred=true
4 c1 send init n1 0 node_id="n1" node_ids=["n1","n2"] msg_id=1
5 n1 recover ` + `
6 n1 receive init c1 4 node_id="n1" node_ids=["n1","n2"] msg_id=1
`
	if diff := cmp.Diff(want, events(t, first+first)); diff != "" {
		t.Error(diff)
	}
	_, report, err := read(t, first+first)
	note := "the crash of n1 is inferred from its start at j.jsonl:4; it may have crashed at any moment after its " +
		"last line, j.jsonl:2; --crashed n1@TIME states it"
	if err != nil || !slices.Contains(report.Runs[0].Notes, note) {
		t.Error(err, report.Runs[0].Notes)
	}
}

// TestNetwork: a node is cut off from the others, what is lost then was partitioned.
func TestNetwork(t *testing.T) {
	text := line("recv", "n1", "c1", "n1", initial) +
		line("send", "n1", "n1", "n2", `"n":1`) + line("drop", "n2", "n1", "n2", `"n":1`) +
		`{"ev":"partition","node":"n2"}` + "\n" +
		line("send", "n1", "n1", "n2", `"n":2`) + line("drop", "n2", "n1", "n2", `"n":2`) +
		`{"ev":"heal","node":""}` + "\n"
	want := `2 n1 send  n2 0 n=1
3 n2 lose  n1 2 reason="dropped"
4 - partition  groups=[["n2"],["n1"]]
5 n1 send  n2 0 n=2
6 n2 lose  n1 5 reason="partitioned"
7 - heal ` + "\n"
	_, got, _ := strings.Cut(events(t, text), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestOperations: requests for a key are operations of the client, each ended by its first
// answer; a read that has no key is of another workload.
func TestOperations(t *testing.T) {
	answer := func(id, body string) string {
		return line("recv", "c1", "n1", "c1", `"in_reply_to":`+id+`,`+body)
	}
	ask := func(id, body string) string { return line("send", "c1", "c1", "n1", `"msg_id":`+id+`,`+body) }
	for _, test := range []struct{ ask, answer, want string }{
		{`"type":"read","key":5`, `"type":"read_ok","value":7`, `read op="c1/1" key=5: read op="c1/1" outcome="ok" value=7`},
		{`"type":"read","key":5`, `"type":"error","code":20`, `read op="c1/1" key=5: read op="c1/1" outcome="ok" value=null`},
		{`"type":"read","key":5`, `"type":"error","code":11`, `read op="c1/1" key=5: read op="c1/1" outcome="fail"`},
		{`"type":"write","key":"a","value":[1]`, `"type":"write_ok"`, `write op="c1/1" key="a" value=[1]: write op="c1/1" outcome="ok"`},
		{`"type":"write","key":"a","value":1`, `"type":"error","code":0`, `write op="c1/1" key="a" value=1: write op="c1/1" outcome="unknown"`},
		{`"type":"write","key":"a","value":1`, `"type":"error","code":13`, `write op="c1/1" key="a" value=1: write op="c1/1" outcome="unknown"`},
		{
			`"type":"write","key":"a","value":1`, `"type":"error","code":1234`,
			`write op="c1/1" key="a" value=1: write op="c1/1" outcome="unknown"`,
		},
		{`"type":"read","key":5`, `"type":"error","code":22`, `read op="c1/1" key=5: read op="c1/1" outcome="fail"`},
		{`"type":"read","key":5`, `"type":"write_ok"`, `read op="c1/1" key=5: read op="c1/1" outcome="unknown"`},
		{`"type":"write","key":"a","value":1`, `"type":"error","code":20`, `write op="c1/1" key="a" value=1: write op="c1/1" outcome="fail"`},
		{ // a code that the protocol does not define: Maelstrom takes no such error for definite
			`"type":"write","key":"a","value":1`, `"type":"error","code":999`,
			`write op="c1/1" key="a" value=1: write op="c1/1" outcome="unknown"`,
		},
		{
			`"type":"write","key":"a","value":1`, `"type":"error","code":1000`,
			`write op="c1/1" key="a" value=1: write op="c1/1" outcome="unknown"`,
		},
		{
			`"type":"cas","key":1,"from":1,"to":2`, `"type":"error","code":20`,
			`cas op="c1/1" key=1 old=1 new=2: cas op="c1/1" outcome="ok" value=false`,
		},
		{`"type":"cas","key":1,"from":1,"to":2`, `"type":"error","code":11`, `cas op="c1/1" key=1 old=1 new=2: cas op="c1/1" outcome="fail"`},
		{`"type":"cas","key":1,"from":1,"to":2`, `"type":"error","code":13`, `cas op="c1/1" key=1 old=1 new=2: cas op="c1/1" outcome="unknown"`},
		{`"type":"cas","key":1,"from":1,"to":2`, `"type":"error","code":0`, `cas op="c1/1" key=1 old=1 new=2: cas op="c1/1" outcome="unknown"`},
		{`"type":"cas","key":1,"from":1,"to":2`, `"type":"cas_ok"`, `cas op="c1/1" key=1 old=1 new=2: cas op="c1/1" outcome="ok"`},
		{
			`"type":"cas","key":1,"from":1,"to":2`, `"type":"error","code":22`,
			`cas op="c1/1" key=1 old=1 new=2: cas op="c1/1" outcome="ok" value=false`,
		},
		{`"type":"read"`, `"type":"read_ok","value":7`, ``},
	} {
		got, _, err := read(t, ask("1", test.ask)+answer("1", test.answer)+answer("1", test.answer))
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for e := range got.Runs[0].Events(1) {
			if e.Kind != tracefmt.Invoke && e.Kind != tracefmt.Return {
				continue
			}
			word := e.Type
			for _, key := range []string{"op", "key", "old", "new", "outcome", "value"} {
				if value, ok := e.Field(key); ok {
					word += fmt.Sprintf(" %s=%s", key, value)
				}
			}
			words = append(words, word)
		}
		if got := strings.Join(words, ": "); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

// TestRaft: a node that asks for votes, votes, or sends entries has its role recorded once.
func TestRaft(t *testing.T) {
	text := line("send", "n1", "n1", "n2", `"type":"request_vote","term":3`) +
		line("send", "n2", "n2", "n1", `"type":"request_vote_res","term":3,"vote_granted":true`) +
		line("send", "n2", "n2", "n1", `"type":"request_vote_res","term":3,"vote_granted":false`) +
		line("send", "n1", "n1", "n2", `"type":"append_entries","term":3`) + line("send", "n1", "n1", "n3", `"type":"append_entries","term":3`) +
		line("send", "n2", "n2", "n1", `"type":"append_entries_res","term":3,"success":true`) +
		line("send", "n3", "n3", "n1", `"type":"append_entries_res","term":4,"success":false`)
	want := `n1 role="candidate" term=3
n2 votedFor="n1" term=3
n1 role="leader" elected="n1" term=3
n2 role="follower" elected="n1" term=3
`
	var b strings.Builder
	for event := range strings.Lines(events(t, text)) {
		if words := strings.SplitN(event, " ", 5); words[2] == "state" {
			b.WriteString(words[1] + " " + words[4])
		}
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	if got, _, _ := read(t, text); got.Runs[0].Run().Problem != tracefmt.Raft {
		t.Errorf("problem %q", got.Runs[0].Run().Problem)
	}
}

// A node loses a value that it returned before the client asked. A reply that was asked for earlier may lack it, and a node that
// has restarted may have forgotten it.
func TestLostValues(t *testing.T) {
	// A step ?C asks as client C, and =C[VALUES] replies to it; ! restarts the node.
	journal := func(steps string) (text string) {
		asked := map[string]int{}
		for i, step := range strings.Fields(steps) {
			client := step[:min(2, len(step))]
			switch client[0] {
			case '!':
				text += `{"t":0.6,"ev":"crash","node":"n1"}` + "\n" + `{"t":0.7,"ev":"recover","node":"n1"}` + "\n"
			case '?':
				asked[client[1:]] = i
				text += line("send", "c"+client[1:], "c"+client[1:], "n1", fmt.Sprintf(`"type":"read","msg_id":%d`, i))
			case '=':
				body := fmt.Sprintf(`"type":"read_ok","messages":%s,"in_reply_to":%d`, step[2:], asked[client[1:]])
				text += line("send", "n1", "n1", "c"+client[1:], body)
			}
		}
		return text
	}
	// A read is its number and its count of values. A loss is the number of the earlier read, and the values.
	for steps, want := range map[string]string{
		"?1 =1[1] ?1 =1[1,2]":               "1:1 2:2",
		"?1 =1[1,2] ?2 =2[2]":               "1:2 2:1 lost 1[1]",
		"?1 =1[1] ?1 =1[] ?1 =1[1] ?1 =1[]": "1:1 2:0 lost 1[1] 3:1 4:0 lost 3[1]",
		"?1 =1[1] ?1 =1[] ?1 =1[]":          "1:1 2:0 lost 1[1] 3:0",
		"?1 ?2 =1[1] =2[]":                  "1:1 2:0",
		"?1 ?2 =1[1] =2[] ?1 =1[]":          "1:1 2:0 3:0 lost 1[1]",
		"?1 =1[1] ! ?1 =1[]":                "1:1 2:0",
		"?1 =1[1] ! ?1 =1[1] ?1 =1[]":       "1:1 2:1 3:0 lost 2[1]",
		// Values of one read are in one note, values of several reads in several.
		"?1 =1[1,2] ?1 =1[1,2,3] ?1 =1[]":      "1:2 2:3 3:0 lost 1[1,2] lost 2[3]",
		"?1 =1[1] ?1 =1[2] ?1 =1[] ?1 =1[2]":   "1:1 2:1 lost 1[1] 3:0 lost 2[2] 4:1",
		"?1 =1[1,2,3] ?1 =1[2] ?1 =1[1]":       "1:3 2:1 lost 1[1,3] 3:1 lost 1[2]",
		"?1 =1[1] ?1 =1[2] ?1 =1[1,2] ?1 =1[]": "1:1 2:1 lost 1[1] 3:2 4:0 lost 2[2] lost 3[1]",
	} {
		var notes []string
		words := strings.NewReplacer(" n1 note read read=", "", " n1 note lost read=", "lost ", " values=[", "[", " values=", ":")
		for event := range strings.Lines(events(t, journal(steps))) {
			_, note, _ := strings.Cut(event, " ")
			if strings.Contains(note, " note read ") || strings.Contains(note, " note lost ") {
				notes = append(notes, words.Replace(" "+strings.TrimSpace(note)))
			}
		}
		if got := strings.Join(notes, " "); got != want {
			t.Errorf("%s: reads %s, expected %s", steps, got, want)
		}
	}
}

// TestManyReplies: a reply costs its values and the lost ones, however many the node has returned: late replies lose none, and
// the last one loses all.
func TestManyReplies(t *testing.T) {
	growth.Linear(t, 2_000, func(n int) func() {
		var b strings.Builder
		for i := range n {
			b.WriteString(line("send", "c1", "c1", "n1", fmt.Sprintf(`"type":"read","msg_id":%d`, i)))
		}
		for i := range n {
			b.WriteString(line("send", "n1", "n1", "c1", fmt.Sprintf(`"type":"read_ok","messages":[%d],"in_reply_to":%d`, i, i)))
		}
		b.WriteString(line("send", "c1", "c1", "n1", `"type":"read","msg_id":"last"`))
		b.WriteString(line("send", "n1", "n1", "c1", `"type":"read_ok","messages":[],"in_reply_to":"last"`))
		return func() {
			got, _, err := read(t, b.String())
			if err != nil || got.Runs[0].Len() < 5*n {
				t.Fatalf("%v, want a loss of each value", err)
			}
		}
	})
}

// TestDamage: lines that are none of a journal are shown with their numbers, and the others
// read. What is damaged may have been an event, so that there is a gap.
func TestDamage(t *testing.T) {
	good := line("send", "n1", "n1", "n2", `"type":"x"`)
	for _, bad := range []string{
		`{"ev":"send","node":"n1","msg":{"src":"n1"`, `[]`, `null`, "\x00\xff", `{"ev":"reboot","node":"n1"}`,
		`{"ev":"send","node":"n1"}`, `{"ev":"send","node":"n1","msg":{"src":"n1","dest":"n2","body":7}}`,
		`{"ev":"send","node":"","msg":{"src":"n1","dest":"n2","body":{}}}`, strings.Repeat(`{"a":`, 20_000), strings.Repeat("x", 10<<20),
	} {
		got, report, err := read(t, good+bad+"\r\n"+good)
		if err != nil {
			t.Errorf("%.60q: %v", bad, err)
			continue
		}
		if gaps := got.Runs[0].Run().Completeness.Gaps; (len(gaps) > 0) == strings.Contains(bad, "reboot") {
			t.Errorf("%.60q: gaps %+v, want some unless the line is whole", bad, gaps)
		}
		if s := report.Runs[0].Skipped; len(s.First) != 1 || s.First[0].Number != 2 || report.Runs[0].Events != 2 {
			t.Errorf("%.60q: skipped %+v, %d events", bad, s, len(got.Runs))
		}
	}
	odd := line("send", "n1", "n1", "n2", `"type":7,"term":"x","msg_id":[1],"key":{"a":[]},"a":1,"a":2`)
	if got, want := events(t, odd), "1 n1 send  n2 0 term=\"x\" msg_id=[1] key={\"a\":[]} a=2\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(line("send", "c1", "c1", "n1", initial) + line("recv", "n1", "c1", "n1", initial) +
		line("send", "n1", "n1", "n2", `"type":"append_entries","term":3`) +
		line("drop", "n2", "n1", "n2", `"type":"append_entries","term":3`))
	f.Add(`{"ev":"partition","node":"n2"}` + "\n" + line("send", "c1", "c1", "n1",
		`"type":"cas","key":1,"from":1,"to":2,"msg_id":2`) +
		line("recv", "c1", "n1", "c1", `"type":"error","code":22,"in_reply_to":2`))
	f.Fuzz(func(t *testing.T, text string) {
		got, _, err := read(t, text)
		if err != nil {
			return
		}
		if err := tracefmt.Validate(got.Runs[0]); err != nil {
			t.Error(err)
		}
	})
}

// TestPartitionNamesTheOthers: a partition names the others of at most 100 nodes.
func TestPartitionNamesTheOthers(t *testing.T) {
	for _, c := range []struct{ nodes, groups int }{{2, 2}, {100, 2}, {101, 1}} {
		var ids []string
		for i := range c.nodes {
			ids = append(ids, fmt.Sprintf("%q", fmt.Sprint("n", i)))
		}
		text := line("recv", "n0", "c1", "n0", `"type":"init","node_ids":[`+strings.Join(ids, ",")+`]`) + `{"ev":"partition","node":"n1"}`
		want := `partition  groups=[["n1"]]`
		if c.groups == 2 {
			want = `partition  groups=[["n1"],[` + strings.Join(slices.Delete(ids, 1, 2), ",") + `]]`
		}
		if got := events(t, text); !strings.Contains(got, want) {
			t.Errorf("%d nodes:\n%s\nwant %s", c.nodes, got, want)
		}
	}
}
