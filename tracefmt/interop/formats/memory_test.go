package formats_test

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"etrace/fixtures/growth"
	"etrace/fixtures/size"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/formats"
)

// repeated is a text with little to read and much to keep: a beginning, something over and over, and an end, "" for a
// text that is cut off.
type repeated struct{ name, begin, again, end string }

// hostile are such texts of all formats, and by name those of a format.
var hostile = map[string][]repeated{
	"": {
		{"newlines", "", "\n", ""},
		{"short lines", "", "a\n", ""},
		{"one line", "", "a", ""},
		{"not UTF-8", "", "\xff", ""},
		{"numbers", "[", "1,", ""},
		{"objects", "[", "{},", ""},
		{"objects on lines", "", "{}\n", ""},
		{"lists in lists", "", "[", ""},
		{"objects in objects", "", `{"a":`, ""},
	},
	"chrome": {
		{"events without words", `[`, `{},`, ""},
		{"open slices", `[`, `{"ph":"B"},`, ""},
		{"open slices with words", `[`, `{"ph":"B","pid":1,"tid":1,"ts":1,"name":"a"},`, ""},
		{"slices", `[`, `{"ph":"X","args":{"a":1}},`, ""},
		{"flows", `[{"ph":"X"},`, `{"ph":"t"},`, ""},
		{"a key that is not read", `{"a":[`, `1,`, ""},
	},
	"edn": {
		{"maps", "[", "{}", ""},
		{"operations", "[", "{:type :ok :process 1 :f :a}", ""},
		{"operations of pairs", "[", "{:type :ok :process 1 :f :read :value [1 nil]}", ""},
		{"an entry with numbers", "[{:type :ok :process 1 :f :read :value [", "1 ", ""},
		{"fields", "[{:type :ok :process 1 :f :read ", ":a 1 ", ""},
		{"discarded", "", "#_", ""},
		{"tags", "", "#a ", ""},
		{"texts", "", `"" `, ""},
	},
	"jepsen": {
		{"operations", "", "1\t:invoke\t:a\t1\n", ""},
		{"operations of pairs", "", "1\t:ok\t:read\t[1 2]\n", ""},
		{"a line with numbers", "1\t:ok\t:read\t[", "1 ", ""},
	},
	"itf": {
		{"states", `{"#meta":{"format":"ITF"},"vars":["x"],"states":[`, `{"x":1},`, ""},
		{"a state with numbers", `{"#meta":{"format":"ITF"},"vars":["x"],"states":[{"x":[`, `1,`, ""},
		{"a state with sets", `{"#meta":{"format":"ITF"},"vars":["x"],"states":[{"x":[`, `{"#set":[]},`, ""},
		{"a state with sets of numbers", `{"#meta":{"format":"ITF"},"vars":["x"],"states":[{"x":[`, `{"#set":[1]},`, ""},
		{"states with sets", `{"#meta":{"format":"ITF"},"vars":["x"],"states":[`, `{"x":{"#set":[1]}},`, ""},
		{"all states", `{"#meta":{"format":"ITF"},"vars":["x"],"states":[`, `{"x":1},{"x":2},`, `{"x":3}]}`},
	},
	"jaeger": {
		{"spans", `{"data":[{"spans":[`, `{"spanID":"a"},`, ""},
		{"tags", `{"data":[{"spans":[{"spanID":"a","tags":[`, `{},`, ""},
		{"logs", `{"data":[{"spans":[{"spanID":"a","logs":[`, `{},`, ""},
		{"traces", `{"data":[`, `{},`, ""},
	},
	"jsonl": {
		{"runs", "", `{"format":"etrace/1","time_unit":"ns","members":[]}` + "\n", ""},
		{"members", `{"format":"etrace/1","time_unit":"ns","members":[`, `{"name":"a"},`, ""},
		{"events without an end", `{"format":"etrace/1","time_unit":"ns","members":[{"name":"a","position":1}]}` + "\n" + `{"seq":1,"time":1,"process":"a","kind":"note","payload":{"a":[`, "1,", ""},
	},
	"maelstrom": {
		{"lines of a journal", "", `{"ev":"heal"}` + "\n", ""},
		{"messages", "", `{"ev":"send","node":"a","msg":{"src":"a","dest":"b","body":{}}}` + "\n", ""},
		{"nodes", `{"ev":"recv","node":"a","msg":{"src":"a","dest":"b","body":{"type":"init","node_ids":[`, `"",`, ""},
	},
	"map": {
		{"lines", "", "1970-01-01 00:00:00,000 [myid:1] - INFO  [a:b@1] - FOLLOWING\n", ""},
	},
	"otlp": {
		{"resources", `{"resourceSpans":[`, `{},`, ""},
		{"spans", `{"resourceSpans":[{"scopeSpans":[{"spans":[`, `{"spanId":"a"},`, ""},
		{"all spans", `{"resourceSpans":[{"scopeSpans":[{"spans":[`, `{"spanId":"a"},`, `{"spanId":"b"}]}]}]}`},
		{"all spans with links", `{"resourceSpans":[{"scopeSpans":[{"spans":[`, `{"spanId":"a","links":[{}]},`, `{"spanId":"b"}]}]}]}`},
		{"all spans with events", `{"resourceSpans":[{"scopeSpans":[{"spans":[`, `{"spanId":"a","events":[{}]},`, `{"spanId":"b"}]}]}]}`},
		{"parents", `{"resourceSpans":[{"scopeSpans":[{"spans":[`, `{"spanId":"a","parentSpanId":"b"},`, `{"spanId":"b"}]}]}]}`},
		{"attributes", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"a","attributes":[`, `{},`, ""},
		{"events", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"a","events":[`, `{},`, ""},
		{"links", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"a","links":[`, `{},`, ""},
	},
	"p-trace": {
		{"entries", `[`, `{"type":"a","details":{}},`, ""},
		{"all entries", `[`, `{"type":"a","details":{}},`, `{"type":"a","details":{}}]`},
		{"all entries of a machine", `[`, `{"type":"a","details":{"id":"a"}},`, `{"type":"a","details":{}}]`},
		{"sends", `[`, `{"type":"SendEvent","details":{"id":"a","target":"b"}},`, `{"type":"a","details":{}}]`},
		{"clocks", `[{"type":"a","details":{"id":"a","clock":{`, `"a":1,`, ""},
	},
	"pgo": {
		{"steps", "", `{"archetypeName":"A","self":"1","clock":[[["A","1"],1]]}` + "\n", ""},
		{"elements", `{"archetypeName":"A","self":"1","clock":[[["A","1"],1]],"csElements":[`, `{},`, ""},
		{"a clock", `{"archetypeName":"A","self":"1","clock":[`, `[["",""],1],`, ""},
	},
	"recorders": {
		{"an event with numbers", `{"format":"etrace/1","source":"recorded","time_unit":"ns","members":[{"name":"a","position":1}]}` + "\n" + `{"seq":1,"time":1,"process":"a","kind":"note","payload":{"a":[`, "1,", ""},
		{"gaps", `{"format":"etrace/1","source":"recorded","time_unit":"ns","members":[{"name":"a","position":1}],"complete":{"gaps":[`, `{"process":"a"},`, `{"process":"a"}]}}`},
	},
	"shiviz": {
		{"events", "", "a {\"a\":1}\na\n", ""},
		{"executions", "a {\"a\":1}\na\n", "=== a ===\n", ""},
		{"a clock", `a {"a":1`, `,"a":1`, ""},
		{"a form of its own", "(?<event>)(?<host>.)(?<clock>\\{.\\})\n\n", "a{}", ""},
	},
	"tlc": {
		{"states", `[`, `{"x":1},`, ""},
		{"states of text", "", "State 1: <Next line 1>\n/\\ x = 1\n\n", ""},
		{"a state with numbers", `[{"x":[`, `1,`, ""},
		{"a set", "State 1: <Initial predicate>\n/\\ x = {", "1,", ""},
	},
}

// greediest names the text of each format that takes most memory where it is long.
var greediest = map[string]string{
	"chrome": "flows", "edn": "operations", "itf": "a state with numbers", "jaeger": "spans", "jepsen": "operations of pairs", "jsonl": "runs",
	"maelstrom": "messages", "map": "lines", "otlp": "all spans with events", "p-trace": "all entries of a machine", "pgo": "steps", "recorders": "an event with numbers",
	"shiviz": "events", "tlc": "a set",
}

// TestLargeImportsTakeBoundedMemory: so does an import of 16 MB, where no buffer counts any more. Usually it reads the
// greediest text of each format.
func TestLargeImportsTakeBoundedMemory(t *testing.T) {
	size.SkipQuick(t)
	const bytes = 16 << 20
	for _, f := range interop.Readable(formats.Builtin()) {
		t.Run(f.Name, func(t *testing.T) {
			growth.Peak(t, 64<<20+20*bytes, func(part func(string)) {
				read := 0
				for _, text := range hostile[f.Name] {
					if size.Pick(false, false, true) || text.name == greediest[f.Name] {
						importText(f, text.reader(bytes))
						part(text.name)
						read++
					}
				}
				if read == 0 {
					t.Errorf("greediest has no text of format %s", f.Name)
				}
			})
		})
	}
}

// TestImportsTakeBoundedMemory: an import of 1 MB takes at most 64 MB and twenty times its text, whatever that is.
func TestImportsTakeBoundedMemory(t *testing.T) {
	size.SkipQuick(t)
	const bytes = 1 << 20
	for _, f := range interop.Readable(formats.Builtin()) {
		if hostile[f.Name] == nil {
			t.Errorf("format %s has no row in hostile, expected texts with little to read and much to keep", f.Name)
		}
		t.Run(f.Name, func(t *testing.T) {
			growth.Peak(t, 64<<20+20*bytes, func(part func(string)) {
				for _, text := range slices.Concat(hostile[""], hostile[f.Name]) {
					importText(f, text.reader(bytes))
					part(text.name)
				}
			})
		})
	}
}

// TestBombsTakeBoundedMemory: a file that unpacks to a thousand times its size takes at most 512 MB, whatever it is
// said to be.
func TestBombsTakeBoundedMemory(t *testing.T) {
	size.SkipQuick(t)
	bomb := pack(t, strings.Repeat(strings.Repeat("1,", 32<<10)+"\n", 1500))
	growth.Peak(t, 512<<20, func(part func(string)) {
		for _, f := range interop.Readable(formats.Builtin()) {
			err := importText(f, bytes.NewReader(bomb))
			if err == nil {
				t.Errorf("%s read a bomb", f.Name)
			}
			part(f.Name + ": " + err.Error())
		}
	})
}

// reader is about that many bytes of the text.
func (r repeated) reader(bytes int64) io.Reader {
	middle := &again{text: strings.Repeat(r.again, 1+4096/len(r.again))}
	if r.end != "" {
		bytes -= bytes % int64(len(r.again)) // the last one is whole
	}
	return io.MultiReader(strings.NewReader(r.begin), io.LimitReader(middle, bytes), strings.NewReader(r.end))
}

// again reads a text over and over.
type again struct {
	text string
	at   int
}

func (a *again) Read(p []byte) (n int, err error) {
	n = copy(p, a.text[a.at:])
	a.at = (a.at + n) % len(a.text)
	return n, nil
}

// importText imports a text into nothing.
func importText(f interop.Format, text io.Reader) error {
	in, err := interop.NewInput(f.Name+".log", text)
	if err != nil {
		return err
	}
	var s interop.Settings
	if f.Name == "map" {
		s.Options = map[string]string{"map": "zookeeper"}
	}
	_, err = interop.Import(context.Background(), f, in, nowhere{}, s)
	return err
}

// nowhere is a sink that keeps nothing.
type nowhere struct{}

func (nowhere) Begin(*tracefmt.Run) error   { return nil }
func (nowhere) Write(*tracefmt.Event) error { return nil }
func (nowhere) Finish(tracefmt.End) error   { return nil }
