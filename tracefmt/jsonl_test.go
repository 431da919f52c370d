package tracefmt_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// twoRuns is the form in the package comment: two runs, the second cut.
const twoRuns = `{"format":"etrace/1","name":"a","algorithm":"bully","problem":"election","source":"simulated","scenario":{"ids":"1-2"},"seed":-7,"time_unit":"delay","tool":"t","members":[{"name":"1","position":1},{"name":"2 \"x\"","position":2,"attributes":{"rank":[1,2]}}],"traits":["greatest-wins","my-own"],"bounds":[{"messages":"3*n-1","if":"n >= 2","counts":"sent","delays":"unit","source":"é <&>"},{"messages":"n"}]}
{"seq":1,"time":0,"process":"1","kind":"start","lamport":1,"payload":{"elected":null,"s":"\u00e4 é <&>"}}
{"seq":2,"time":-5,"process":"1","kind":"send","type":"EL\"ECTION","peer":"2 \"x\"","message":1,"lamport":2,"term":3}
{"seq":3,"time":1000000000,"process":"2 \"x\"","kind":"receive","type":"EL\"ECTION","peer":"1","message":1,"cause":2,"lamport":3,"payload":{}}
{"seq":4,"time":9223372036854775807,"kind":"heal"}
{"end":"quiescent","events":4}
{"format":"etrace/1","time_unit":"ns","started_at":"2026-01-01T00:00:00Z","members":[]}
{"seq":1,"time":0,"kind":"note","type":"\ufffd\u0001 "}
`

// decodeAll reads every run of a text.
func decodeAll(text []byte) ([]*tracefmt.Memory, error) {
	var runs []*tracefmt.Memory
	d := tracefmt.NewDecoder(bytes.NewReader(text))
	for {
		run, err := d.NextRun()
		if err == io.EOF {
			return runs, nil
		}
		if err != nil {
			return runs, err
		}
		m := tracefmt.NewMemory(*run)
		runs = append(runs, m)
		for {
			e, err := d.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return runs, err
			}
			if err := m.Write(e); err != nil {
				return runs, err
			}
		}
		m.Finish(run.End)
	}
}

func encodeAll(runs []*tracefmt.Memory) ([]byte, error) {
	var b bytes.Buffer
	enc := tracefmt.NewEncoder(&b)
	for _, m := range runs {
		if err := enc.Encode(m); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

func events(m *tracefmt.Memory) []tracefmt.Event {
	var events []tracefmt.Event
	for e := range m.Events(1) {
		events = append(events, *e.Clone())
	}
	return events
}

func TestTextRoundTrip(t *testing.T) {
	runs, err := decodeAll([]byte(twoRuns))
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 2 || runs[0].Run().End != tracefmt.Quiescent || runs[0].Len() != 4 || runs[1].Run().End != tracefmt.Open {
		t.Fatalf("got %d runs, expected a quiescent one of 4 events and an open one", len(runs))
	}
	text, err := encodeAll(runs)
	if err != nil {
		t.Fatal(err)
	}
	// \u00e4 in a payload stays as it is; in names, U+0001 and U+FFFD have one form.
	want := bytes.Replace([]byte(twoRuns), []byte(`"type":"\ufffd\u0001 "`), []byte("\"type\":\"\ufffd\\u0001 \""), 1)
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// hostile texts: whatever a name, a type or a string of a payload may hold.
var hostileText = rapid.OneOf(
	rapid.SampledFrom(
		[]string{
			"1", "-0", "007", "1e3", "null", "true", `"`, `\`, "\\u0041", "\x00", "\x1b[31m", "\u2028",
			"\ufeff", "\ufffd", "\u202e", "{}", "😀", " ", "\r\n", "<&>",
		},
	),
	rapid.String(),
)

func drawObject(t *rapid.T, label string) []byte {
	fields := rapid.MapOf(hostileText, rapid.OneOf(
		rapid.Map(hostileText, func(s string) any { return s }),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Just[any](nil),
		rapid.Just[any]([]any{1, map[string]any{"x": "}"}, "]"}),
	)).Draw(t, label)
	b, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// drawRun draws a run that is well-formed, and otherwise as odd as can be.
func drawRun(t *rapid.T) *tracefmt.Memory {
	names := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
		s := hostileText.Draw(t, "name")
		if s == "" {
			s = "empty"
		}
		return s
	}), 1, 5, rapid.ID).Draw(t, "names")
	run := tracefmt.Run{
		Name: hostileText.Draw(t, "run"), Algorithm: hostileText.Draw(t, "algorithm"), Problem: hostileText.Draw(t, "problem"),
		Source: hostileText.Draw(t, "source"), Tool: hostileText.Draw(t, "tool"), StartedAt: hostileText.Draw(t, "started"),
		TimeUnit: rapid.SampledFrom([]tracefmt.TimeUnit{tracefmt.Delays, tracefmt.Nanoseconds, tracefmt.Logical}).Draw(t, "unit"),
	}
	if rapid.Bool().Draw(t, "scenario?") {
		run.Scenario = drawObject(t, "scenario")
	}
	if rapid.Bool().Draw(t, "seed?") {
		seed := rapid.Int64().Draw(t, "seed")
		run.Seed = &seed
	}
	run.Traits = drawTraits(t)
	for range rapid.IntRange(0, 2).Draw(t, "bounds") {
		run.Bounds = append(run.Bounds, drawBound(t))
	}
	for i, name := range names {
		member := tracefmt.Member{Name: name, Position: rapid.IntRange(-1, 9).Draw(t, "position")}
		if i%2 == 0 {
			member.Attributes = drawObject(t, "attributes")
		}
		run.Members = append(run.Members, member)
	}
	m := tracefmt.NewMemory(run)
	var sends []tracefmt.Event
	for range rapid.IntRange(0, 12).Draw(t, "events") {
		e := drawEvent(t, len(names), tracefmt.Seq(m.Len()+1), sends)
		if e.Kind == tracefmt.Send {
			sends = append(sends, e)
		}
		if err := m.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	m.Finish(rapid.SampledFrom([]tracefmt.End{tracefmt.Quiescent, tracefmt.Stopped, tracefmt.Deadline, tracefmt.Open}).Draw(t, "end"))
	return m
}

// drawTraits returns known and unknown words, nil for none.
func drawTraits(t *rapid.T) []string {
	words := rapid.SampledFrom([]string{tracefmt.GreatestWins, tracefmt.OnRing, "my-own", "x"})
	if list := rapid.SliceOfNDistinct(words, 0, 3, rapid.ID).Draw(t, "traits"); len(list) > 0 {
		return list
	}
	return nil
}

func drawBound(t *rapid.T) tracefmt.Bound {
	kinds := []string{"", tracefmt.WorstCase, tracefmt.ExactCase, tracefmt.LeastCase, tracefmt.MeanCase, tracefmt.OrderOf}
	var without []string
	if rapid.Bool().Draw(t, "without?") {
		without = []string{hostileText.Draw(t, "without"), "elected"}
	}
	var given map[string]int64
	if rapid.Bool().Draw(t, "given?") {
		given = map[string]int64{"edges": rapid.Int64().Draw(t, "edges"), "diameter": 3}
	}
	return tracefmt.Bound{
		Kind: rapid.SampledFrom(kinds).Draw(t, "kind of the bound"), Without: without, Given: given,
		Messages: "n" + hostileText.Draw(t, "messages"), If: hostileText.Draw(t, "if"), Source: hostileText.Draw(t, "source of the bound"),
		Counts: rapid.SampledFrom([]string{"", tracefmt.CountsSent, tracefmt.CountsOthers, tracefmt.CountsDelivered}).Draw(t, "counts"),
		Delays: rapid.SampledFrom([]string{"", tracefmt.UnitDelays}).Draw(t, "delays"),
	}
}

func drawEvent(t *rapid.T, n int, seq tracefmt.Seq, sends []tracefmt.Event) tracefmt.Event {
	e := tracefmt.Event{
		Seq: seq, Kind: rapid.SampledFrom(tracefmt.Kinds()).Draw(t, "kind"), Time: tracefmt.Time(rapid.Int64().Draw(t, "time")),
		Lamport: rapid.Int64Min(0).Draw(t, "lamport"), Term: rapid.Int64().Draw(t, "term"),
	}
	if (e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose) && len(sends) == 0 {
		e.Kind = tracefmt.Note
	}
	info := e.Kind.Info()
	has := func(need tracefmt.Need) bool {
		return need == tracefmt.Required || need == tracefmt.Optional && rapid.Bool().Draw(t, "has")
	}
	process := rapid.IntRange(1, n)
	if has(info.Process) {
		e.Process = tracefmt.ProcessID(process.Draw(t, "process"))
	}
	if has(info.Peer) {
		e.Peer = tracefmt.ProcessID(process.Draw(t, "peer"))
	}
	if has(info.Type) {
		e.Type = hostileText.Draw(t, "type")
		if e.Type == "" {
			e.Type = "empty"
		}
	}
	if has(info.Message) {
		e.Message = tracefmt.MessageID(seq) * tracefmt.MessageID(rapid.SampledFrom([]int64{1, -1, 1 << 40}).Draw(t, "scale"))
	}
	if has(info.Cause) && seq > 1 {
		e.Cause = tracefmt.Seq(rapid.Int64Range(1, int64(seq-1)).Draw(t, "cause"))
	}
	if has(info.Payload) {
		e.Payload = drawObject(t, "payload")
	}
	if e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose {
		s := rapid.SampledFrom(sends).Draw(t, "of")
		e.Process, e.Peer, e.Message, e.Cause = s.Peer, s.Process, s.Message, s.Seq
	}
	return e
}

// TestRoundTrip: what is well-formed is written and read again as it was, and
// what was read is written as the same bytes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var runs []*tracefmt.Memory
		for range rapid.IntRange(1, 3).Draw(t, "runs") {
			m := drawRun(t)
			if err := tracefmt.Validate(m); err != nil {
				t.Fatalf("the drawn run is not well-formed: %v", err)
			}
			runs = append(runs, m)
		}
		text, err := encodeAll(runs)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeAll(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if len(got) != len(runs) {
			t.Fatalf("got %d runs, want %d\n%s", len(got), len(runs), text)
		}
		for i := range runs {
			want := *runs[i].Run()
			want.Number = 0
			if diff := cmp.Diff(want, *got[i].Run()); diff != "" {
				t.Fatalf("run %d (-want +got)\n%s\n%s", i+1, diff, text)
			}
			if diff := cmp.Diff(events(runs[i]), events(got[i])); diff != "" {
				t.Fatalf("run %d (-want +got)\n%s\n%s", i+1, diff, text)
			}
		}
		again, err := encodeAll(got)
		if err != nil || !bytes.Equal(text, again) {
			t.Fatalf("encoded again, %v:\n%s\nwant\n%s", err, again, text)
		}
	})
}

// TestSpacedLines: white space between the parts, other escapes and numbers
// for names are read, and written in the one form.
func TestSpacedLines(t *testing.T) {
	const loose = "\uFEFF\n  {\"format\" : \"etrace/1\",\"time_unit\":\"delay\",\"members\":[ {\"name\":\"4\"},{\"name\":\"b\"} ]} \r\n\r\n" +
		"\t{ \"kind\":\"send\" , \"\\u0073eq\":1, \"process\":4,\"peer\":\"\\u0062\",\"message\" " +
		":9,\"payload\" : { \"a\" : [ 1, 2 ] , \"b c\":\" \" } }\r\n" +
		"{\"events\":1,\"x\":1}"
	const want = `{"format":"etrace/1","time_unit":"delay","members":[{"name":"4","position":0},{"name":"b","position":0}]}
{"seq":1,"time":0,"process":"4","kind":"send","peer":"b","message":9,"payload":{"a":[1,2],"b c":" "}}
`
	runs, err := decodeAll([]byte(loose))
	if err == nil || err.Error() != `line 5: "events": an event has no such key` {
		t.Fatalf("got error %v", err)
	}
	runs[0].Finish(tracefmt.Open)
	got, err := encodeAll(runs)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestEncoderRefuses(t *testing.T) {
	run := &tracefmt.Run{Members: []tracefmt.Member{{Name: "1"}}, TimeUnit: tracefmt.Delays}
	for _, e := range []tracefmt.Event{
		{Seq: 1, Kind: tracefmt.Start, Process: 2},
		{Seq: 1, Kind: tracefmt.Start, Process: -1},
		{Seq: 1, Kind: tracefmt.Send, Process: 1, Peer: 2},
		{Seq: 1, Process: 1},
		{Seq: 1, Kind: 99, Process: 1},
	} {
		enc := tracefmt.NewEncoder(io.Discard)
		if err := enc.Begin(run); err != nil {
			t.Fatal(err)
		}
		if err := enc.Write(&e); err == nil {
			t.Errorf("%+v is written, expected an error", e)
		}
	}
}

// longText is a run of n events like those of a simulation.
func longText(n int) *tracefmt.Memory {
	run := tracefmt.Run{TimeUnit: tracefmt.Delays}
	for i := range 8 {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprint(i), Position: i + 1})
	}
	m := tracefmt.NewMemory(run)
	for i := range n {
		seq := tracefmt.Seq(i + 1)
		e := tracefmt.Event{Seq: seq, Time: tracefmt.Time(i) * 1e7, Lamport: int64(i), Process: 1, Peer: 2}
		switch i % 3 {
		case 0:
			e.Kind, e.Type, e.Message, e.Payload = tracefmt.Send, "ELECTION", tracefmt.MessageID(seq), []byte(
				`{"id":4,"list":[1,2,3,4,5,6],"round":17,"who":"nobody"}`,
			)
		case 1:
			e.Kind, e.Type, e.Message, e.Cause = tracefmt.Receive, "ELECTION", tracefmt.MessageID(seq-1), seq-1
			e.Process, e.Peer = 2, 1
			e.Payload = []byte(`{"id":4,"list":[1,2,3,4,5,6],"round":17,"who":"nobody"}`)
		case 2:
			e.Kind, e.Peer, e.Payload = tracefmt.State, 0, []byte(`{"elected":null,"holding":true}`)
		}
		_ = m.Write(&e) // a Memory takes every event
	}
	m.Finish(tracefmt.Stopped)
	return m
}

func BenchmarkEncode(b *testing.B) {
	m := longText(100_000)
	b.ReportAllocs()
	for b.Loop() {
		if err := tracefmt.NewEncoder(io.Discard).Encode(m); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.Len()), "ns/event")
}

func BenchmarkDecode(b *testing.B) {
	m := longText(100_000)
	text, err := encodeAll([]*tracefmt.Memory{m})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		d := tracefmt.NewDecoder(bytes.NewReader(text))
		if _, err := d.NextRun(); err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := d.Next(); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.Len()), "ns/event")
}

func BenchmarkValidate(b *testing.B) {
	m := longText(100_000)
	b.ReportAllocs()
	for b.Loop() {
		if err := tracefmt.Validate(m); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.Len()), "ns/event")
}
