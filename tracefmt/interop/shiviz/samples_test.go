package shiviz_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// samples are third-party logs, which are not part of the repository.
const samples = "../../../../shared/data/shiviz"

// The patterns with which the samples are read.
const (
	akkaRegex     = `\[\w+\] \[(?<date>([^ ]+ [^ ]+))\] [^ ]+ \[akka://Broadcast/user/(?<host>\w+)\] (?<clock>.*\}) (?<event>.*)`
	goVectorRegex = `(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`
	webRegex      = `(?<ip>(\d{1,3}\.){3}\d{1,3}) (?<date>(\d{1,2}/){2}\d{4} (\d{2}:){2}\d{2} (AM|PM)) (?<action>(INFO|` +
		`GET|POST)) (?<event>.*)\n(?<host>\w*) (?<clock>.*)`
	tlcRegex = `^State [0-9]+: <(?<event>\w*) .*>\n\/\\ Host = (?<host>.*)\n\/\\ Clock = ` +
		`"(?<clock>.*)"\n\/\\ active = (?<active>.*)\n\/\\ color = (?<color>.*)\n\/\\ counter = (?<counter>.*)`
	executions = `^=== (?<trace>.*) ===$`
)

// truth is what a sample is known to hold, per run: events/processes, sends,
// receives, edges and skipped lines, then the events by process or by label.
type truth struct {
	file   string
	o      form
	strict bool // no line may be left over
	runs   []string
	counts []map[string]int
	key    func(*tracefmt.Run, *tracefmt.Event) string
}

func process(r *tracefmt.Run, e *tracefmt.Event) string  { return r.ProcessName(e.Process) }
func label(_ *tracefmt.Run, e *tracefmt.Event) string    { return e.Type }
func kindType(_ *tracefmt.Run, e *tracefmt.Event) string { return e.Kind.String() + " " + e.Type }

var truths = []truth{
	{
		file: "simple-reliable-broadcast.log", o: form{Regex: akkaRegex}, strict: true,
		runs: []string{"39/3 16->16 16 0"}, key: process,
		counts: []map[string]int{{"node0": 15, "node1": 12, "node2": 12}},
	},
	{
		file: "simple-reliable-broadcast.log", o: form{Regex: akkaRegex}, strict: true,
		runs: []string{"39/3 16->16 16 0"}, key: kindType,
		counts: []map[string]int{{"note ": 7, "send ACK": 8, "send SLDeliver": 8, "receive ACK": 8, "receive SLDeliver": 8}},
	},
	{
		file: "chord.log", o: form{Regex: goVectorRegex}, strict: true,
		runs: []string{"1235/8 0->0 541 0"}, key: process, counts: []map[string]int{chordProcesses},
	},
	{
		file: "chord.log", strict: true, // the known form is the same
		runs: []string{"1235/8 0->0 541 0"}, key: process, counts: []map[string]int{chordProcesses},
	},
	{
		file: "facebook-multiple.log", o: form{Regex: webRegex, Delimiter: executions}, strict: true,
		runs: []string{"47/4 0->0 23 0", "41/4 0->0 20 0"}, key: process,
		counts: []map[string]int{
			{"alice": 11, "loadBalancer": 10, "eastDC": 16, "westDC": 10},
			{"alice": 9, "loadBalancer": 8, "eastDC": 14, "westDC": 10},
		},
	},
	{
		file: "multiple-comparison.log", o: form{Regex: webRegex, Delimiter: executions}, strict: true,
		runs: []string{
			"8/2 0->0 4 0", "8/2 0->0 4 0", "8/2 0->0 4 0", "8/2 0->0 4 0", "8/2 0->0 4 0",
		},
	},
	{
		file: "ewd998.log", o: form{Regex: tlcRegex, Delimiter: executions},
		runs: []string{
			"77/7 0->0 18 128",
			"248/5 0->0 73 310",
			"665/7 0->0 194 711",
		},
		key: label, counts: []map[string]int{
			{"Deactivate": 20, "SendMsg": 18, "RecvMsg": 18, "PassToken": 18, "InitiateProbe": 3},
			{"SendMsg": 82, "RecvMsg": 82, "Deactivate": 65, "System": 19},
			{"SendMsg": 220, "RecvMsg": 220, "Deactivate": 162, "System": 63},
		},
	},
}

var chordProcesses = map[string]int{
	"kv-node-10": 319, "kv-node-40": 268, "kv-node-30": 266, "kv-node-60": 224, "kv-node-70": 122,
	"front-end": 27, "client-testGetEveryNSeconds": 5, "0001": 4,
}

func needSamples(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(samples); err != nil {
		t.Skip("../shared/data is absent: third-party samples are not part of the repository")
	}
}

func readSample(t testing.TB, file string, o interop.Settings) (*tracefmt.Collector, interop.Report) {
	t.Helper()
	needSamples(t)
	f, err := os.Open(filepath.Join(samples, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, report, err := readFile(t, file, f, o)
	if err != nil {
		t.Fatal(err)
	}
	return got, report
}

func TestShiVizSamples(t *testing.T) {
	for _, want := range truths {
		t.Run(want.file, func(t *testing.T) {
			got, report := readSample(t, want.file, settings(want.strict, want.o))
			var runs []string
			var counts []map[string]int
			for i, r := range report.Runs {
				runs = append(runs, fmt.Sprintf("%d/%d %d->%d %d %d", r.Events, r.Processes, r.Messages, r.Receives, r.Edges, r.Skipped.Lines))
				if r.FindingCount != 0 {
					t.Errorf("%s: findings %v, want none", r.Name, r.Findings)
				}
				if err := tracefmt.Validate(got.Runs[i]); err != nil {
					t.Error(err)
				}
				if want.key != nil {
					counts = append(counts, countEvents(t, got.Runs[i], want.key))
				}
			}
			if diff := cmp.Diff(want.runs, runs); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want.counts, counts); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
		})
	}
}

func countEvents(t *testing.T, run tracefmt.Recording, key func(*tracefmt.Run, *tracefmt.Event) string) map[string]int {
	t.Helper()
	counts := make(map[string]int)
	for e, err := range run.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		counts[key(run.Run(), e)]++
	}
	return counts
}

func TestShiVizSampleOutOfFileOrder(t *testing.T) {
	_, report := readSample(t, "chord.log", lenient(form{Regex: goVectorRegex}))
	want := []string{"kv-node-60: 2 events out of file order (lines 1829, 2051), sorted by own clock"}
	if diff := cmp.Diff(want, report.Runs[0].Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// In the TLC runs all that brings news is the receipt of a message.
func TestShiVizSampleEdgesEndInRecvMsg(t *testing.T) {
	got, _ := readSample(t, "ewd998.log", lenient(form{Regex: tlcRegex, Delimiter: executions}))
	for _, run := range got.Runs {
		for e := range run.Events(1) {
			if e.Cause != 0 && e.Type != "RecvMsg" {
				t.Errorf("%s: seq %d is a %s with cause %d, expected causes of RecvMsg only", run.Run().Name, e.Seq, e.Type, e.Cause)
			}
		}
	}
}

func TestShiVizSampleNeedsRegex(t *testing.T) {
	needSamples(t)
	text, err := os.ReadFile(filepath.Join(samples, "simple-reliable-broadcast.log"))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = readText(t, string(text), interop.Settings{})
	if err == nil || !strings.Contains(err.Error(), "--regex") {
		t.Errorf("error %v, expected one that shows --regex", err)
	}
}
