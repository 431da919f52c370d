package perfetto_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/perfetto"
)

// message is a decoded message: by number of field its values, numbers or bytes.
type message map[protowire.Number][]any

func decode(t *testing.T, b []byte) message {
	t.Helper()
	m := message{}
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		var value any
		switch kind {
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			value, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			value, n = protowire.ConsumeBytes(b)
		default:
			t.Fatalf("type %d", kind)
		}
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		m[field] = append(m[field], value)
	}
	return m
}

func (m message) number(field protowire.Number) uint64 {
	if len(m[field]) == 0 {
		return 0
	}
	return m[field][0].(uint64)
}

func (m message) text(field protowire.Number) string {
	if len(m[field]) == 0 {
		return ""
	}
	return string(m[field][0].([]byte))
}

func (m message) inner(t *testing.T, field protowire.Number) (list []message) {
	t.Helper()
	for _, b := range m[field] {
		list = append(list, decode(t, b.([]byte)))
	}
	return list
}

// decoded are the events of a trace, each as one line, by the numbers of
// protos/perfetto/trace of ec5d16b14b74.
func decoded(t *testing.T, trace []byte) (tracks []string, events []event) {
	t.Helper()
	names := map[uint64]string{}
	for _, packet := range decode(t, trace).inner(t, 1) {
		if packet.number(10) == 0 {
			t.Error("a packet has no sequence")
		}
		for _, track := range packet.inner(t, 60) {
			if names[track.number(1)] != "" || track.number(1) == 0 || track.number(5) != 0 && names[track.number(5)] == "" {
				t.Errorf("track %v has no number of its own, or its parent comes later", track)
			}
			names[track.number(1)] = track.text(2)
			tracks = append(tracks, fmt.Sprintf("%s %d", track.text(2), track.number(12)))
		}
		for _, e := range packet.inner(t, 11) {
			if e.number(9) != 3 {
				events = append(events, event{at: packet.number(8), track: names[e.number(11)], name: e.text(23), slice: e.number(9)})
				continue
			}
			first := event{at: packet.number(8), track: names[e.number(11)], name: e.text(23), flows: e[47], last: e[48], notes: map[string]any{}}
			if first.track == "" {
				t.Errorf("event %q is of no track", first.name)
			}
			for _, a := range e.inner(t, 4) {
				first.notes[a.text(10)] = fmt.Sprint(int64(a.number(4)))
				if a[6] != nil {
					first.notes[a.text(10)] = a.text(6)
				}
			}
			events = append(events, first)
		}
	}
	return tracks, events
}

type event struct {
	at          uint64
	track, name string
	flows, last []any
	slice       uint64 // 1 begins one, 2 ends one
	notes       map[string]any
}

func runOf(t *testing.T, text string) *tracefmt.Memory {
	t.Helper()
	runs, err := tracefmt.ReadMemory(strings.NewReader(text))
	if err != nil || len(runs) != 1 {
		t.Fatal(len(runs), err)
	}
	return runs[0]
}

func export(t *testing.T, runs ...tracefmt.Recording) []byte {
	t.Helper()
	var b bytes.Buffer
	if left, err := interop.Export(perfetto.Format, &b, runs, nil); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	return b.Bytes()
}

// The clock of b is behind that of a; one message arrives twice, one is lost, one is on its way.
const skewed = `{"format":"etrace/1","name":"skewed","time_unit":"ns","members":[{"name":"a","position":2},{"name":"b","position":1},{"name":"idle","position":3}]}
{"seq":1,"time":1700000000000000100,"process":"a","kind":"send","type":"PING","peer":"b","message":1,"payload":{"n":1}}
{"seq":2,"time":1700000000000000100,"process":"a","kind":"send","type":"PING","peer":"b","message":2}
{"seq":3,"time":1700000000000000050,"process":"b","kind":"receive","type":"PING","peer":"a","message":1,"cause":1,"payload":{"n":1}}
{"seq":4,"time":1700000000000000050,"process":"b","kind":"receive","type":"PING","peer":"a","message":1,"cause":1,"payload":{"n":1}}
{"seq":5,"time":1700000000000000060,"process":"b","kind":"lose","type":"PING","peer":"a","message":2,"cause":2}
{"seq":6,"time":1700000000000000070,"process":"b","kind":"send","type":"PONG","peer":"a","message":3}
{"seq":7,"time":1700000000000000200,"kind":"heal"}
{"end":"stopped","events":7}
`

func TestPerfetto(t *testing.T) {
	tracks, events := decoded(t, export(t, runOf(t, skewed)))
	if got := strings.Join(tracks, ", "); got != "skewed 0, a 2, b 1, network 4" {
		t.Errorf("tracks %s", got)
	}
	var got []string
	for _, e := range events {
		// The viewer would show an empty row for what the event lacks.
		for name, value := range e.notes {
			if value == "" {
				t.Errorf("%s at %d has an empty annotation %s", e.name, e.at, name)
			}
		}
		got = append(
			got,
			fmt.Sprintf("%s %s +%d %v %v %s", e.track, e.name, e.at-1700000000000000000, len(e.flows), len(e.last), e.notes["time"]),
		)
	}
	want := []string{
		"a send PING +100 1 0 1700000000000000100",
		"a send PING (lost) +101 1 0 1700000000000000100",
		"b receive PING +101 1 0 1700000000000000050",
		"b receive PING +102 0 1 1700000000000000050",
		"b lose PING +103 0 0 1700000000000000060",
		"b send PONG (not received) +104 1 0 1700000000000000070",
		"network heal +200 0 0 1700000000000000200",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if f := events[0].flows[0]; f != events[2].flows[0] || f != events[3].last[0] || f == events[1].flows[0] || f == uint64(0) {
		t.Error("the ends of a message have another flow, or two messages have one")
	}
	for name, want := range map[string]string{
		"seq": "1", "peer": "b", "type": "PING", "message": "1", "payload": `{"n":1}`,
		"wall": "2023-11-14T22:13:20.0000001Z",
	} {
		if events[0].notes[name] != want {
			t.Errorf("%s is %v, expected %s", name, events[0].notes[name], want)
		}
	}
}

// TestPerfettoOrder: no event is before its causes or the event before it of its track, and each
// has all of its fields; whatever kind it is of.
func TestPerfettoOrder(t *testing.T) {
	_, text, _ := strings.Cut(tracefmt.DescribeJSONL(), "\nExample:\n")
	run := runOf(t, text)
	_, events := decoded(t, export(t, run, run))
	events = slices.DeleteFunc(events, func(e event) bool { return e.slice != 0 })
	if len(events) != 2*run.Len() {
		t.Fatalf("%d events, expected %d", len(events), 2*run.Len())
	}
	// Slices of one track must not begin at one time, else the viewer nests them.
	latest := map[string]uint64{}
	i := 0
	for e := range run.Events(1) {
		got := events[i]
		if before, ok := latest[got.track]; ok && got.at <= before {
			t.Errorf("seq %d at %d, the one before at %d", e.Seq, got.at, before)
		}
		latest[got.track] = got.at
		for cause := range e.Causes() {
			if got.at <= events[cause-1].at {
				t.Errorf("seq %d is not after its cause %d", e.Seq, cause)
			}
		}
		payload, _ := got.notes["payload"].(string)
		if !strings.HasPrefix(got.name, e.Kind.String()) || payload != string(e.Payload) ||
			got.notes["seq"] != fmt.Sprint(e.Seq) || got.notes["time"] != fmt.Sprint(int64(e.Time)) {
			t.Errorf("%v, expected %v", got, e)
		}
		i++
	}
	if events[5].flows[0] == events[run.Len()+5].flows[0] {
		t.Error("messages of two runs have one flow")
	}
}

// TestPerfettoSpells: who led when, and who was inside, are slices, which end where the process
// goes down, begins anew or the run ends; and as many end as begin.
func TestPerfettoSpells(t *testing.T) {
	run := runOf(t, `{"format":"etrace/1","time_unit":"ns","members":[{"name":"a","position":1},{"name":"b","position":2}]}
{"seq":1,"time":1,"process":"a","kind":"start","payload":{"role":"follower"}}
{"seq":2,"time":2,"process":"a","kind":"state","term":3,"payload":{"role":"leader"}}
{"seq":3,"time":3,"process":"a","kind":"state","payload":{"x":1}}
{"seq":4,"time":4,"process":"a","kind":"note","type":"enter"}
{"seq":5,"time":5,"process":"a","kind":"note","type":"enter"}
{"seq":6,"time":6,"process":"a","kind":"crash"}
{"seq":7,"time":7,"process":"a","kind":"recover"}
{"seq":8,"time":8,"process":"b","kind":"note","type":"enter"}
{"seq":9,"time":9,"process":"b","kind":"note","type":"exit"}
{"seq":10,"time":10,"process":"b","kind":"state","payload":{"role":"leader"}}
{"seq":11,"time":11,"process":"a","kind":"state","payload":{"role":null}}
{"end":"stopped","events":11}
`)
	tracks, events := decoded(t, export(t, run))
	if got := strings.Join(tracks, ", "); got != "run 1 0, a 1, role 1, inside 2, b 2, inside 2, role 1" {
		t.Errorf("tracks %s", got)
	}
	var got []string
	for _, e := range events {
		if e.slice != 0 {
			got = append(got, fmt.Sprint(e.at, " ", e.track, " ", [...]string{1: "begin", 2: "end"}[e.slice], " ", e.name))
		}
	}
	want := []string{
		"1 role begin follower", "2 role end ", "2 role begin leader, term 3", "4 inside begin inside",
		"6 role end ", "6 inside end ", "8 inside begin inside", "9 inside end ", "10 role begin leader", "11 role end ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
