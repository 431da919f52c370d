package property_test

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/tracefmt"
)

// finding must not change between equivalent records of a run.
type finding struct {
	Verdict    analyze.Verdict
	Violations int
	Witness    []tracefmt.Seq
}

func findings(t *rapid.T, rec tracefmt.Recording) map[string]finding {
	report, err := analyze.Check(rec, unbound(), analyze.Options{Named: true})
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]finding{}
	for _, r := range report.Results {
		list[r.Property.Name] = finding{r.Verdict, r.Violations, r.Witness}
	}
	return list
}

// retell copies a run, each event changed by f.
func retell(m *tracefmt.Memory, members []tracefmt.Member, before int, f func(*tracefmt.Event)) *tracefmt.Memory {
	run := *m.Run()
	run.Members = members
	recorded := tracefmt.NewMemory(run)
	for i := range before {
		_ = recorded.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Kind: tracefmt.Note, Type: "before"})
	}
	for _, e := range events(m) {
		f(&e)
		_ = recorded.Write(&e) // a Memory takes every event
	}
	recorded.Finish(run.End)
	return recorded
}

// TestRenamed: names that sort as the old ones did change no verdict.
func TestRenamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawRun(t)
		factor := rapid.IntRange(1, 1000).Draw(t, "factor")
		members := slices.Clone(m.Run().Members)
		names := map[string]string{}
		for i, old := range members {
			members[i].Name = strconv.Itoa(factor*(i+1) + 1000)
			names[old.Name] = members[i].Name
		}
		renamed := retell(m, members, 0, func(e *tracefmt.Event) {
			e.Payload = namesProcess.ReplaceAllFunc(e.Payload, func(field []byte) []byte {
				key, value, _ := strings.Cut(string(field), ":")
				if name, ok := names[value]; ok {
					value = name
				}
				return []byte(key + ":" + value)
			})
		})
		if diff := cmp.Diff(findings(t, m), findings(t, renamed)); diff != "" {
			t.Fatalf("(-old names +new names)\n%s", diff)
		}
	})
}

// namesProcess matches a field of a drawn run that names a process.
var namesProcess = regexp.MustCompile(`"(elected|id|votedFor)":[0-9]+`)

// TestClient: one more member that has no part in the election, and sends itself a message,
// changes no verdict on it.
func TestClient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawRun(t)
		client := tracefmt.Member{Name: "99", Position: len(m.Run().Members) + 1}
		if m.Run().Source == tracefmt.Simulated || rapid.Bool().Draw(t, "declared") {
			client.Attributes = []byte(`{"role":"client"}`)
		}
		more := retell(m, append(slices.Clone(m.Run().Members), client), 0, func(*tracefmt.Event) {})
		for _, e := range []tracefmt.Event{
			{
				Kind: tracefmt.Send, Process: tracefmt.ProcessID(client.Position),
				Peer: tracefmt.ProcessID(client.Position), Message: 1000, Type: "hello",
			},
			{
				Kind: tracefmt.Receive, Process: tracefmt.ProcessID(client.Position),
				Peer: tracefmt.ProcessID(client.Position), Message: 1000, Type: "hello", Cause: tracefmt.Seq(m.Len() + 1),
			},
		} {
			if e.Kind == tracefmt.Receive && !(oracle{m.Run(), events(m)}).live(1, m.Len()) {
				e.Kind = tracefmt.Lose // or 1 would be up again
			}
			e.Seq = tracefmt.Seq(more.Len() + 1)
			_ = more.Write(&e) // a Memory takes every event
		}
		without, extended := findings(t, m), findings(t, more)
		for _, name := range ofElections {
			if a, b := without[name], extended[name]; a.Verdict != b.Verdict || a.Violations != b.Violations {
				t.Fatalf("%s: %v, with a client %v", name, a, b)
			}
		}
	})
}

// TestPrefixed: notes before a run change nothing but the seqs.
func TestPrefixed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawRun(t)
		n := rapid.IntRange(1, 200).Draw(t, "notes")
		// A forged cause may point after its receive: it must still do so.
		prefixed := retell(m, m.Run().Members, n, func(e *tracefmt.Event) {
			e.Seq += tracefmt.Seq(n)
			if e.Cause > 0 {
				e.Cause += tracefmt.Seq(n)
			}
		})
		want := findings(t, m)
		for name, f := range want {
			for i := range f.Witness {
				f.Witness[i] += tracefmt.Seq(n)
			}
			want[name] = f
		}
		if diff := cmp.Diff(want, findings(t, prefixed)); diff != "" {
			t.Fatalf("(-want +prefixed by %d notes)\n%s", n, diff)
		}
	})
}

// TestSplit: two runs in one file are judged as each alone, and from text as
// from memory.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := []*tracefmt.Memory{drawRun(t), drawRun(t)}
		var text bytes.Buffer
		for _, m := range runs {
			if err := tracefmt.NewEncoder(&text).Encode(m); err != nil {
				t.Fatal(err)
			}
		}
		for i, m := range decode(t, text.Bytes()) {
			if diff := cmp.Diff(findings(t, runs[i]), findings(t, m)); diff != "" {
				t.Fatalf("(-alone +in one file)\n%s\n%s", diff, text.String())
			}
		}
	})
}
