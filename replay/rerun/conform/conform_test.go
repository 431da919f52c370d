package conform_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"etrace/record/algorithm"
	"etrace/record/algorithm/builtin"
	"etrace/record/scenario"
	"etrace/replay/rerun"
	"etrace/replay/rerun/conform"
	"etrace/tracefmt"
)

// TestConformScripts: traces as others might have recorded them, and the places where they leave the
// algorithm.
//
//	conform as=NAME [end=END] [problem=NAME] [params=(K:V,...)] [byzantine=(NAME,...)] [tells=FACT=LEVEL;...]
//
// reads lines as byHand does; members=(...) may be in any order. ETRACE_UPDATE=1 writes the outputs anew: each
// must follow from the rules of the algorithm.
func TestConformScripts(t *testing.T) {
	if os.Getenv("ETRACE_UPDATE") != "" {
		if err := flag.Set("rewrite", "true"); err != nil {
			t.Fatal(err)
		}
	}
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if filepath.Ext(path) != ".txt" {
			t.Fatalf("%s is no script", path)
		}
		datadriven.RunTest(t, path, conformScript)
	})
}

func conformScript(t *testing.T, d *datadriven.TestData) string {
	run := tracefmt.Run{Number: 1, Source: "by hand", TimeUnit: tracefmt.Nanoseconds}
	var names []string
	d.ScanArgs(t, "members", &names)
	for i, name := range names {
		run.Members = append(run.Members, tracefmt.Member{Name: name, Position: i + 1})
	}
	var liars []string
	d.MaybeScanArgs(t, "byzantine", &liars)
	for _, name := range liars {
		p, _ := run.Process(name)
		run.Members[p-1].Attributes = []byte(`{"role":"` + tracefmt.Byzantine + `"}`)
	}
	d.MaybeScanArgs(t, "problem", &run.Problem)
	end, name := string(tracefmt.Quiescent), ""
	d.MaybeScanArgs(t, "end", &end)
	d.ScanArgs(t, "as", &name)
	run.Completeness = &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All}}
	if tells := ""; d.HasArg("complete") {
		d.ScanArgs(t, "complete", &tells)
		var err error
		if run.Completeness, err = tracefmt.ParseCompleteness(strings.ReplaceAll(tells, ";", ",")); err != nil {
			d.Fatalf(t, "%v", err)
		}
	}
	params := map[string]string{}
	var given []string
	d.MaybeScanArgs(t, "params", &given)
	for _, p := range given {
		name, value, _ := strings.Cut(p, ":")
		params[name] = value
	}
	rec, err := byHand(run, d.Input, tracefmt.End(end))
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	r, err := conform.Decide(context.Background(), rec, conform.Model{Known: builtin.Algorithms(), Algorithm: name, Params: params})
	if err != nil {
		message, _, _ := strings.Cut(err.Error(), " (known: basu, ") // further algorithms change nothing here
		return "error: " + message + "\n"
	}
	mismatch := ""
	if r.Mismatch != "" {
		mismatch = r.Mismatch + "\n"
	}
	return mismatch + r.Summary() + "\n" + r.Text()
}

// byHand makes events of lines such as "b receive a OK #1 {}": process and kind,
// then what there is of peer, type, message and payload. Seqs count from 1, times
// from 0, and the cause of a receive is the send of the same message.
func byHand(run tracefmt.Run, text string, end tracefmt.End) (*tracefmt.Memory, error) {
	m := tracefmt.NewMemory(run)
	sends := map[tracefmt.MessageID]tracefmt.Seq{}
	for text := range strings.Lines(text) {
		words := strings.Fields(text)
		kind, err := tracefmt.ParseKind(words[1])
		if err != nil {
			return nil, err
		}
		e := &tracefmt.Event{Seq: tracefmt.Seq(m.Len() + 1), Time: tracefmt.Time(m.Len()) * tracefmt.Unit, Kind: kind}
		e.Process, _ = run.Process(words[0])
		for _, word := range words[2:] {
			if p, ok := run.Process(word); ok {
				e.Peer = p
				continue
			}
			switch {
			case word[0] == '{':
				e.Payload = []byte(word)
			case word[0] == '#':
				fmt.Sscan(word[1:], &e.Message)
			default:
				e.Type = word
			}
		}
		if kind == tracefmt.Send {
			sends[e.Message] = e.Seq
		}
		if kind == tracefmt.Receive {
			e.Cause = sends[e.Message]
		}
		if err := m.Write(e); err != nil {
			return nil, err
		}
	}
	m.Finish(end)
	return m, tracefmt.Validate(m)
}

// small is a run of a handful of everything: starts, a crash, a recovery, timers and a partition.
const small = "{algorithm: bully, ids: 1-4, down: 4, start: [1, 2@0.5], crash: 3@2.5, recover: 4@9, " +
	"drop: 'OK:3>1#1', partition: '1,2|3,4@4-5'}"

// lecture is the example of the lecture notes.
const lecture = "{ids: 0-7, down: 7, start: 4}"

// simulated makes the run of a scenario.
func simulated(t rapid.TB, text string) *tracefmt.Memory {
	t.Helper()
	s, err := scenario.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s.Complete()
	rec, err := rerun.Record(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// TestConformUpToReordering: any order of the events that keeps the order of each process, and receives after
// their sends, conforms as well. Crashes and recoveries stay in place, since other processes see who is up.
func TestConformUpToReordering(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := simulated(t, rapid.SampledFrom([]string{
			small, lecture, "{algorithm: ring, nodes: 6, down: 6, start: '2,4'}", "{algorithm: basu, nodes: 5, down: 5, start: '1,2', recover: 5@9}",
		}).Draw(t, "scenario"))
		for range rapid.IntRange(1, 400).Draw(t, "swaps") {
			i := tracefmt.Seq(rapid.IntRange(1, rec.Len()-1).Draw(t, "at"))
			if a, b := rec.At(i), rec.At(i+1); concurrent(a, b) {
				*a, *b = *b, *a
			}
		}
		r, err := conform.Decide(context.Background(), rec, conform.Model{Known: builtin.Algorithms(), Algorithm: rec.Run().Algorithm})
		if err != nil || !r.Conforms() {
			t.Fatalf("%v\n%s", err, r.Text())
		}
	})
}

// concurrent reports whether two neighbours may be swapped.
func concurrent(a, b *tracefmt.Event) bool {
	fixed := func(e *tracefmt.Event) bool {
		return e.Process == 0 || e.Kind == tracefmt.Crash || e.Kind == tracefmt.Recover || e.Kind == tracefmt.Start
	}
	return a.Process != b.Process && (a.Message == 0 || a.Message != b.Message) && !fixed(a) && !fixed(b)
}

// TestConformNoticesChanges: what a process sends, assigns or sets is changed in
// one place, and that is the place that is named.
func TestConformNoticesChanges(t *testing.T) {
	rec := simulated(t, small)
	for seq := tracefmt.Seq(1); int(seq) <= rec.Len(); seq++ {
		e := rec.At(seq)
		original := *e
		switch e.Kind {
		case tracefmt.Send:
			e.Peer = e.Peer%4 + 1
		case tracefmt.State:
			e.Payload = []byte(`{"elected":3,"role":"leader"}`)
			if bytes.Equal(e.Payload, original.Payload) {
				e.Payload = []byte(`{"elected":1,"role":"leader"}`)
			}
		case tracefmt.SetTimer:
			e.Type = "coordinator"
		default:
			continue
		}
		r, err := conform.Decide(context.Background(), rec, conform.Model{Known: builtin.Algorithms(), Algorithm: "bully"})
		if err != nil {
			t.Fatal(err)
		}
		if d := r.Processes[e.Process-1].Deviation; d == nil || d.Recorded == nil || d.Recorded.Seq != seq {
			t.Errorf("seq %d, %v: %s", seq, original.Kind, r.Text())
		}
		*e = original
	}
}

// TestParamsOfConform: the parameters are those of the scenario or given ones. A change of a parameter in the
// course of the run counts from its place on.
func TestParamsOfConform(t *testing.T) {
	for _, tt := range []struct {
		scenario string
		params   map[string]string
		want     bool
	}{
		{"{ids: 1-4, down: 4, start: 1, announce: all}", nil, true},
		{"{ids: 1-4, down: 4, start: 1, announce: all}", map[string]string{"announce": "lower"}, false},
		{"{ids: 1-4, down: 4, start: 1}", map[string]string{"timeout": "4"}, false},
		{"{ids: 1-4, down: 4, start: '1,2@9', edit: 'timeout=4@8'}", nil, true},
		{"{ids: 1-4, down: 4, start: '1,2@9', edit: 'announce=all@seq20'}", nil, true},
		{"{algorithm: gajre-ragha, ids: 10-15, down: '10,15', start: 11, param: 'believed-normal=15'}", nil, true},
		{"{algorithm: gajre-ragha, ids: 10-15, down: '10,15', start: 11}", map[string]string{"believed-normal": "15"}, false},
	} {
		rec := simulated(t, tt.scenario)
		r, err := conform.Decide(context.Background(), rec, conform.Model{
			Known: builtin.Algorithms(), Algorithm: rec.Run().Algorithm, Params: tt.params,
		})
		if err != nil || r.Conforms() != tt.want {
			t.Errorf("%s, %v: %v %s", tt.scenario, tt.params, err, r.Summary())
		}
	}
	rec := simulated(t, lecture)
	for params, want := range map[[2]string]string{
		{"tmeout", "3"}:   `unknown parameter of bully "tmeout", did you mean "timeout"?`,
		{"timeout", "-3"}: `timeout "-3": expected a time above 0`,
	} {
		_, err := conform.Decide(context.Background(), rec, conform.Model{
			Known: builtin.Algorithms(), Algorithm: "bully", Params: map[string]string{params[0]: params[1]},
		})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: error %v, want %s", params, err, want)
		}
	}
	_, err := conform.Decide(context.Background(), rec, conform.Model{
		Known: builtin.Algorithms(), Algorithm: "basu", Params: map[string]string{"believed-normal": "77"},
	})
	if err == nil || err.Error() != "believed-normal 77: the run has no process 77" {
		t.Errorf("error %v", err)
	}
}

// TestRank: the algorithm that made a run explains all of it, and is the first.
func TestRank(t *testing.T) {
	rec := simulated(t, "{algorithm: bully-buffalo, ids: 1-6, down: 6, start: 2}")
	reports, err := conform.Rank(context.Background(), builtin.Algorithms(), rec, map[string]string{"discard": "off"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	elections := 0
	for _, a := range builtin.Algorithms().All() {
		if a.Problem == tracefmt.Election {
			elections++
		}
	}
	if len(reports) != elections {
		t.Errorf("%d of %d elections are ranked", len(reports), elections)
	}
	if best := reports[0]; best.Algorithm != "bully-buffalo" || best.Explanation() != 1 || conform.Place(reports, 1) != 2 {
		t.Errorf("the best is %s: %s", best.Algorithm, best.Summary())
	}
	for i, r := range reports[1:] {
		if r.Conforms() || r.Explained > reports[i].Explained {
			t.Errorf("%s on place %d: %s", r.Algorithm, conform.Place(reports, i+1), r.Summary())
		}
		if r.Algorithm == "chang-roberts" && r.Params["discard"] != "off" {
			t.Errorf("chang-roberts is not given its parameter: %v", r.Params)
		}
	}
}

// TestConformHostile: no trace whatever makes an algorithm end the program.
func TestConformHostile(t *testing.T) {
	var recs []*tracefmt.Memory
	for _, a := range builtin.Algorithms().All() {
		shape, starts := "", "1,2"
		if a.Problem == tracefmt.Termination { // whose work begins at one process
			starts = "1"
		}
		if a.Needs == algorithm.Tree || a.Needs == algorithm.GivenGraph {
			shape = "topology: line, "
		}
		recs = append(recs, simulated(t, "{algorithm: "+a.Name+", "+shape+"nodes: 4, down: 4, coordinator: 3, "+
			"start: '"+starts+"', recover: 4@6, crash: 3@8}"))
	}
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.SampledFrom(recs).Draw(t, "run")
		run := *source.Run()
		run.Scenario = nil
		if level := rapid.SampledFrom([]tracefmt.Level{tracefmt.Undeclared, tracefmt.Some, tracefmt.None}).Draw(t,
			"level"); level != tracefmt.Undeclared {
			kind := rapid.SampledFrom([]string{"timers", "state", "receive", "messages", "crash"}).Draw(t, "kind")
			run.Completeness = &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All, Kinds: map[string]tracefmt.Level{kind: level}}}
		}
		rec := tracefmt.NewMemory(run)
		at := rapid.IntRange(1, source.Len()).Draw(t, "at")
		change := rapid.SampledFrom(hostile).Draw(t, "change")
		for e := range source.Events(1) {
			changed := *e.Clone()
			if int(e.Seq) >= at && rapid.Bool().Draw(t, "here") {
				change(&changed)
			}
			_ = rec.Write(&changed)
		}
		rec.Finish(tracefmt.Quiescent)
		if _, err := conform.Rank(context.Background(), builtin.Algorithms(), rec, nil, 500); err != nil &&
			!strings.Contains(err.Error(), "does not have") {
			t.Fatal(err)
		}
	})
}

var listOfNobody = regexp.MustCompile(`\[[^\]]*\]`)

// hostile are changes that no algorithm expects.
var hostile = []func(e *tracefmt.Event){
	func(e *tracefmt.Event) { e.Process = 99 },
	func(e *tracefmt.Event) { e.Peer = -1 },
	func(e *tracefmt.Event) { e.Process = e.Process%4 + 1 },
	func(e *tracefmt.Event) { e.Kind = e.Kind%18 + 1 },
	func(e *tracefmt.Event) { e.Kind = tracefmt.Suspect },
	func(e *tracefmt.Event) { e.Kind = tracefmt.Timeout },
	func(e *tracefmt.Event) { e.Payload = nil },
	func(e *tracefmt.Event) { e.Payload = []byte("{") },
	func(e *tracefmt.Event) { e.Payload = bytes.ReplaceAll(e.Payload, []byte("1"), []byte("null")) },
	func(e *tracefmt.Event) { e.Payload = bytes.ReplaceAll(e.Payload, []byte("[1"), []byte("[")) },
	func(e *tracefmt.Event) { e.Payload = listOfNobody.ReplaceAll(e.Payload, []byte("[]")) },
}

// TestNothingCompared: a run without events does not deviate: nothing was compared.
func TestNothingCompared(t *testing.T) {
	for events, want := range map[int64]bool{0: false, 3: true} {
		c := &conform.Conformance{Events: events}
		if events > 0 {
			c.Processes = []conform.ProcessConformance{{Process: 1, Events: events, Deviation: &conform.Deviation{}}}
		}
		r := &conform.Report{Runs: []conform.RunConformance{{Conformances: []*conform.Conformance{c}}}}
		if got := r.Deviates(); got != want {
			t.Errorf("%d events: deviates %v, want %v", events, got, want)
		}
	}
}
