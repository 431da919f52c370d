package pgo_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/pgo"
)

// read imports files of one execution.
func read(t testing.TB, options map[string]string, files ...string) (*tracefmt.Collector, interop.Report, error) {
	t.Helper()
	var inputs []*interop.Input
	for i, text := range files {
		input, err := interop.NewInput(fmt.Sprintf("trace-%d.log", i), strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, input)
	}
	var got tracefmt.Collector
	report, err := interop.Import(context.Background(), pgo.Format, interop.Join(inputs...), &got, interop.Settings{Options: options})
	return &got, report, err
}

// events are those of the run as words: process, kind, type, peer with the seq of the send, and
// the payload without the log.
func events(t testing.TB, options map[string]string, files ...string) string {
	t.Helper()
	got, report, err := read(t, options, files...)
	if err != nil {
		t.Fatal(err)
	}
	for _, remark := range report.Runs[0].Remarks() {
		t.Log(remark)
	}
	var b strings.Builder
	run := got.Runs[0]
	for e := range run.Events(1) {
		fmt.Fprintf(&b, "%d %s %s", e.Seq, run.Run().ProcessName(e.Process), e.Kind)
		if e.Type != "" {
			b.WriteString(" " + e.Type)
		}
		if e.Peer != 0 {
			fmt.Fprintf(&b, " %s", run.Run().ProcessName(e.Peer))
		}
		if e.Cause != 0 {
			fmt.Fprintf(&b, " <%d", e.Cause)
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

// step writes a line: clock is of entries such as ASpeaker 1 4, the first its own; elements are
// as in write net 2 VALUE, with old= for a variable.
func step(clock string, at string, aborted bool, elements ...string) string {
	var ticks []string
	var local []string
	for entry := range strings.SplitSeq(clock, ", ") {
		words := strings.Fields(entry)
		if local == nil {
			local = words
		}
		ticks = append(ticks, fmt.Sprintf("[[%q,%q],%s]", words[0], words[1], words[2]))
	}
	name := func(name string) string {
		return fmt.Sprintf(`"name":{"name":%q,"prefix":%q,"self":%q}`, name, local[0], local[1])
	}
	list := []string{fmt.Sprintf(`{"indices":[],%s,"tag":"read","value":%q}`, name(".pc"), `"`+local[0]+"."+at+`"`)}
	for _, e := range elements {
		words := strings.SplitN(e, " ", 4)
		indices, old := "[]", ""
		if words[2] != "-" {
			indices = fmt.Sprintf("[%q]", words[2])
		}
		if v, found := strings.CutPrefix(words[3], "old="); found {
			before, after, _ := strings.Cut(v, " ")
			words[3], old = after, fmt.Sprintf(`"oldValue":%q,`, before)
		}
		list = append(list, fmt.Sprintf(`{"indices":%s,%s,%s"tag":%q,"value":%q}`, indices, name(words[1]), old, words[0], words[3]))
	}
	return fmt.Sprintf(`{"archetypeName":%q,"clock":[%s],"csElements":[%s],"endTime":"2026-03-07T10:00:0%s.5Z","isAbort":%t,"self":%q,"startTime":"2026-03-07T10:00:00Z"}`+"\n",
		local[0], strings.Join(ticks, ","), strings.Join(list, ","), local[2][:1], aborted, local[1])
}

// Two archetypes speak: the second one tries in vain first. The lines of the first are in the
// wrong order.
var (
	speaker = step(
		"ASpeaker 1 2, AListener 2 3", "hear", false,
		`read net 1 (("type") :> ("yes") @@ ("n") :> ((1) :> ({2, 1})))`, `write heard - old=defaultInitValue TRUE`,
	) +
		step("ASpeaker 1 1", "say", false, `write net 2 <<5, 4>>`, `write out - "x"`)
	listener = step("AListener 2 1", "wait", true, `write n - old=0 1`) +
		step("AListener 2 2, ASpeaker 1 1", "wait", false, `read net 2 <<5, 4>>`) +
		step("AListener 2 3, ASpeaker 1 1", "answer", false, `write net 1 (("type") :> ("yes") @@ ("n") :> ((1) :> ({2, 1})))`)
)

func TestMessages(t *testing.T) {
	want := `1 AListener(2) note abort
2 ASpeaker(1) note ASpeaker.say out="x"
3 ASpeaker(1) send net AListener(2) value=[5,4]
4 AListener(2) receive net ASpeaker(1) <3 value=[5,4]
5 AListener(2) note AListener.wait
6 AListener(2) note AListener.answer
7 AListener(2) send yes ASpeaker(1) n={"1":[1,2]}
8 ASpeaker(1) receive yes AListener(2) <7 n={"1":[1,2]}
9 ASpeaker(1) note ASpeaker.hear
10 ASpeaker(1) state heard=true
`
	if diff := cmp.Diff(want, events(t, nil, speaker, listener)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, events(t, nil, listener, speaker)); diff != "" {
		t.Error("in the other order of files:", diff)
	}
}

// Equal values on their way: the receiver's clock decides whose it takes. What it does not know it
// does not receive.
func TestEqualValues(t *testing.T) {
	got := events(t, nil,
		step("A 1 1", "a", false, "write net 3 7"), step("B 2 1", "b", false, "write net 3 7"),
		step("C 3 1, B 2 1", "c", false, "read net 3 7")+step("C 3 2, B 2 1", "c", false, "read net 3 7"))
	for _, want := range []string{"C(3) receive net B(2)", "C(3) note net"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "C(3) receive net A(1)") {
		t.Errorf("received what its clock does not know:\n%s", got)
	}
}

// What the receiver has known before its step is no news: it takes the message that it has just heard of.
func TestNews(t *testing.T) {
	got := events(t, nil,
		step("A 1 1", "a", false, "write net 3 7"), step("B 2 1", "b", false, "write net 3 7"),
		step("C 3 1, A 1 1", "c", false, "write x - old=0 1")+step("C 3 2, A 1 1, B 2 1", "c", false, "read net 3 7"))
	if !strings.Contains(got, "C(3) receive net B(2)") {
		t.Errorf("C does not receive what is new to it:\n%s", got)
	}
}

// A message that is not received goes to the archetype that reads the network, not to another with the same self.
func TestReader(t *testing.T) {
	got := events(t, nil,
		step("A 3 1", "a", false, "read net 3 7"), step("B 3 1", "b", false, "write x - old=0 1"),
		step("C 1 1", "c", false, "write net 3 8"))
	if !strings.Contains(got, "C(1) send net A(3)") {
		t.Errorf("the message does not go to the reader:\n%s", got)
	}
}

// A client that hears of a server follows the latest step that its clock newly knows, and no step that this step knows.
func TestCauses(t *testing.T) {
	want := `1 1 note APart.p
2 1 state x=1
3 1 note BPart.p
4 1 state x=2
5 C(7) note C.c <4
6 D(8) note D.d <5
`
	got := events(t, nil,
		step("APart 1 1", "p", false, "write x 1 old=0 1"), step("BPart 2 1, APart 1 1", "p", false, "write x 1 old=1 2"),
		step("C 7 1, BPart 2 1, APart 1 1", "c", false), step("D 8 1, BPart 2 1, C 7 1", "d", false))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Two archetypes are parts of server 1: its steps follow the clocks. The client is another
// process.
var server = []string{
	step(
		"APart 1 1, AOther 2 1", "second", false, `write state 1 old="candidate" "leader"`,
		`write leader 1 old=0 1`, `write log 1 old=<<>> <<(("term") :> (2)), (("term") :> (2))>>`,
	) +
		step(
			"APart 1 2, AOther 2 1", "third", false, `write log 1 old=<<>> <<(("term") :> (2))>>`,
			`write hasLock 9 old=TRUE FALSE`, `write m - old=1 2`,
		),
	step(
		"AOther 2 1", "first", false, `write state 1 old="follower" "candidate"`, `write currentTerm 1 old=1 2`,
		`write votedFor 1 old=0 1`, `write m - old=1 2`,
	),
	step("AClient 9 1", "ask", false, `write net 1 1`, `write hasLock 9 old=FALSE TRUE`, `write leader - old=0 1`) +
		step("AClient 9 2", "wait", false, `read net 9 1`),
}

func TestServer(t *testing.T) {
	got, _, err := read(t, nil, server...)
	if err != nil {
		t.Fatal(err)
	}
	if run := got.Runs[0].Run(); run.Problem != tracefmt.Raft || len(run.Members) != 2 {
		t.Errorf("problem %s, members %v, want raft of 2", run.Problem, run.Members)
	}
	list := events(t, nil, server...)
	for _, want := range []string{
		"1 note AOther.first", `1 state role="candidate" term=2 votedFor="1" AOther.m=2`, "1 note APart.second",
		`1 state role="leader" elected="1" log[1]={"term":2} log[2]={"term":2}`, `1 state log[2]=null APart.m=2`,
		"AClient(9) send net 1 value=1", "AClient(9) note enter", "AClient(9) state leader=1",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("no %s in\n%s", want, list)
		}
	}
	if i, j := strings.Index(list, "AOther.first"), strings.Index(list, "APart.second"); i > j {
		t.Errorf("AOther.first comes after what knows of it:\n%s", list)
	}
	apart, _, err := read(t, map[string]string{"archetypes": "true"}, server...)
	if err != nil {
		t.Fatal(err)
	}
	if run := apart.Runs[0].Run(); len(run.Members) < 3 || run.Members[0].Name != "AClient(9)" {
		t.Errorf("members %v, want each archetype", run.Members)
	}
	if text := events(t, map[string]string{"archetypes": "true"}, server...); !strings.Contains(text, `APart(1) state 1.state="leader"`) {
		t.Errorf("a part is no server:\n%s", text)
	}
}

// Steps that clocks know of and no file has are gaps; a line outside a trace may have been a step, and a step that
// comes twice counts once.
func TestDamage(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{
			"missing", step("A 1 1", "a", false) + step("A 1 4", "a", false),
			"line 2: own-sequence: the own clock of A(1) goes from 1 to 4, expected 2; steps are missing",
		},
		{"cut", step("A 1 1", "a", false) + step("B 2 1, A 1 3", "b", false), "clocks know of 3 steps of A(1), the file ends with step 1"},
		{"absent", step("B 2 1, A 1 3", "b", false), "clocks know of A(1), of which there is no file"},
		{
			"twice", step("A 1 1", "a", false) + step("A 1 1", "b", false),
			"line 2: unique-steps: step 1 of A(1) occurs before, at trace-0.log:1, the first counts",
		},
		{"truncated", step("A 1 1", "a", false) + `{"archetypeName":"A","clock":[[["A"`, "1 line is not part of any event"},
		{
			"no own entry",
			step("A 1 1", "a", false) + strings.Replace(step("A 1 2", "a", false), `"self":"1","startTime`, `"self":"2","startTime`, 1),
			"1 line is not part of any event",
		},
		{
			"cycle", step("A 1 1, B 2 1", "a", false) + step("B 2 1, A 1 1", "b", false),
			"causal-order: step B(2)/1 knows of step A(1)/1, which knows of it",
		},
	} {
		got, report, err := read(t, nil, c.text)
		list := fmt.Sprint(err)
		if err == nil {
			list = strings.Join(report.Runs[0].Remarks(), "\n") + fmt.Sprint(report.Runs[0].Findings)
		}
		if !strings.Contains(list, c.want) {
			t.Errorf("%s: %s, want %s", c.name, list, c.want)
		}
		if gap := slices.Contains([]string{"missing", "cut", "truncated", "no own entry"}, c.name); err == nil &&
			gap != (len(got.Runs[0].Run().Completeness.Gaps) > 0) {
			t.Errorf("%s: gaps %v", c.name, got.Runs[0].Run().Completeness.Gaps)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(speaker, listener, false)
	f.Add(server[0]+server[2], server[1], true)
	f.Add(step("A 1 1, B 2 1", "a", false), step("B 2 1, A 1 1", "b", false), false)
	f.Fuzz(func(t *testing.T, first, second string, apart bool) {
		got, _, err := read(t, map[string]string{"archetypes": fmt.Sprint(apart)}, first, second)
		if err != nil {
			return
		}
		if err := tracefmt.Validate(got.Runs[0]); err != nil {
			t.Error(err)
		}
	})
}
