package formats_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/formats"
)

func lookup(t testing.TB, name string) interop.Format {
	t.Helper()
	f, err := formats.Builtin().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// read imports a text that is named after its format, such as jsonl.log.
func read(t testing.TB, format, text string, s interop.Settings) (*tracefmt.Collector, interop.Report, error) {
	t.Helper()
	input, err := interop.NewInput(format+".log", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var got tracefmt.Collector
	report, err := interop.Import(context.Background(), lookup(t, format), input, &got, s)
	return &got, report, err
}

func TestBuiltin(t *testing.T) {
	for _, f := range formats.Builtin().All() {
		if f.Doc == "" || f.Source == "" || f.Read == nil && f.Write == nil || f.Read != nil && f.Detect == nil {
			t.Errorf("format %q is not complete, expected Doc, Source, Read or Write, and Detect beside Read", f.Name)
		}
		byName := f.Name == "map" || f.Name == "recorders"
		if _, ok := heads[f.Name]; f.Read != nil && !ok && !byName {
			t.Errorf("format %q has no row in heads, expected beginnings of files by which it is recognised", f.Name)
		}
		for _, o := range slices.Concat(f.ReadOptions, f.WriteOptions) {
			if o.Name == "" || o.Doc == "" || !strings.Contains(o.Doc, o.Arg) {
				t.Errorf("format %q: option %q is not complete", f.Name, o.Name)
			}
		}
	}
	if _, err := interop.OptionsToRead(formats.Builtin()); err != nil {
		t.Error(err)
	}
	if _, err := interop.OptionsToWrite(formats.Builtin()); err != nil {
		t.Error(err)
	}
	if _, err := formats.Builtin().Lookup("pcap"); err == nil ||
		!strings.Contains(err.Error(), strings.Join(formats.Builtin().Names(), ", ")) {
		t.Errorf("Lookup(pcap): %v, expected an error that lists the formats", err)
	}
}

// heads are beginnings of files by format; under "" those of none.
var heads = map[string][]string{
	"chrome": {
		`{"traceEvents":[{"pid":1,"ph":"X"}]}`,
		"{\n\"displayTimeUnit\": \"ns\", \"traceEvents\": [",
		`[{"name":"a","args":{"b":1},"ph":"B"},`,
	},
	"edn": {
		"; a history\n[{:process 0, :type :invoke, :f :read, :value nil}]\n",
		"({:type :info, :process :nemesis, :f :start})",
		"\uFEFF{:process 9,:type,:invoke,:f :get,:key \"1\"}\r\n",
	},
	"jepsen": {
		"INFO  jepsen.util - 0\t:invoke\t:read\tnil\n",
		"INFO  jepsen.util - 1   :invoke :write  3\n",
		"2026-11-22 00:54:08,100{GMT}\tINFO\t[main] jepsen.core: Running\n2026-11-22 00:54:09,100{GMT}\tINFO\t[jepsen " +
			"worker 1] jepsen.util: 1\t:invoke\t:cas\t[1 2]\n",
		":nemesis\t:info\t:start\tnil\n",
	},
	"itf": {
		`{"#meta":{"format":"ITF","source":"a.qnt"},"vars":["x"],"states":[`,
		"\uFEFF{\n  \"#meta\": {\n    \"format\": \"ITF\"\n  },\n",
		`{"params":[],"vars":["x"],"states":[{"x":1}]}`,
	},
	"jsonl": {
		`{"format":"etrace/1","time_unit":"delay","members":[]}`,
		"\uFEFF{\"format\":\"etrace/1\",\"time_unit\":\"delay\",\"members\":[]}\n",
		`{"format":"etrace/9"}`,
	},
	"maelstrom": {
		`{"seq": 1, "t": 0.1, "ev": "send", "node": "c1", "msg": {"src": "c1", "dest": "n1", "body": {"type": "init", "msg_id": 1}}}`,
		"{\"ev\":\"log\",\"node\":\"n1\",\"line\":\"up\"}\n{\"msg\":{\"body\":{},\"src\":\"a\",\"dest\":\"b\"},\"ev\":\"recv\",\"node\":\"b\"}\n",
	},
	"shiviz": {
		"(?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})\n\nstart\na {\"a\":1}\n",
		"a {\"a\":1}\nstart\n",
		"a {\"a\" : 1, \"b\" : 2}\r\nstart\r\n",
		"12:00 [a] {\"a\":1} start\n",
		"TLC2 Version 2.16\n",
		"State 2: <Send>\n/\\ Host = a\n/\\ Clock = \"{\\\"a\\\":1}\"\n",
	},
	"jaeger": {
		`{"data":[{"traceID":"a","spans":[{"traceID":"a","spanID":"b"`,
		"\uFEFF{\n\"traceID\": \"a\", \"spans\": [{\"spanID\" : \"b\"}]}",
	},
	"p-trace": {
		` [
  {
    "type": "StateTransition",
    "details": {
      "log": "A(1) enters state \u0027S\u0027.",`,
		"\uFEFF[{\"details\":{\"log\":\"x\"},\"type\":\"Halt\"}]",
	},
	"pgo": {
		`{"archetypeName":"A","clock":[[["A","1"],1]],"csElements":[],"isAbort":false,"self":"1"}`,
		"\uFEFF{\"self\": \"1\", \"csElements\": [], \"clock\" : [], \"archetypeName\" : \"A\"}\r\n",
	},
	"otlp": {`{"resourceSpans":[]}`, "\uFEFF{\n  \"resourceSpans\" : [\n"},
	"tlc": {
		`{"counterexample":{"action":[],"state":[[1,{"x":0}]]}}`,
		`{"state":[[1,{"x":0}]],"action":[]}`,
		"{ \"action\": [\n[[1,{\"x\":0}],{\"name\":\"A\"},[2,{}]]",
		"TLC2 Version 2.19\nState 1: <Initial predicate>\n/\\ x = 0\n",
		"1: <Initial predicate>\r\nx = 0\r\n",
	},
	"": {"", "\x00\x01\x02", "a\xff\n"},
	// Any other text is a log, and its mapping is guessed.
	"map": {
		"hello\n", `{"a":1}`, "{}\n[]\n", "a,b,c\n1,2,3\n", "{:type :spaceship}", "who\t:says\t:ok\twhat\n",
		`{"msg":{"src":"a","dest":"b"}}`, `{"vars":["x"]}`, "[1,2]", "State 1: of alert\n",
		"t2 | 08:50:33.941 [1] relay/12/main> RAFT: sync clock:{\"0\":59,\"1\":146,\"2\":23} of 3\n",
	},
}

func TestSniff(t *testing.T) {
	for want, list := range heads {
		for _, head := range list {
			got, err := interop.ToRead(formats.Builtin(), "", nil, []byte(head))
			if got.Name != want || (err != nil) != (want == "") {
				t.Errorf("ToRead(%q) = %q, %v, want %q", head, got.Name, err, want)
			}
		}
	}
}

// TestSniffArrays: an array of like objects, as many programs write them, shows no sign of a format.
func TestSniffArrays(t *testing.T) {
	for _, text := range []string{
		`[{"id":1,"state":"open","user":{"login":"a","id":1},"labels":[]},{"id":2,"state":"open","user":{"login":"b","id":2},"labels":[]}]`,
		`[{"name": "pip", "version": "24.0"}, {"name": "wheel", "version": "0.45"}]`,
		"[\n  {\n    \"name\": \"adds\",\n    \"status\": \"passed\",\n    \"steps\": []\n  }\n]\n",
		`[{"Id": "4fa6", "Names": ["/node1"], "Ports": {"80": 1}}, {"Id": "9cd8", "Names": ["/node2"], "Ports": {"80": 2}}]`,
		`[{"filePath":"/a.js","messages":[{"ruleId":"semi","line":3}],"errorCount":1}]`,
		`[{"x":1,"y":2},{"y":2,"x":1}]`, // possibly of TLC
		"[{},{}]",
	} {
		input, err := interop.NewInput("a.json", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		f, err := interop.ToRead(formats.Builtin(), "", nil, input.Head())
		if err != nil {
			t.Fatal(err)
		}
		_, err = interop.Import(t.Context(), f, input, tracefmt.Discard{}, interop.Settings{})
		const want = "a.json: is an array of JSON objects (--from tlc reads the states of TLC), " +
			"expected a log of lines: write each of its objects on a line"
		if err == nil || err.Error() != want {
			t.Errorf("%s: format %q, %v, want %s", text, f.Name, err, want)
		}
	}
}

// TestSniffExported: what etrace wrote is recognised, whatever the run quotes of files of other
// formats; for a format that is only written, the error names that.
func TestSniffExported(t *testing.T) {
	var quoted []string
	for _, name := range slices.Sorted(maps.Keys(heads)) {
		quoted = append(quoted, heads[name]...)
	}
	quoted = append(quoted, `{"local-member-id":"a","ts":1,"caller":"x","logger":"raft"}`)
	payload := func(text string) string {
		b, err := json.Marshal(map[string]any{"log": map[string]any{"text": text}})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, quote := range append(quoted, strings.Join(quoted, "\n")) {
		runs, err := tracefmt.ReadMemory(strings.NewReader(`{"format":"etrace/1","time_unit":"ns","members":[{"name":"a","position":1}]}
{"seq":1,"time":7,"process":"a","kind":"note","type":"said","payload":` + payload(quote) + "}\n"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range interop.Writable(formats.Builtin()) {
			var b bytes.Buffer
			if _, err := interop.Export(f, &b, []tracefmt.Recording{runs[0]}, nil); err != nil {
				t.Fatal(f.Name, err)
			}
			got, err := interop.ToRead(formats.Builtin(), "", nil, b.Bytes()[:min(b.Len(), 16<<10)])
			switch {
			case f.Read != nil && (err != nil || got.Name != f.Name):
				t.Errorf("%s that quotes %q: format %q, %v", f.Name, quote, got.Name, err)
			case f.Read == nil && (err == nil || !strings.Contains(err.Error(), f.Name+", which is only written")):
				t.Errorf("%s that quotes %q: format %q, %v; expected an error that it is only written", f.Name, quote, got.Name, err)
			}
		}
	}
}

func TestInputUnpacksGzip(t *testing.T) {
	input, err := interop.NewInput("a.log.gz", bytes.NewReader(pack(t, "a {\"a\":1}\nstart\n")))
	if err != nil {
		t.Fatal(err)
	}
	if f, err := interop.ToRead(formats.Builtin(), "", nil, input.Head()); f.Name != "shiviz" {
		t.Errorf("ToRead = %q, %v, want shiviz", f.Name, err)
	}
	text, err := io.ReadAll(input)
	if string(text) != "a {\"a\":1}\nstart\n" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestInputDamagedGzip(t *testing.T) {
	packed := pack(t, strings.Repeat("a {\"a\":1}\nstart\n", 100))
	for _, damaged := range [][]byte{packed[:5], packed[:len(packed)/2], append(slices.Clone(packed), "tail"...)} {
		input, err := interop.NewInput("a.log.gz", bytes.NewReader(damaged))
		if err == nil {
			_, err = io.ReadAll(input)
		}
		if err == nil || !strings.Contains(err.Error(), "gzip: ") {
			t.Errorf("%d of %d bytes: error %v, expected one about gzip", len(damaged), len(packed), err)
		}
	}
}

func pack[T string | []byte](t testing.TB, text T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const twoRuns = `{"format":"etrace/1","name":"first","time_unit":"delay","members":[{"name":"1","position":1},{"name":"2","position":2}]}
{"seq":1,"time":0,"process":"1","kind":"send","type":"PING","peer":"2","message":1,"lamport":1,"payload":{"n":1}}
{"seq":2,"time":1000000000,"process":"2","kind":"receive","type":"PING","peer":"1","message":1,"cause":1,"lamport":2,"payload":{"n":1}}
{"seq":3,"time":1000000000,"process":"2","kind":"send","type":"PONG","peer":"1","message":2,"lamport":3}
{"end":"stopped","events":3}
{"format":"etrace/1","name":"second","time_unit":"ns","members":[{"name":"<a>","position":1}]}
{"seq":1,"time":5,"process":"<a>","kind":"send","peer":"<a>","message":1}
{"seq":2,"time":6,"process":"<a>","kind":"receive","peer":"<a>","message":1,"cause":1}
`

func TestJSONLRoundTrip(t *testing.T) {
	got, report, err := read(t, "jsonl", twoRuns, interop.Settings{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	want := interop.Report{Format: "jsonl", Runs: []*interop.RunReport{
		{Name: "first", Events: 3, Processes: 2, Messages: 2, Receives: 1, Edges: 1},
		{
			Name: "second", Events: 2, Processes: 1, Messages: 1, Receives: 1,
			Notes: []string{"the run has no trailer: it was cut, or is still being recorded"},
		},
	}}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	var b bytes.Buffer
	if left, err := interop.Export(lookup(t, "jsonl"), &b, got.Recordings(), nil); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	if diff := cmp.Diff(twoRuns, b.String()); diff != "" {
		t.Errorf("bytes (-want +got):\n%s", diff)
	}
}

func TestJSONLErrors(t *testing.T) {
	lines := strings.SplitAfter(twoRuns, "\n")
	for _, c := range []struct{ text, want string }{
		{"", `jsonl.log: no run, expected a first line {"format":"etrace/1", …}`},
		{"{\"format\":\"etrace/2\"}\n", `jsonl.log:1: format "etrace/2", expected a header`},
		{lines[0] + lines[2], "jsonl.log:2: seq 2: seq 2 follows seq 0, expected 1"},
		{
			lines[0] + "\n" + lines[1] + strings.Replace(lines[2], `"cause":1`, `"cause":2`, 1),
			"jsonl.log:4: seq 2: the cause of an event is an earlier one",
		},
		{lines[0] + "{\"seq\":1,\n", "jsonl.log:2: the line ends inside a JSON object"},
		{lines[0] + lines[4], "jsonl.log:2: the run says that it has 3 events, but 0 were read"},
	} {
		_, _, err := read(t, "jsonl", c.text, interop.Settings{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s…", c.text, err, c.want)
		}
	}
}

func FuzzJSONL(f *testing.F) {
	f.Add(twoRuns)
	f.Fuzz(func(t *testing.T, text string) {
		got, _, err := read(t, "jsonl", text, interop.Settings{})
		if err == nil {
			validate(t, got)
		}
	})
}

func validate(t *testing.T, got *tracefmt.Collector) {
	t.Helper()
	for _, run := range got.Runs {
		if err := tracefmt.Validate(run); err != nil {
			t.Error(err)
		}
	}
}
