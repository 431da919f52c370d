package shiviz_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/shiviz"
)

// step is an event of a made-up log.
type step struct {
	host  string
	clock map[string]int
}

// simulate makes a log by the rules: hosts step, some steps merge the clock
// of an earlier step of another host. pick returns a number below n.
func simulate(hosts, events int, pick func(n int) int) []step {
	clocks := make([]map[string]int, hosts)
	for i := range clocks {
		clocks[i] = make(map[string]int)
	}
	var steps []step
	for range events {
		h := pick(hosts)
		name := fmt.Sprintf("h%d", h)
		if len(steps) > 0 && pick(2) == 0 {
			for g, n := range steps[len(steps)-1-pick(min(len(steps), 3*hosts))].clock {
				clocks[h][g] = max(clocks[h][g], n)
			}
		}
		clocks[h][name]++
		steps = append(steps, step{name, maps.Clone(clocks[h])})
	}
	return steps
}

// format writes a log in GoVector's form.
func format(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "%s {", s.host)
		for i, g := range slices.Sorted(maps.Keys(s.clock)) {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%q:%d", g, s.clock[g])
		}
		b.WriteString("}\nsome event or other\n")
	}
	return b.String()
}

// keepsRules compares a log with every rule as it is stated, pair by pair,
// without a thought for the cost. It is the yardstick of the importer, and
// includes the rule about the maximum, which the importer takes to follow.
func keepsRules(steps []step) bool {
	byName := make(map[string]map[int]step)
	for _, s := range steps {
		local := s.clock[s.host]
		if byName[s.host] == nil {
			byName[s.host] = make(map[int]step)
		}
		if _, twice := byName[s.host][local]; twice || local == 0 {
			return false
		}
		byName[s.host][local] = s
	}
	for _, s := range steps {
		local := s.clock[s.host]
		previous, ok := byName[s.host][local-1]
		if local > 1 && !ok {
			return false
		}
		for g, k := range s.clock {
			if known, ok := byName[g][k]; k > 0 && (!ok || !covers(s.clock, known.clock)) {
				return false
			}
		}
		if !covers(s.clock, previous.clock) || !maps.Equal(nonZero(s.clock), expected(s, previous, byName)) {
			return false
		}
		for _, second := range steps {
			same := second.host == s.host && second.clock[s.host] == local
			if !same && s.clock[second.host] >= second.clock[second.host] && second.clock[s.host] >= local {
				return false
			}
		}
	}
	return true
}

func covers(a, b map[string]int) bool {
	for g, n := range b {
		if a[g] < n {
			return false
		}
	}
	return true
}

func nonZero(clock map[string]int) map[string]int {
	clock = maps.Clone(clock)
	maps.DeleteFunc(clock, func(_ string, n int) bool { return n == 0 })
	return clock
}

// parents are the direct causes of a step in other hosts.
func parents(s, previous step, byName map[string]map[int]step) []step {
	var rose []step
	for g, k := range s.clock {
		if g != s.host && k > previous.clock[g] {
			rose = append(rose, byName[g][k])
		}
	}
	return slices.DeleteFunc(slices.Clone(rose), func(a step) bool {
		return slices.ContainsFunc(rose, func(b step) bool {
			return a.host != b.host && b.clock[a.host] >= a.clock[a.host]
		})
	})
}

func expected(s, previous step, byName map[string]map[int]step) map[string]int {
	want := make(map[string]int)
	for _, p := range append(parents(s, previous, byName), previous) {
		for g, n := range p.clock {
			want[g] = max(want[g], n)
		}
	}
	want[s.host] = previous.clock[s.host] + 1
	return nonZero(want)
}

// The importer finds fault with a log exactly if the rules are broken.
func TestShiVizRulesAgainstDefinition(t *testing.T) {
	broken := 0
	rapid.Check(t, func(t *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
		steps := simulate(1+pick(4), 1+pick(14), pick)
		for range pick(3) { // spoil it, perhaps
			s := steps[pick(len(steps))]
			s.clock[fmt.Sprintf("h%d", pick(4))] = pick(6)
		}
		got, report, err := readText(t, format(steps), lenient(form{Regex: goVectorRegex}))
		fine := err == nil && report.Runs[0].FindingCount == 0
		if want := keepsRules(steps); fine != want {
			t.Fatalf("kept rules: got %v (%v, %+v), want %v, for\n%s", fine, err, report, want, format(steps))
		}
		if !fine {
			broken++
		}
		for _, run := range got.Runs {
			if err := tracefmt.Validate(run); err != nil {
				t.Fatal(err)
			}
		}
	})
	if broken == 0 {
		t.Error("no log was spoilt, so nothing was tested")
	}
}

// However the lines of a log are shuffled, its causality is the same.
func TestShiVizShuffled(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	steps := simulate(5, 200, rnd.IntN)
	want := causality(t, steps)
	edges := 0
	byName := make(map[string]map[int]step)
	for _, s := range steps {
		if byName[s.host] == nil {
			byName[s.host] = make(map[int]step)
		}
		byName[s.host][s.clock[s.host]] = s
		edges += len(parents(s, byName[s.host][s.clock[s.host]-1], byName))
	}
	if want["edges"] != int64(edges) {
		t.Errorf("%d edges, want %d", want["edges"], edges)
	}
	for range 20 {
		rnd.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		if diff := cmp.Diff(want, causality(t, steps)); diff != "" {
			t.Fatalf("Lamport clocks (-want +got):\n%s", diff)
		}
	}
}

// causality returns the Lamport clock of every step, and checks the order.
func causality(t *testing.T, steps []step) map[string]int64 {
	t.Helper()
	got, report, err := readText(t, format(steps), lenient(form{Regex: goVectorRegex}))
	if err != nil {
		t.Fatal(err)
	}
	validate(t, got)
	run := got.Runs[0]
	list := map[string]int64{"edges": report.Runs[0].Edges}
	next := make(map[string]int)
	for e := range run.Events(1) {
		s := steps[(line(t, e)-1)/2]
		next[s.host]++
		if s.clock[s.host] != next[s.host] {
			t.Fatalf("seq %d is %v, expected own clock %d", e.Seq, s, next[s.host])
		}
		for g, n := range s.clock {
			if next[g] < n {
				t.Fatalf("seq %d is %v, before event %d of %s", e.Seq, s, n, g)
			}
		}
		list[fmt.Sprintf("%s:%d", s.host, s.clock[s.host])] = e.Lamport
	}
	return list
}

func line(t *testing.T, e *tracefmt.Event) int {
	t.Helper()
	log, _ := e.Field(tracefmt.LogKey)
	value, _ := (&tracefmt.Event{Payload: log}).Field("line")
	var n int
	if _, err := fmt.Sscan(string(value), &n); err != nil {
		t.Fatalf("payload %s: no line", e.Payload)
	}
	return n
}

// discard counts nothing and keeps nothing.
type discard struct{}

func (discard) Begin(*tracefmt.Run) error   { return nil }
func (discard) Write(*tracefmt.Event) error { return nil }
func (discard) Finish(tracefmt.End) error   { return nil }

func BenchmarkShiViz40000(b *testing.B) {
	text := format(simulate(10, 40_000, rand.New(rand.NewPCG(1, 2)).IntN))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		input, err := interop.NewInput("generated.log", strings.NewReader(text))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := interop.Import(context.Background(), shiviz.Format, input, discard{}, interop.Settings{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestAnyNumberOfLines: only a long log whose regex has no bound is searched at
// once, and the import reports it; what it reads is the same.
func TestAnyNumberOfLines(t *testing.T) {
	steps := simulate(3, 25_000, rand.New(rand.NewPCG(1, 2)).IntN)
	long := format(steps)
	short := format(steps[:100])
	const bounded, unbounded = `(?<host>\S+) (?<clock>{.*})[^\S]?(?<event>.*)`, `(?<host>\S+) (?<clock>{.*})\s*(?<event>.*)`
	for _, tt := range []struct {
		log, regex string
		said       bool
	}{{long, bounded, false}, {short, unbounded, false}, {long, unbounded, true}} {
		_, report, err := readText(t, tt.log, strict(form{Regex: tt.regex}))
		if err != nil || int(report.Runs[0].Events) != strings.Count(tt.log, "\n")/2 {
			t.Fatalf("%s: %v, %v", tt.regex, report.Runs, err)
		}
		said := slices.ContainsFunc(report.Notes, func(note string) bool { return strings.Contains(note, "any number of lines") })
		if said != tt.said {
			t.Errorf("%s on %d bytes: the report says that the log is searched at once: %v, want %v", tt.regex, len(tt.log), said, tt.said)
		}
	}
}
