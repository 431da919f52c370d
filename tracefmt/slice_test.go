package tracefmt_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// TestSlices: whatever events of a run a slice has, it is well-formed, and is written and
// read as it is, from any seq on, in memory and in a text.
func TestSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		described := *run.Run()
		described.Slice = true
		slice := tracefmt.NewMemory(described)
		for e := range run.Events(1) {
			if rapid.Bool().Draw(t, "in the slice") {
				_ = slice.Write(e) // memory takes everything
			}
		}
		_ = slice.Finish(run.Run().End)
		if err := tracefmt.Validate(slice); err != nil {
			t.Fatal(err)
		}
		text, err := encodeAll([]*tracefmt.Memory{slice})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text[:bytes.IndexByte(text, '\n')], []byte(`"slice":true`)) {
			t.Fatalf("the header does not say what it is: %s", text)
		}
		got, err := decodeAll(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(*slice.Run(), *got[0].Run()); diff != "" {
			t.Fatalf("(-want +got)\n%s\n%s", diff, text)
		}
		texts, err := tracefmt.NewText("slice.jsonl", bytes.NewReader(text), int64(len(text))).Runs()
		if err != nil {
			t.Fatal(err)
		}
		from := tracefmt.Seq(rapid.IntRange(-1, run.Len()+1).Draw(t, "from"))
		var want []tracefmt.Event
		for _, e := range events(slice) {
			if e.Seq >= from {
				want = append(want, e)
			}
		}
		for _, rec := range []tracefmt.Recording{got[0], texts[0]} {
			if diff := cmp.Diff(want, eventsFrom(rec, from)); diff != "" {
				t.Fatalf("%T from %d (-want +got)\n%s\n%s", rec, from, diff, text)
			}
		}
	})
}

func eventsFrom(rec tracefmt.Recording, from tracefmt.Seq) (list []tracefmt.Event) {
	for e, err := range rec.Events(from) {
		if err != nil {
			panic(err)
		}
		list = append(list, *e.Clone())
	}
	return list
}

// TestSliceJumps: a long slice is read from any of its events on, wherever its gaps are.
func TestSliceJumps(t *testing.T) {
	slice := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, Slice: true, End: tracefmt.Open})
	for i := range 20_000 {
		seq := tracefmt.Seq(i + 1)
		if i >= 5000 {
			seq = tracefmt.Seq(3 * i) // 15,000 and more: none between
		}
		_ = slice.Write(&tracefmt.Event{Seq: seq, Kind: tracefmt.Heal})
	}
	text, err := encodeAll([]*tracefmt.Memory{slice})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := tracefmt.NewText("-", bytes.NewReader(text), int64(len(text))).Runs()
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[tracefmt.Seq]tracefmt.Seq{
		1: 1, 4096: 4096, 4097: 4097, 5000: 5000, 5001: 15_000, 8192: 15_000, 15_001: 15_003,
		24_576: 24_576, 30_000: 30_000, 59_997: 59_997, 59_998: 0,
	} {
		for _, rec := range []tracefmt.Recording{runs[0], slice} {
			got := tracefmt.Seq(0)
			for e, err := range rec.Events(from) {
				if err != nil {
					t.Fatal(err)
				}
				got = e.Seq
				break
			}
			if got != want {
				t.Errorf("%T from %d: seq %d, want %d", rec, from, got, want)
			}
		}
	}
}

// sliceHeader is that of a slice of a run of two processes.
const sliceHeader = `{"format":"etrace/1","time_unit":"ns","members":[{"name":"1"},{"name":"2"}],"slice":true}` + "\n"

// TestSliceRules: what a slice may lack, and what it may not have.
func TestSliceRules(t *testing.T) {
	for _, tt := range []struct{ name, lines, want string }{
		{"nothing", ``, ``},
		{"a later event", `{"seq":7,"kind":"heal"}`, ``},
		{"gaps", `{"seq":7,"kind":"heal"}` + "\n" + `{"seq":9,"kind":"heal"}`, ``},
		{"a receive alone", `{"seq":7,"process":"1","kind":"receive","peer":"2","message":3,"cause":2}`, ``},
		{"a receive without a cause", `{"seq":7,"process":"1","kind":"receive","peer":"2","message":3,"cause":null}`, ``},
		{"a loss alone", `{"seq":7,"process":"1","kind":"lose","peer":"2","message":3,"cause":2}`, ``},
		{"a cause that is not there", `{"seq":7,"process":"1","kind":"halt","cause":5}`, ``},
		{"a timeout alone", `{"seq":7,"process":"1","kind":"timeout","type":"x"}`, ``},
		{"a trailer", `{"seq":7,"kind":"heal"}` + "\n" + `{"end":"stopped","events":1}`, ``},
		{"a trailer without a count", `{"seq":7,"kind":"heal"}` + "\n" + `{"end":"stopped"}`, ``},

		{
			"another count", `{"seq":7,"kind":"heal"}` + "\n" + `{"end":"stopped","events":8}`,
			`line 3: the run says that it has 8 events, but 1 were read`,
		},
		{
			"an event twice", `{"seq":7,"kind":"heal"}` + "\n" + `{"seq":7,"kind":"heal"}`,
			`line 3: seq 7: seq 7 follows seq 7, expected 8 or more: the events of a slice are in the order of the run, each once`,
		},
		{
			"the wrong order", `{"seq":7,"kind":"heal"}` + "\n" + `{"seq":5,"kind":"heal"}`,
			`line 3: seq 5: seq 5 follows seq 7, expected 8 or more: the events of a slice are in the order of the run, each once`,
		},
		{
			"no seq", `{"kind":"heal"}`,
			`line 2: seq 0: seq 0 follows seq 0, expected 1 or more: the events of a slice are in the order of the run, each once`,
		},
		{
			"a cause that is later", `{"seq":7,"process":"1","kind":"halt","cause":8}`,
			`line 2: seq 7: the cause of an event is an earlier one, not seq 8`,
		},
		{"no message", `{"seq":7,"process":"1","kind":"receive","peer":"2","cause":2}`, `line 2: seq 7: a receive event needs a message`},
		{"no such process", `{"seq":7,"process":"3","kind":"halt"}`, `line 2: "process": "3" is not a member of the run`},
		{"no such kind", `{"seq":7,"kind":"hurt"}`, `line 2: "kind": unknown event kind "hurt"`},
		{"a trailer without an end", `{"events":1}`, `line 2: "events": an event has no such key`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := sliceHeader + tt.lines
			runs, err := tracefmt.NewText("slice.jsonl", strings.NewReader(text), int64(len(text))).Runs()
			switch {
			case tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), "slice.jsonl: "+tt.want)):
				t.Errorf("got  %v\nwant slice.jsonl: %s", err, tt.want)
			case tt.want == "" && (err != nil || !runs[0].Run().Slice || runs[0].Run().Events != int64(strings.Count(tt.lines, "seq"))):
				t.Errorf("got %v, want a slice", err)
			}
		})
	}
}

// TestSliceCauses: what an event of a slice leaves out is not found by another event of it.
func TestSliceCauses(t *testing.T) {
	runs, err := decodeAll([]byte(sliceHeader + `{"seq":3,"process":"1","kind":"send","peer":"2","message":1}
{"seq":8,"process":"2","kind":"receive","peer":"1","message":1}
{"seq":9,"process":"2","kind":"receive","peer":"1","message":1,"cause":3}
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []tracefmt.Seq
	for _, e := range eventsFrom(runs[0], 1) {
		got = append(got, e.Cause)
	}
	if want := "[0 0 3]"; fmt.Sprint(got) != want {
		t.Errorf("causes %v, want %s", got, want)
	}
}
