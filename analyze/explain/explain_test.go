package explain

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/analyze/spec"
	"etrace/fixtures/size"
	"etrace/replay"
	"etrace/tracefmt"
)

func decode(t *testing.T, text []byte) *tracefmt.Memory {
	t.Helper()
	runs, err := tracefmt.ReadMemory(bytes.NewReader(text))
	if err != nil || len(runs) == 0 {
		t.Fatal("no run", err)
	}
	return runs[0]
}

// TestCancelledTimers: a timer is cancelled because it was set. This reason counts in a recorded run, too.
func TestCancelledTimers(t *testing.T) {
	h, err := readHistory(t.Context(), decode(t, []byte(`{"format":"etrace/1","time_unit":"ns","members":[{"name":"a","position":1}]}
{"seq":1,"time":0,"process":"a","kind":"set-timer","type":"T"}
{"seq":2,"time":1,"process":"a","kind":"note","type":"x"}
{"seq":3,"time":2,"process":"a","kind":"cancel-timer","type":"T"}
{"end":"stopped","events":3}
`)))
	if err != nil || !slices.Equal(h.more[3], []tracefmt.Seq{1}) {
		t.Errorf("%v, %v; expected the reason 1", h, err)
	}
}

// corpus calls f with the traces of package property, or a sample of them.
func corpus(t *testing.T, f func(t *testing.T, rec *tracefmt.Memory)) {
	t.Helper()
	files, _ := filepath.Glob("../property/testdata/*/*.txtar")
	for i := 0; i < len(files); i += size.Pick(16, 4, 1) { // a property has some ten
		file := files[i]
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "trace.jsonl" })
		if i < 0 {
			continue
		}
		name := filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) { f(t, decode(t, archive.Files[i].Data)) })
	}
}

// violations are the violated results among all properties of a run.
func violations(t *testing.T, rec tracefmt.Recording, properties ...*analyze.Property) ([]*analyze.Result, analyze.Ending) {
	t.Helper()
	report, err := analyze.Check(rec, properties, analyze.Options{Named: true})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(report.Results, func(r *analyze.Result) bool { return r.Verdict != analyze.Violated }), report.Ending
}

// unbound are the properties that need no argument.
func unbound() []*analyze.Property {
	return slices.DeleteFunc(property.Builtin().All(), func(p *analyze.Property) bool { return p.New == nil })
}

func seqsOf(e *Explanation) (seqs []tracefmt.Seq) {
	for _, s := range e.Steps {
		seqs = append(seqs, s.Seq)
	}
	return seqs
}

// TestStories explains the violations of testdata/*.txtar. The comment of each file has the reason of each
// step.
func TestStories(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("no traces")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rec := decode(t, archive.Files[0].Data)
			properties, err := property.Builtin().Named(archive.Files[1].Name)
			if err != nil {
				t.Fatal(err)
			}
			results, end := violations(t, rec, properties...)
			if len(results) != 1 {
				t.Fatalf("%s is not violated", archive.Files[1].Name)
			}
			e, err := Violation(context.Background(), rec, results[0], end, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, s := range e.Steps {
				fmt.Fprintf(&got, "%d %s\n", s.Seq, s.Text)
			}
			if e.Note != "" {
				fmt.Fprintf(&got, "not minimal: %s\n", e.Note)
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got.String()); diff != "" {
				t.Errorf("%s (-want +got)\n%s", file, diff)
			}
		})
	}
}

// TestMinimal takes every violation in the traces of package property, and
// takes each event of its explanation out, with what is there because of it:
// the violation must be gone.
func TestMinimal(t *testing.T) {
	seen := 0
	corpus(t, func(t *testing.T, rec *tracefmt.Memory) {
		results, end := violations(t, rec, unbound()...)
		for _, r := range results {
			seen++
			if !testMinimal(t, rec, r, end) {
				t.Errorf("so it is with %s", r.Property.Name)
			}
		}
	})
	if seen < size.Pick(3, 20, 20) {
		t.Errorf("only %d violations, expected those of all properties", seen)
	}
}

func testMinimal(t *testing.T, rec *tracefmt.Memory, r *analyze.Result, end analyze.Ending) bool {
	t.Helper()
	e, err := Violation(t.Context(), rec, r, end, Options{})
	if err != nil {
		t.Error(err)
		return false
	}
	if !e.Minimal || e.Note != "" {
		t.Errorf("not minimal: %s", e.Note)
		return false
	}
	seqs := seqsOf(e)
	if !slices.IsSorted(seqs) || slices.ContainsFunc(r.Witness, func(w tracefmt.Seq) bool { return !slices.Contains(seqs, w) }) {
		t.Errorf("%v does not hold the witness %v", seqs, r.Witness)
		return false
	}
	s := searchIn(t, rec, r, end)
	for _, a := range endings(s, r, seqs) {
		if shows, err := s.keepsViolation(a); err != nil || !shows {
			continue // the violation is one of the end, and this is a beginning
		}
		for _, seq := range seqs {
			less := s.runOf(attempt{s.without(a.kept, []tracefmt.Seq{seq}), a.end})
			now, _ := violations(t, less, r.Property)
			if another := slices.Contains(e.Others, seq); len(now) > 0 != another {
				t.Errorf("without event %d of %v it is violated: %t; expected so without %v", seq, seqs, len(now) > 0, e.Others)
				return false
			}
			if len(now) > 0 && slices.Equal(now[0].Witness, renumber(s.without(a.kept, []tracefmt.Seq{seq}), r.Witness)) {
				t.Errorf("without event %d of %v the same violation shows", seq, seqs)
				return false
			}
		}
		return true
	}
	t.Errorf("it is not violated in %v alone", seqs)
	return false
}

// endings returns the explained and the given events as two attempts: up to the witness, of a stopped run, and
// all of them, of the run with its own end.
func endings(s *search, r *analyze.Result, seqs []tracefmt.Seq) []attempt {
	kept := slices.Compact(slices.Sorted(slices.Values(slices.Concat(seqs, s.given))))
	last := slices.Max(append(slices.Clone(r.Witness), 0))
	beginning := slices.DeleteFunc(slices.Clone(kept), func(seq tracefmt.Seq) bool { return seq > last })
	return []attempt{{beginning, tracefmt.Stopped}, {kept, s.original.End}}
}

// renumber returns the seqs of events in a part of the run, 0 for events outside the part.
func renumber(part, seqs []tracefmt.Seq) (now []tracefmt.Seq) {
	for _, seq := range seqs {
		now = append(now, tracefmt.Seq(slices.Index(part, seq)+1))
	}
	return now
}

// ruled are rules whose violations are explained like those of properties.
const ruled = `
rule few: at most 2 send per process
rule cut: never possibly live(p) and live(q) and elected(p) != null and elected(p) == elected(q) for p < q
rule sure: never definitely live(p) and live(q) and elected(p) != elected(q) for p < q
rule answered: each s: send leads to receive(message = s.message)
rule known: each s: state(has elected) was preceded by receive(process = s.process)
rule agreed: at end forall p in live(): forall q in live(): elected(p) == elected(q)
rule one: unique elected per process over state where has elected
rule idle: never state where count(live()) < n
`

// TestMinimalAtRandom does as [TestMinimal] with random parts of the traces, in which
// processes elect others than they did.
func TestMinimalAtRandom(t *testing.T) {
	rules, err := spec.Parse("rules", ruled, spec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	properties := append(unbound(), rules...)
	rounds := size.Pick(1, 1, 50)
	random := rand.New(rand.NewPCG(20, 11))
	seen := map[string]int{}
	corpus(t, func(t *testing.T, rec *tracefmt.Memory) {
		for range rounds {
			part := drawPart(t, random, rec)
			results, end := violations(t, part, properties...)
			for _, r := range results {
				seen[r.Property.Name]++
				if !testMinimal(t, part, r, end) {
					t.Fatalf("so it is with %s of %v", r.Property.Name, r.Witness)
				}
			}
		}
	})
	if len(seen) < size.Pick(5, 25, 40) {
		t.Errorf("%d properties were violated, expected more: %v", len(seen), seen)
	}
}

// drawPart leaves a few events of a run out, with what is there because of them, and has
// one process or another be elected.
func drawPart(t *testing.T, random *rand.Rand, rec *tracefmt.Memory) *tracefmt.Memory {
	t.Helper()
	s := searchIn(t, rec, &analyze.Result{}, analyze.Ending{})
	last := s.attempts[len(s.attempts)-1]
	var gone []tracefmt.Seq
	for _, seq := range last.kept {
		if random.IntN(10) == 0 {
			gone = append(gone, seq)
		}
		e := s.events[seq]
		if members := rec.Run().Members; e.Kind == tracefmt.State && random.IntN(3) == 0 {
			e.Payload = fmt.Appendf(nil, `{"elected":%s}`, rec.Run().AppendProcess(nil, tracefmt.ProcessID(random.IntN(len(members))+1)))
		}
	}
	return s.runOf(attempt{s.without(last.kept, gone), last.end})
}

// TestPartsAreRuns: what is left of a well-formed trace is well-formed.
func TestPartsAreRuns(t *testing.T) {
	parts := 0
	corpus(t, func(t *testing.T, rec *tracefmt.Memory) {
		if tracefmt.Validate(rec) != nil {
			return
		}
		s := searchIn(t, rec, &analyze.Result{}, analyze.Ending{})
		last := s.attempts[len(s.attempts)-1]
		for seq := range rec.Run().Events {
			parts++
			part := s.runOf(attempt{s.without(last.kept, []tracefmt.Seq{tracefmt.Seq(seq + 1)}), last.end})
			if err := tracefmt.Validate(part); err != nil {
				t.Errorf("without event %d: %v", seq+1, err)
			}
		}
	})
	if parts < size.Pick(20, 100, 100) {
		t.Errorf("only %d parts", parts)
	}
}

// searchIn prepares a search.
func searchIn(t *testing.T, rec *tracefmt.Memory, r *analyze.Result, end analyze.Ending) *search {
	t.Helper()
	h, err := readHistory(t.Context(), rec)
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(t.Context(), rec.Run(), h, r, Options{}.resolve())
	s.listAttempts(end)
	if err := s.load(rec); err != nil {
		t.Fatal(err)
	}
	return s
}

// fewSends is violated by the send that is one too many. Its witness alone
// does not show that: it takes all the sends before.
func fewSends(limit int) *analyze.Property {
	return &analyze.Property{
		Name: "few-sends", Kind: analyze.Safety,
		New: func(*tracefmt.Run) analyze.Monitor { return &sendCounter{limit: limit} },
	}
}

type sendCounter struct{ sends, limit int }

func (c *sendCounter) Step(r *analyze.Result, _ *replay.State, e *tracefmt.Event) {
	if e.Kind != tracefmt.Send {
		return
	}
	if c.sends++; c.sends == c.limit+1 {
		r.Violate(func() string { return "too many" }, e.Seq)
	}
}

func (*sendCounter) End(*analyze.Result, *replay.State, analyze.Ending) {}

// chatter is a run in which process a sends n messages and then steps around
// for another n events.
func chatter(n int) *tracefmt.Memory {
	rec := tracefmt.NewMemory(tracefmt.Run{Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}, TimeUnit: tracefmt.Logical})
	for i := range 2 * n {
		e := &tracefmt.Event{Seq: tracefmt.Seq(i + 1), Process: 1, Peer: 2, Kind: tracefmt.Send, Message: tracefmt.MessageID(i + 1)}
		if i%2 == 1 {
			e = &tracefmt.Event{Seq: tracefmt.Seq(i + 1), Process: 1, Kind: tracefmt.Note, Type: "step"}
		}
		rec.Write(e)
	}
	rec.Finish(tracefmt.Stopped)
	return rec
}

func TestWhatThePropertyNeeds(t *testing.T) {
	rec := chatter(50) // sends at 1, 3, 5, ...
	results, end := violations(t, rec, fewSends(3))
	e, err := Violation(context.Background(), rec, results[0], end, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]tracefmt.Seq{1, 3, 5, 7}, seqsOf(e)); diff != "" || !e.Minimal {
		t.Errorf("minimal %t (-want +got)\n%s", e.Minimal, diff)
	}
}

// TestLimits: the explanation names the limit that was reached, and still has the witness.
func TestLimits(t *testing.T) {
	rec := chatter(1000)
	for _, tt := range []struct {
		name    string
		maximum int // sends
		options Options
		note    string
	}{
		{"budget", 500, Options{Budget: 10_000}, "more than 10000 events would have to be checked again"},
		{
			"budget for nothing", 500,
			Options{Budget: 10},
			"more than 10 events would have to be checked again; whether all that led to the witness matters, and what else does, was not found out",
		},
		{
			"memory", 500,
			Options{MaxEvents: 100},
			"there are more than 100 events to choose from; whether all that led to the witness matters, and what else does, was not found out",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			results, end := violations(t, rec, fewSends(tt.maximum))
			e, err := Violation(context.Background(), rec, results[0], end, tt.options)
			if err != nil {
				t.Fatal(err)
			}
			if e.Minimal || e.Note != tt.note {
				t.Errorf("minimal %t, note %q, want %q", e.Minimal, e.Note, tt.note)
			}
			if !slices.Contains(seqsOf(e), results[0].Witness[0]) {
				t.Errorf("the witness is not among the events %v", seqsOf(e))
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	rec := chatter(1000)
	results, end := violations(t, rec, fewSends(3))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Violation(ctx, rec, results[0], end, Options{}); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestNotViolated(t *testing.T) {
	r := &analyze.Result{Property: fewSends(1), Verdict: analyze.Satisfied}
	_, err := Violation(context.Background(), chatter(1), r, analyze.Ending{}, Options{})
	if want := "few-sends is satisfied, expected a violated property to explain"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// FuzzViolation: whatever a trace holds, its violations are explained and the
// witness is among the events.
func FuzzViolation(f *testing.F) {
	files, _ := filepath.Glob("../property/testdata/*/violated*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d := tracefmt.NewDecoder(bytes.NewReader(text))
		run, err := d.NextRun()
		if err != nil {
			return
		}
		rec := tracefmt.NewMemory(*run)
		for e, err := d.Next(); err == nil && rec.Len() < 200; e, err = d.Next() {
			e.Seq = tracefmt.Seq(rec.Len() + 1) // as every store of runs sees to it
			rec.Write(e)
		}
		rec.Finish(run.End)
		report, err := analyze.Check(rec, unbound(), analyze.Options{Named: true})
		if err != nil {
			return
		}
		for _, r := range report.Results {
			if r.Verdict != analyze.Violated {
				continue
			}
			e, err := Violation(context.Background(), rec, r, report.Ending, Options{Budget: 20_000})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range r.Witness {
				if !slices.Contains(seqsOf(e), w) {
					t.Errorf("%s: event %d of the witness is not told", r.Property.Name, w)
				}
			}
		}
	})
}
