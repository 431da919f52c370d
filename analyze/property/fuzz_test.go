package property_test

import (
	"bytes"
	"flag"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// FuzzCheck: every property has a verdict for every trace.
func FuzzCheck(f *testing.F) {
	texts, err := corpusTexts()
	if err != nil {
		f.Fatal(err)
	}
	for i := 0; i < len(texts); i += seedStep() {
		f.Add(texts[i])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if m := readable(text); m != nil {
			comesToVerdicts(t, m)
		}
	})
}

// seedStep is 1 where all seeds are checked: when fuzzing, and in make long.
func seedStep() int {
	if flag.Lookup("test.fuzz").Value.String() != "" {
		return 1
	}
	return size.Pick(20, 5, 1)
}

// TestMangled: a trace of the corpus in which events are left out, repeated,
// moved and given to others still comes to verdicts.
func TestMangled(t *testing.T) {
	texts, err := corpusTexts()
	if err != nil || len(texts) == 0 {
		t.Fatalf("no traces: %v", err)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := readable(rapid.SampledFrom(texts).Draw(t, "trace"))
		var events []tracefmt.Event
		for e := range m.Events(1) {
			events = append(events, *e.Clone())
		}
		for range rapid.IntRange(1, 6).Draw(t, "edits") {
			if len(events) > 0 {
				events = mangle(t, events, *m.Run())
			}
		}
		mangled := tracefmt.NewMemory(*m.Run())
		for i := range events {
			events[i].Seq = tracefmt.Seq(i + 1)
			_ = mangled.Write(&events[i]) // a Memory takes every event
		}
		mangled.Finish(rapid.SampledFrom([]tracefmt.End{tracefmt.Quiescent, tracefmt.Stopped, m.Run().End}).Draw(t, "end"))
		comesToVerdicts(t, mangled)
	})
}

// mangle makes one edit.
func mangle(t *rapid.T, events []tracefmt.Event, run tracefmt.Run) []tracefmt.Event {
	place := rapid.IntRange(0, len(events)-1)
	i, j := place.Draw(t, "at"), place.Draw(t, "from")
	process := tracefmt.ProcessID(rapid.IntRange(0, len(run.Members)).Draw(t, "process"))
	seq := rapid.Int64Range(-1, int64(len(events)+1)).Draw(t, "seq")
	e := &events[i]
	switch rapid.IntRange(0, 9).Draw(t, "edit") {
	case 0:
		return append(events[:i:i], events[i+1:]...)
	case 1:
		return append(append(events[:i:i], *events[j].Clone()), events[i:]...)
	case 2:
		events[i], events[j] = events[j], events[i]
	case 3:
		e.Process = process
	case 4:
		e.Peer = process
	case 5:
		e.Cause = tracefmt.Seq(seq)
	case 6:
		e.Message = tracefmt.MessageID(seq)
	case 7:
		e.Kind = rapid.SampledFrom(tracefmt.Kinds()).Draw(t, "kind")
	case 8:
		e.Payload, e.Type = events[j].Payload, events[j].Type
	case 9:
		e.Time, e.Term = tracefmt.Time(seq)*tracefmt.Unit, seq
	}
	return events
}

// corpusTexts are the traces of the corpus, and the stories.
func corpusTexts() (texts [][]byte, err error) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			return nil, err
		}
		for _, section := range archive.Files {
			if section.Name == "trace.jsonl" {
				texts = append(texts, section.Data)
			}
		}
	}
	return texts, err
}

// readable reads the first run of a text as far as it is valid, nil without a run.
func readable(text []byte) *tracefmt.Memory {
	d := tracefmt.NewDecoder(bytes.NewReader(text))
	run, err := d.NextRun()
	if err != nil {
		return nil
	}
	m := tracefmt.NewMemory(*run)
	for e, err := d.Next(); err == nil; e, err = d.Next() {
		e.Seq = tracefmt.Seq(m.Len() + 1) // as every store of runs sees to it
		_ = m.Write(e)
	}
	m.Finish(run.End)
	return m
}

// comesToVerdicts checks a run for every property, twice: the verdicts are the
// same, and a violation is explained and has events of the run for a witness.
func comesToVerdicts(t interface {
	failer
	Fatalf(format string, args ...any)
}, m *tracefmt.Memory,
) {
	t.Helper()
	bound, err := property.Builtin().Named("bounded-bypass(1)", "messages-at-most(3*n-1)", "termination-within(3)")
	if err != nil {
		t.Fatal(err)
	}
	var recorded [2]string
	for i := range recorded {
		report, err := analyze.Check(m, append(unbound(), bound...), analyze.Options{Named: true})
		if err != nil {
			return // of a process that the run does not have
		}
		for _, r := range report.Results {
			recorded[i] += fmt.Sprintln(r.Property.Name, r.Verdict, r.Violations, r.Witness, r.Cut, r.Open, r.Explanation)
			within := len(r.Witness) == 0 || r.Witness[0] > 0 && int(r.Witness[len(r.Witness)-1]) <= m.Len()
			if !within || r.Verdict == analyze.Violated && (len(r.Witness) == 0 || r.Explanation == "") {
				t.Fatalf("%s is %s with the witness %v of %d events: %q", r.Property.Name, r.Verdict, r.Witness, m.Len(), r.Explanation)
			}
		}
	}
	if recorded[0] != recorded[1] {
		t.Fatalf("two checks of one run differ:\n%s\n%s", recorded[0], recorded[1])
	}
}
