package history_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/history"
)

func read(t testing.TB, f interop.Format, text string, s interop.Settings) (*tracefmt.Collector, interop.Report, error) {
	t.Helper()
	input, err := interop.NewInput("h.log", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var got tracefmt.Collector
	report, err := interop.Import(context.Background(), f, input, &got, s)
	return &got, report, err
}

// events are those of the first run as words: process, kind, type and payload without the fields of the log.
func events(t testing.TB, f interop.Format, text string, options map[string]string) string {
	t.Helper()
	got, _, err := read(t, f, text, interop.Settings{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	run := got.Runs[0]
	for e := range run.Events(1) {
		name := "-"
		if e.Process != 0 {
			name = run.Run().ProcessName(e.Process)
		}
		fmt.Fprintf(&b, "%s %s %s", name, e.Kind, e.Type)
		for key, value := range tracefmt.Fields(e.Payload) {
			if string(key) != tracefmt.LogKey {
				fmt.Fprintf(&b, " %s=%s", key, value)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestMaps: a map is an object; the first of two equal keys counts.
func TestMaps(t *testing.T) {
	got := events(t, history.EDN,
		`[{:process 0 :type :invoke :f :write :value {:a 1 "b" [2 3] :a 4}} {:process 0 :type :ok :f :write :value {}}]`,
		nil)
	if !strings.Contains(got, `={"a":1,"b":[2,3]}`) {
		t.Errorf("got\n%s", got)
	}
}

// A history with what EDN has: a comment, a discarded form, commas, a tag, a set, an
// entry over two lines, a text with a bracket, faults, and what Clojure prints of an object.
const ednHistory = `; five operations
[{:process 0, :type :invoke, :f :write, :value 3}
 {:process 10 :type :invoke
  :f :cas :value [3 4]}
 #_ {:process 1, :type :invoke, :f :read}
 #jepsen.history.Op{:process 0, :type :ok, :f :write, :value 3, :index 2}
 {:process :nemesis, :type :info, :f :start, :value #{:n1}}
 {:type :fail, :process 10, :f :cas, :value [3 4]}
 {:process 2, :type :invoke, :f :read, :value 3}
 {:process 2, :type :ok, :f :read, :value nil}
 {:process 0, :type :invoke, :f :cas, :value [3 9007199254740993N]}
 {:process 0, :type :fail, :f :cas, :value [3 9], :error [:refused "]" #object[clojure.Fn 0x1f "f"] 1/2]}
 {:process 0, :type :invoke, :f :write, :value nil}
 {:process 0, :type :info, :f :write, :error "timeout"}]
`

func TestEDN(t *testing.T) {
	common := `0 invoke write value=3
10 invoke cas old=3 new=4
0 return write outcome="ok"
- note start value=["n1"]
10 return cas outcome=%s
2 invoke read
2 return read outcome="ok"%s
0 invoke cas old=3 new=9007199254740993
0 return cas outcome="fail"
0 invoke write value=null
0 return write outcome="unknown"
`
	for _, test := range []struct{ convention, cas, read string }{
		{"knossos", `"fail"`, ""},
		{"porcupine", `"ok" value=false`, " value=null"},
	} {
		got := events(t, history.EDN, ednHistory, map[string]string{"convention": test.convention})
		if diff := cmp.Diff(fmt.Sprintf(common, test.cas, test.read), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.convention, diff)
		}
	}
}

// TestHeader: the header has the problem, processes by number, and distinguishes operations and faults;
// an event keeps line, words and all other fields of its entry.
func TestHeader(t *testing.T) {
	got, report, err := read(t, history.EDN, ednHistory, interop.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	run := got.Runs[0].Run()
	var names []string
	for _, m := range run.Members {
		names = append(names, m.Name)
	}
	if diff := cmp.Diff([]string{"0", "2", "10"}, names); diff != "" || run.Problem != tracefmt.Register {
		t.Errorf("problem %q, members %s", run.Problem, diff)
	}
	tells := &tracefmt.Completeness{Levels: tracefmt.Levels{
		Default: tracefmt.None, Kinds: map[string]tracefmt.Level{"invoke": tracefmt.All, "note": tracefmt.All, "return": tracefmt.All},
	}}
	if diff := cmp.Diff(tells, run.Completeness, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	for e := range got.Runs[0].Events(9) {
		want := `{"outcome":"fail","log":{"text":"{:process 0, :type :fail, :f :cas, :value [3 9], :error [:refused \"]\" #object[clojure.Fn 0x1f \"f\"] 1/2]}","file":"h.log","line":12,"fields":{"error":["refused","]",["clojure.Fn","0x1f","f"],"1/2"]}}}`
		if diff := cmp.Diff(want, string(e.Payload)); diff != "" {
			t.Error(diff)
		}
		break
	}
	want := []string{"by the convention of knossos: a read of nil may have found anything, and an operation that " +
		"fails had no effect (--convention)"}
	if diff := cmp.Diff(want, report.Runs[0].Remarks()); diff != "" {
		t.Error(diff)
	}
}

// TestForms: a vector, a list and maps alone are the same history; a time is nanoseconds.
func TestForms(t *testing.T) {
	entries := "{:process 1 :type :invoke :f :get :key \"x\" :value nil :time 1500}\n{:process 1 :type :ok :f :get " +
		":key \"x\" :value \"a\\nb\\u0041\" :time 2500}\n"
	want := "1 invoke get key=\"x\"\n1 return get outcome=\"ok\" value=\"a\\nbA\"\n"
	for _, text := range []string{entries, "[" + entries + "]", "(" + entries + ")", "\uFEFF; c\r\n" +
		strings.ReplaceAll(entries, "\n", "\r\n")} {
		if diff := cmp.Diff(want, events(t, history.EDN, text, nil)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	got, _, err := read(t, history.EDN, entries, interop.Settings{})
	if err != nil || got.Runs[0].Run().TimeUnit != tracefmt.Nanoseconds || got.Runs[0].Run().Problem != tracefmt.KeyValue {
		t.Error(err, got.Runs[0].Run())
	}
	for e := range got.Runs[0].Events(2) {
		if e.Time != 2500 {
			t.Errorf("time %d, want 2500", e.Time)
		}
	}
}

// TestKeys: where all values are pairs of a key and a value, keys are objects; a cas of a
// plain register, whose value is a pair, too, is none of them.
func TestKeys(t *testing.T) {
	text := `{:process 0 :type :invoke :f :write :value [5 1]}
{:process 1 :type :invoke :f :read :value [6 nil]}
{:process 0 :type :ok :f :write :value [5 1]}
{:process 1 :type :ok :f :read :value [6 nil]}
{:process 2 :type :invoke :f :cas :value [5 [1 2]]}
`
	want := `0 invoke write key=5 value=1
1 invoke read key=6
0 return write outcome="ok"
1 return read outcome="ok"
2 invoke cas key=5 old=1 new=2
`
	if diff := cmp.Diff(want, events(t, history.EDN, text, nil)); diff != "" {
		t.Error(diff)
	}
	plain := "{:process 0 :type :invoke :f :write :value [5 1]}\n{:process 1 :type :invoke :f :cas :value [5 1]}\n"
	if diff := cmp.Diff("0 invoke write value=[5,1]\n1 invoke cas old=5 new=1\n", events(t, history.EDN, plain, nil)); diff != "" {
		t.Error(diff)
	}
}

// TestText: lines of an old log, of a new one and of history.txt make the same events; other lines of a log are
// skipped.
func TestText(t *testing.T) {
	lines := []string{
		"0\t:invoke\t:cas\t[1 2]", "1\t:invoke\t:read\tnil", ":nemesis\t:info\t:start\tnil",
		"1\t:ok\t:read\t7", "0\t:info\t:cas\t:timed-out",
	}
	want := `0 invoke cas old=1 new=2
1 invoke read
- note start
1 return read outcome="ok" value=7
0 return cas outcome="unknown"
`
	for _, head := range []string{"", "INFO  jepsen.util - ", "2026-11-22 00:54:08,100{GMT}\tINFO\t[jepsen worker 1] jepsen.util: "} {
		text := ""
		for _, line := range lines {
			text += head + line + "\n"
		}
		if diff := cmp.Diff(want, events(t, history.Text, text, nil)); diff != "" {
			t.Errorf("%q: %s", head, diff)
		}
	}
	// Some logs have blanks for tabs, which align the columns. A second value is an error.
	aligned := "INFO  jepsen.util - 0   :invoke :cas    [1 2]\nINFO  jepsen.util - 1   :invoke :read   nil\n" +
		"INFO  jepsen.util - :nemesis :info  :start  nil\nINFO  jepsen.util - 1   :ok     :read   7\nINFO  jepsen.util - " +
		"0   :info   :cas    :timed-out\n"
	for _, text := range []string{aligned, strings.ReplaceAll(aligned, "INFO  jepsen.util - ", "")} {
		if diff := cmp.Diff(want, events(t, history.Text, text, nil)); diff != "" {
			t.Errorf("blanks for tabs: %s", diff)
		}
		if history.Text.Detect([]byte(text)) != interop.Sure {
			t.Errorf("not recognised: %q", text)
		}
	}
	failing := "1\t:invoke\t:read\tnil\n1\t:fail\t:read\tnil\t:timed-out\n"
	if diff := cmp.Diff(events(t, history.Text, failing, nil),
		events(t, history.Text, strings.ReplaceAll(failing, "\t", "  "), nil)); diff != "" {
		t.Error(diff)
	}
	text := "INFO  jepsen.core - Running test\n" + strings.Join(lines, "\n") + "\nkitchen sink: 3\t:ok\t:read\t1\n"
	_, report, err := read(t, history.Text, text, interop.Settings{})
	if err != nil || report.Runs[0].Skipped.Lines != 2 || report.Runs[0].Events != 5 {
		t.Error(err, report.Runs[0])
	}
}

// TestDamage: what is wrong with a history has a line, and is no crash.
func TestDamage(t *testing.T) {
	entry := "{:process 1 :type :invoke :f :read :value nil}\n"
	for _, test := range []struct{ text, err, remark string }{
		{text: entry + strings.Repeat("[", 1e6), err: "h.log:2: values are nested deeper than 500"},
		{text: entry + strings.Repeat("#_", 1e6), err: "h.log:2: values are nested deeper than 500"},
		{text: entry + "{:a " + strings.Repeat("#b ", 1e6), err: "h.log:2: values are nested deeper than 500"},
		{text: entry + "\n}", err: `h.log:3: expected a value, not '}'`},
		{text: entry + "{:process 1 :type}", err: "h.log:2: a map has a key without a value"},
		{text: entry + "{:a [" + strings.Repeat("1 ", 2e6), err: "h.log:2: an entry has more than 1048576 values"},
		{text: "#[1]" + entry, remark: "line 1"},
		{text: "{:type :ok}", err: `h.log:1: no event of format edn in the file, here it says "{:type :ok}"`},
		{text: entry + "\n{:process 1 :ty", remark: "line 3: whole-file: the file ends inside an entry, which is left out"},
		{text: "[" + entry + "{:process 1 \"\\", remark: "line 2: whole-file: the file ends inside an entry, which is left out"},
		{text: "[" + entry, remark: "line 2: whole-file: the file ends inside an entry, which is left out"},
		{text: entry + "{:type :sleep}\n", remark: `1 line is not part of any event (line 2), the first is "{:type :sleep}"`},
		{text: entry + entry, remark: "line 2: one-at-a-time: process 1 invokes read, but its read of line 1 has not ended"},
		{text: strings.ReplaceAll(entry, "invoke", "ok"), remark: "line 1: invoked-before: the read of process 1 ends, but it has invoked none"},
		{text: entry + "{:process 2 :type :invoke :f \"\x00\xff\" :value \"" + strings.Repeat("x", 10<<20) + "\"}"},
	} {
		_, report, err := read(t, history.EDN, test.text, interop.Settings{})
		if test.err != "" && (err == nil || err.Error() != test.err) || test.err == "" && err != nil {
			t.Errorf("%.80q: error %v, want %s", test.text, err, test.err)
			continue
		}
		if test.remark != "" && !strings.Contains(strings.Join(report.Runs[0].Remarks(), "\n"), test.remark) {
			t.Errorf("%.80q: %q, want %s", test.text, report.Runs[0].Remarks(), test.remark)
		}
	}
}

func FuzzEDN(f *testing.F) {
	f.Add(ednHistory)
	f.Add(`({:process 1 :type :ok :f \newline :value ##Inf} #{} #:a{:b #"c"} {nil +1.5M "x" [6 nil]})`)
	fuzz(f, history.EDN)
}

func FuzzText(f *testing.F) {
	f.Add("INFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]\n:nemesis\t:info\t:start\tnil\tx\n")
	fuzz(f, history.Text)
}

func fuzz(f *testing.F, format interop.Format) {
	f.Fuzz(func(t *testing.T, text string) {
		for _, convention := range []string{"knossos", "porcupine"} {
			got, _, err := read(t, format, text, interop.Settings{Options: map[string]string{"convention": convention}})
			if err != nil {
				continue
			}
			if err := tracefmt.Validate(got.Runs[0]); err != nil {
				t.Error(err)
			}
		}
	})
}
