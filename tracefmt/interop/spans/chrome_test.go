package spans_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/interop/spans"
)

// A flow over three threads, one of them with a name; its end belongs to the next slice. Another
// flow has the same id and another name, and ends inside a slice. Not in order of time.
const chart = `{"displayTimeUnit":"ns","traceEvents":[
{"ph":"X","pid":3,"tid":1,"ts":30,"dur":5,"name":"third"},
{"ph":"M","pid":1,"name":"process_name","args":{"name":"boss"}},
{"ph":"X","pid":1,"tid":1,"ts":10.5,"dur":5,"name":"first","args":{"why":7}},
{"ph":"s","pid":1,"tid":1,"ts":11,"id":"0xA","cat":"c","name":"go"},
{"ph":"s","pid":1,"tid":1,"ts":12,"id":10,"cat":"c","name":"other"},
{"ph":"B","pid":2,"tid":1,"ts":20,"name":"second"},
{"ph":"t","pid":2,"tid":1,"ts":21,"id":10,"cat":"c","name":"go"},
{"ph":"f","bp":"e","pid":2,"tid":1,"ts":22,"id":10,"cat":"c","name":"other"},
{"ph":"E","pid":2,"tid":1,"ts":25},
{"ph":"f","pid":3,"tid":1,"ts":26,"id":"a","cat":"c","name":"go"},
{"ph":"f","pid":3,"tid":1,"ts":99,"id":"a","cat":"c","name":"go"},
{"ph":"i","pid":3,"tid":1,"ts":40,"name":"tick"},
{"ph":"C","pid":3,"tid":1,"ts":41,"name":"count"}]}`

func TestChrome(t *testing.T) {
	got, report, err := read(t, spans.Chrome, chart, "")
	if err != nil {
		t.Fatal(err)
	}
	want := `boss note first
boss send go 2 #1
boss send other 2 #2
boss note end slice="first"
2 note second
2 receive go boss #1 ^2
2 send go 3 #3
2 receive other boss #2 ^3
2 note end slice="second"
3 note third
3 receive go 2 #3 ^7
3 note end slice="third"
3 note tick
`
	if diff := cmp.Diff(want, events(got.Runs[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for e := range got.Runs[0].Events(1) {
		if from := e.Origin(); from.Line != 4 || e.Time != 10_500 {
			t.Errorf("line %d at %d, want 4 at 10.5 µs", from.Line, e.Time)
		}
		break
	}
	if notes := strings.Join(report.Runs[0].Notes, "; "); !strings.Contains(notes, "1 event of a flow belongs to no slice") ||
		!strings.Contains(notes, "1 event is no slice") {
		t.Errorf("notes %q", notes)
	}
	plain := `[{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"worker"}},{"ph":"M","pid":1,"tid":2,"name":"thread_sort_index","args":{"name":9}},
{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a","args":{"big":9007199254740993}},{"ph":"X","pid":1,"tid":2,"ts":2,"dur":1,"name":"b"},`
	got, report, err = read(t, spans.Chrome, plain, "")
	if err != nil {
		t.Fatal(err)
	}
	list := events(got.Runs[0])
	for e := range got.Runs[0].Events(1) {
		list += string(e.Payload)
	}
	if !strings.Contains(list, "worker note a") || !strings.Contains(list, "2 note b") || !strings.Contains(list, "9007199254740993") {
		t.Errorf("names of threads, and numbers of more than 53 bits:\n%s", list)
	}
	if notes := strings.Join(report.Runs[0].Notes, "; "); strings.Contains(notes, "flow") {
		t.Errorf("notes %q of a chart without flows", notes)
	}
	bound := `[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a","bind_id":"0x1","flow_out":true},{"ph":"X","pid":1,"tid":2,"ts":5,"dur":1,"name":"b","bind_id":"0x1","flow_in":true},`
	if got, _, err := read(t, spans.Chrome, bound, ""); err != nil || !strings.Contains(events(got.Runs[0]), "1/2 receive a 1/1 #1 ^2") {
		t.Errorf("slices that are bound: %v", err)
	}
}

func FuzzChrome(f *testing.F) {
	f.Add(chart)
	f.Add(`[{"ph":"B"},{"ph":"E"},{"ph":"E"},{"ph":"X","ts":1e300,"dur":-1,"bind_id":1,"flow_in":true,"flow_out":true}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, _, err := read(t, spans.Chrome, text, "")
		if err != nil {
			return
		}
		for _, run := range got.Runs {
			if err := tracefmt.Validate(run); err != nil {
				t.Error(err)
			}
		}
	})
}
