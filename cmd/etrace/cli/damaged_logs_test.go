package cli

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"etrace/fixtures/size"
)

// damagedLogs are small logs of each foreign format, as a program would write them, with the expected outcome
// of each damage of logDamages, in order. "whole": nothing is lost, and there is no note. "kept": all events
// are there, and the damaged bytes are in a text, where they are valid. "said": the rest is imported, and the
// report describes the damage, with the line of each loss. "error": one line names file and place, and nothing
// is written.
var damagedLogs = []struct {
	file, text, want string
	args             []string
}{
	{
		file: "chart.json",
		want: "error whole whole error said kept", text: `[{"ph":"M","pid":1,"tid":1,"name":"process_name","args":{"name":"boss"}},
{"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"ask"},
{"ph":"X","pid":2,"tid":1,"ts":8,"dur":5,"name":"answer"},
{"ph":"X","pid":2,"tid":1,"ts":9,"dur":1,"name":"done"}]
`,
	},
	{file: "history.edn", want: "said whole whole said said said", text: `{:process 0, :type :invoke, :f :write, :value 1}
{:process 0, :type :ok, :f :write, :value 1}
{:process 1, :type :invoke, :f :read, :value nil}
{:process 1, :type :ok, :f :read, :value 1}
`},
	{file: "votes.itf.json", want: "error whole whole error error error", text: `{"#meta": {"format": "ITF"}, "vars": ["role"],
"states": [
{"role": {"#map": [["a", "Follower"], ["b", "Follower"]]}},
{"role": {"#map": [["a", "Leader"], ["b", "Follower"]]}},
{"role": {"#map": [["a", "Leader"], ["b", "Leader"]]}}]}
`},
	{file: "jaeger.json", want: "error whole whole error said kept", text: `{"data":[{"traceID":"t","spans":[
{"traceID":"t","spanID":"1","operationName":"lead","startTime":1,"duration":5,"processID":"p1"},
{"traceID":"t","spanID":"2","operationName":"follow","startTime":2,"duration":2,"processID":"p2"}],
"processes":{"p1":{"serviceName":"a"},"p2":{"serviceName":"b"}}}]}
`},
	{
		file: "jepsen.log", want: "said whole whole kept said kept",
		text: "INFO  jepsen.util - 0\t:invoke\t:write\t1\nINFO  jepsen.util - 0\t:ok\t:write\t1\nINFO  jepsen.util - " +
			"1\t:invoke\t:read\tnil\nINFO  jepsen.util - 1\t:ok\t:read\t1\n",
	},
	{
		file: "run.jsonl",
		want: "error whole whole error error error", text: `{"format":"etrace/1","time_unit":"ns","members":[{"name":"a"},{"name":"b"}]}
{"seq":1,"time":1,"process":"a","kind":"send","type":"HI","peer":"b","message":1}
{"seq":2,"time":2,"process":"b","kind":"receive","type":"HI","peer":"a","message":1}
{"end":"stopped","events":2}
`,
	},
	{
		file: "raft.jsonl",
		want: "said whole whole said said said", text: `{"seq":1,"t":0.1,"ev":"recv","node":"n1","msg":{"src":"c1","dest":"n1","body":{"type":"init","node_id":"n1","node_ids":["n1","n2"],"msg_id":1}}}
{"seq":2,"t":0.2,"ev":"send","node":"n1","msg":{"src":"n1","dest":"n2","body":{"type":"vote","term":1,"msg_id":1}}}
{"seq":3,"t":0.3,"ev":"recv","node":"n2","msg":{"src":"n1","dest":"n2","body":{"type":"vote","term":1,"msg_id":1}}}
{"seq":4,"t":0.4,"ev":"send","node":"n2","msg":{"src":"n2","dest":"n1","body":{"type":"vote_ok","in_reply_to":1}}}
`,
	},
	{file: "service.log", want: "said whole whole kept said kept", args: []string{"--map", "service.yaml"}, text: `1 n1 candidate 3
2 n2 follower 3
3 n1 leader 3
4 n2 follower 3
`},
	{
		file: "spans.jsonl",
		want: "error whole whole error said kept", text: `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"a"}}]},"scopeSpans":[{"spans":[{"traceId":"t","spanId":"1","name":"lead","kind":1,"startTimeUnixNano":"10","endTimeUnixNano":"20"}]}]}]}
{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"b"}}]},"scopeSpans":[{"spans":[{"traceId":"t","spanId":"2","name":"reads what is written in the register, the last value of which is that of the other process, or the one before if that is not there yet","kind":1,"startTimeUnixNano":"13","endTimeUnixNano":"40"}]}]}]}
{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"b"}}]},"scopeSpans":[{"spans":[{"traceId":"t","spanId":"3","name":"write","kind":1,"startTimeUnixNano":"14","endTimeUnixNano":"41"}]}]}]}
`,
	},
	{file: "lamp.json", want: "error whole whole error said kept", text: `[
{"type":"CreateStateMachine","details":{"log":"Lamp(2) was created by Main(1).","id":"Lamp(2)","creatorName":"Main(1)","clock":{"Lamp(2)":1}}},
{"type":"SendEvent","details":{"log":"","sender":"Main(1)","target":"Lamp(2)","event":"eOn","payload":1,"clock":{"Main(1)":3}}},
{"type":"DequeueEvent","details":{"log":"","id":"Lamp(2)","event":"eOn","payload":1,"clock":{"Lamp(2)":2,"Main(1)":3}}}]
`},
	{
		file: "clocks.log", want: "kept whole whole kept said kept",
		text: "a {\"a\":1}\nbegins\nb {\"a\":1, \"b\":1}\nknows a\nb {\"a\":1, \"b\":2}\nends\n",
	},
	{file: "console.txt", want: "whole whole whole said said error", text: `TLC2 Version 2.19
Error: Invariant Safe is violated.
State 1: <Initial predicate>
/\ pc = (p :> "try" @@ q :> "rest")

State 2: <Raise(p) line 4, col 3 to line 5, col 9 of module Flags>
/\ pc = (p :> "in" @@ q :> "rest")

`},
}

// logDamages are what happens to logs on their way.
var logDamages = []struct {
	name  string
	spoil func(lines []string) []string // with their ends
}{
	{"last line truncated", func(lines []string) []string {
		last := strings.TrimRight(lines[len(lines)-1], "\n")
		return append(lines[:len(lines)-1], last[:len(last)/2])
	}},
	{"CRLF", func(lines []string) []string {
		for i, line := range lines {
			lines[i] = strings.TrimSuffix(line, "\n") + "\r\n"
		}
		return lines
	}},
	{"BOM", func(lines []string) []string { return append([]string{"\uFEFF"}, lines...) }},
	{"NUL bytes", func(lines []string) []string { return inMiddle(lines, "\x00\x00\x00") }},
	{"invalid UTF-8", func(lines []string) []string { return inMiddle(lines, "\xff\xfe\x80") }},
	{"long line", func(lines []string) []string { return inMiddle(lines, strings.Repeat("x", size.Pick(1, 2, 10)<<20)) }},
}

// inMiddle puts bytes into the second line, between two of its words.
func inMiddle(lines []string, bytes string) []string {
	at := len(lines[1]) / 2
	lines[1] = lines[1][:at] + bytes + lines[1][at:]
	return lines
}

var damagedPlace = regexp.MustCompile(`:\d+\b|\blines? \d+`)

// TestDamagedLogs damages each log in each way.
func TestDamagedLogs(t *testing.T) {
	size.SkipQuick(t)
	t.Chdir(t.TempDir())
	mustWrite(t, "service.yaml", `match: '^(?<t>\d+) (?<node>\S+) (?<role>\S+) (?<term>\d+)$'
process: '${node}'
time: {from: '${t}', layout: s}
events:
  - {when: {}, state: {role: '${role}', term: '${term}'}}
`)
	for _, log := range damagedLogs {
		mustWrite(t, log.file, log.text)
		status, _, said := importDamaged(t, log.file, log.args)
		if status != exitOK {
			t.Errorf("%s: %s", log.file, said)
			continue
		}
		undamaged := mustRead(t, "out.jsonl")
		var got []string
		for _, damage := range logDamages {
			mustWrite(t, log.file, strings.Join(damage.spoil(strings.SplitAfter(strings.TrimSuffix(log.text, "\n"), "\n")), ""))
			status, out, errOut := importDamaged(t, log.file, log.args)
			name := log.file + ", " + damage.name
			switch {
			case status == exitFail:
				got = append(got, "error")
				if _, err := os.Stat("out.jsonl"); err == nil || out != "" {
					t.Errorf("%s: something was written: %s", name, out)
				}
				if strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, log.file) || !damagedPlace.MatchString(errOut) {
					t.Errorf("%s: expected one line with file and place, not %s", name, errOut)
				}
			case status != exitOK:
				t.Errorf("%s: exit status %d", name, status)
			case mustRead(t, "out.jsonl") == undamaged && errOut == said:
				got = append(got, "whole")
			// Lost events are the fault that this test looks for: a remark must name the line.
			case lines(mustRead(t, "out.jsonl")) < lines(undamaged) && !damagedPlace.MatchString(errOut):
				t.Errorf("%s: events are lost, expected a remark that names the line, not %.2000q", name, errOut)
			case errOut == said:
				got = append(got, "kept")
			default:
				got = append(got, "said")
				if len(errOut) > 2000 || !strings.Contains(errOut, log.file) {
					t.Errorf("%s: expected a remark about the file, not %.2000q", name, errOut)
				}
			}
		}
		if got := strings.Join(got, " "); got != log.want {
			t.Errorf("%s: got %s, want %s", log.file, got, log.want)
		}
	}
}

func lines(text string) int { return strings.Count(text, "\n") }

// importDamaged imports the file into out.jsonl.
func importDamaged(t *testing.T, file string, args []string) (status int, out, errOut string) {
	t.Helper()
	os.Remove("out.jsonl")
	var stdout, stderr bytes.Buffer
	status = Run(append([]string{"import", file, "-o", "out.jsonl"}, args...), strings.NewReader(""), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}
