package tracefmt_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/growth"
	"etrace/tracefmt"
)

// covered returns the coverage of a run of a, b and c with the given declaration, "" for none, and the given
// events.
func covered(t *testing.T, declaration string, events ...tracefmt.Event) *tracefmt.Coverage {
	t.Helper()
	run := &tracefmt.Run{Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	if declaration != "" {
		parsed, err := tracefmt.ParseCompleteness(declaration)
		if err != nil {
			t.Fatal(err)
		}
		run.Completeness = parsed
	}
	c := tracefmt.NewCoverage(run)
	for i := range events {
		c.Show(&events[i])
	}
	return c
}

// TestLevels: the declaration for a process precedes that for all, and a narrower key precedes a wider one.
func TestLevels(t *testing.T) {
	const a, b = 1, 2
	elected := tracefmt.StateOf("elected")
	for _, tt := range []struct {
		tells   string
		process tracefmt.ProcessID
		fact    tracefmt.Fact
		want    tracefmt.Level
	}{
		{"all", a, elected, tracefmt.All},
		{"all,states=some", a, elected, tracefmt.Some},
		{"all,states=some,state=none", a, elected, tracefmt.None},
		{"all,state=some,state.elected=none", a, elected, tracefmt.None},
		{"all,state=some,state.elected=none", a, tracefmt.StateOf("role"), tracefmt.Some},
		{"all,state.log=some", a, tracefmt.StateOf("log[17]"), tracefmt.Some},
		{"all,state.log=some", a, tracefmt.Fact{Kind: tracefmt.State}, tracefmt.Some},
		{"all,b:state.log=none", b, tracefmt.Fact{Kind: tracefmt.State}, tracefmt.None},
		{"all,b:state.log=none", a, tracefmt.Fact{Kind: tracefmt.State}, tracefmt.All},
		{"all,timers=none,timeout=all", a, tracefmt.Fact{Kind: tracefmt.SetTimer}, tracefmt.None},
		{"all,timers=none,timeout=all", a, tracefmt.Fact{Kind: tracefmt.Timeout}, tracefmt.All},
		{"all,messages=none,b:some", b, tracefmt.Fact{Kind: tracefmt.Send}, tracefmt.Some},
		{"all,messages=none,b:some", a, tracefmt.Fact{Kind: tracefmt.Send}, tracefmt.None},
		{"all,messages=none,b:state=some", b, tracefmt.Fact{Kind: tracefmt.Send}, tracefmt.None},
		{"all,crash=some", 0, tracefmt.Fact{Kind: tracefmt.Partition}, tracefmt.All},
	} {
		if got := covered(t, tt.tells).Level(tt.process, tt.fact); got != tt.want {
			t.Errorf("%s: %v of process %d: got %v, want %v", tt.tells, tt.fact, tt.process, got, tt.want)
		}
	}
}

// naiveLevel looks up a declaration directly: the narrowest key for a fact, those of the process before those
// for all; for any variable the worst level of the named ones.
func naiveLevel(t *tracefmt.Completeness, process string, f tracefmt.Fact) (worst tracefmt.Level) {
	level := func(f tracefmt.Fact) tracefmt.Level {
		for _, place := range []tracefmt.Levels{t.Processes[process], t.Levels} {
			keys := []string{f.String(), f.Kind.String()}
			for _, group := range tracefmt.GroupNames() {
				if slices.Contains(tracefmt.GroupKinds(group), f.Kind) {
					keys = append(keys, group)
				}
			}
			for _, key := range keys {
				if l := place.Kinds[key]; l != tracefmt.Undeclared {
					return l
				}
			}
			if place.Default != tracefmt.Undeclared {
				return place.Default
			}
		}
		return tracefmt.Undeclared
	}
	worst = level(f)
	if f != (tracefmt.Fact{Kind: tracefmt.State}) {
		return worst
	}
	for _, place := range []tracefmt.Levels{t.Processes[process], t.Levels} {
		for key := range place.Kinds {
			if name, ok := strings.CutPrefix(key, "state."); ok {
				worst = max(worst, level(tracefmt.StateOf(name)))
			}
		}
	}
	return worst
}

// TestLevelsLaw: the table of levels agrees with the declaration, looked up directly.
func TestLevelsLaw(t *testing.T) {
	keys := []string{"state", "states", "state.x", "state.y", "state.z", "send", "messages", "crash", "timers"}
	level := rapid.SampledFrom([]tracefmt.Level{tracefmt.All, tracefmt.Some, tracefmt.None})
	kinds := rapid.MapOfN(rapid.SampledFrom(keys), level, 0, 5)
	standard := rapid.SampledFrom([]tracefmt.Level{tracefmt.Undeclared, tracefmt.All, tracefmt.Some, tracefmt.None})
	rapid.Check(t, func(t *rapid.T) {
		telling := func(label string) tracefmt.Levels {
			return tracefmt.Levels{Default: standard.Draw(t, label), Kinds: kinds.Draw(t, label+" kinds")}
		}
		tells := &tracefmt.Completeness{Levels: telling("all"), Processes: map[string]tracefmt.Levels{"a": telling("a"), "b": telling("b")}}
		run := &tracefmt.Run{Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}, {Name: "c"}}, Completeness: tells}
		c := tracefmt.NewCoverage(run)
		for i, m := range run.Members {
			for _, key := range []string{"state", "state.x", "state.y", "state.z", "state.other", "send", "crash", "timeout", "note"} {
				facts, err := tracefmt.ParseFacts(key)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := c.Declared(tracefmt.ProcessID(i+1), facts[0]), naiveLevel(tells, m.Name, facts[0]); got != want {
					t.Fatalf("%s of %s: %v, want %v", key, m.Name, got, want)
				}
			}
		}
	})
}

// TestManyKeys: a declaration is read once, and not again for each process.
func TestManyKeys(t *testing.T) {
	run := &tracefmt.Run{Completeness: &tracefmt.Completeness{Levels: tracefmt.Levels{Kinds: make(map[string]tracefmt.Level)}}}
	for i := range 10_000 {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprint("p", i)})
	}
	for i := range 4_000 {
		run.Completeness.Kinds[fmt.Sprint("state.v", i)] = tracefmt.Some
	}
	bytes := testing.Benchmark(func(b *testing.B) {
		for range b.N {
			c := tracefmt.NewCoverage(run)
			for i := range 4_000 {
				if c.Declared(9_999, tracefmt.StateOf(fmt.Sprint("v", i))) != tracefmt.Some {
					b.Fatal(i)
				}
			}
		}
	}).AllocedBytesPerOp()
	if bytes > 4<<20 {
		t.Errorf("%d bytes for 4,000 keys of 10,000 processes", bytes)
	}
}

// TestWhole: of one process that lacks something, or in one gap, not all is recorded.
func TestWhole(t *testing.T) {
	sends, elected, whatever := tracefmt.Fact{Kind: tracefmt.Send}, tracefmt.StateOf("elected"), tracefmt.Fact{Kind: tracefmt.State}
	inferred := tracefmt.Event{Seq: 1, Kind: tracefmt.Crash, Process: 2, Payload: []byte(`{"inferred":true}`)}
	for _, tt := range []struct {
		tells  string
		fact   tracefmt.Fact
		events []tracefmt.Event
		want   bool
	}{
		{"all", sends, nil, true},
		{"all,timers=none", sends, nil, true},
		{"all,send=some", sends, nil, false},
		{"all,send=some,a:send=all", sends, nil, false},
		{"all,b:send=none", sends, nil, false},
		{"all,b:send=none", elected, nil, true},
		{"all,state.role=some", elected, nil, true},
		{"all,state.role=some", whatever, nil, false},
		{"all,gap=c@3-4", sends, nil, false},
		{"all", sends, []tracefmt.Event{inferred}, false},
		{"", sends, []tracefmt.Event{{Seq: 1, Kind: tracefmt.Send, Process: 1, Peer: 2}}, false},
	} {
		if got := covered(t, tt.tells, tt.events...).Whole(tt.fact); got != tt.want {
			t.Errorf("%s: all of %v is recorded: %t", tt.tells, tt.fact, got)
		}
	}
}

// TestTellsTwice: as in JSON, what is given twice is refused.
func TestTellsTwice(t *testing.T) {
	for text, want := range map[string]string{
		"timers=all,timers=none": `the key "timers" is given twice`, "all,some": "the default is given twice",
		"a:some,a:all": "the default is given twice", "a:send=all,a:send=all": `the key "send" is given twice`,
		"all,a:some,send=all,a:send=some": "",
	} {
		_, err := tracefmt.ParseCompleteness(text)
		if got := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestLastGap: the greatest seq is one, too.
func TestLastGap(t *testing.T) {
	if _, err := tracefmt.ParseCompleteness("gap=a@3-9223372036854775807"); err != nil {
		t.Error(err)
	}
}

// TestManyKeysRefused: the keys of all processes together have a limit, too.
func TestManyKeysRefused(t *testing.T) {
	kinds := make(map[string]tracefmt.Level)
	for i := range 100 {
		kinds[fmt.Sprint("state.v", i)] = tracefmt.Some
	}
	tells := &tracefmt.Completeness{Processes: make(map[string]tracefmt.Levels)}
	run := &tracefmt.Run{Completeness: tells, TimeUnit: "delay", End: tracefmt.Stopped}
	for i := range 1_000 {
		name := fmt.Sprint("p", i)
		run.Members = append(run.Members, tracefmt.Member{Name: name})
		tells.Processes[name] = tracefmt.Levels{Kinds: kinds}
	}
	if err := run.Validate(); err == nil || !strings.Contains(err.Error(), "101000 keys in all, expected at most 65536") {
		t.Errorf("got %v", err)
	}
}

// TestSilentCoverage: without a declaration, everything that occurs is complete, and everything else is
// unknown.
func TestSilentCoverage(t *testing.T) {
	state := tracefmt.Event{Kind: tracefmt.State, Process: 1, Payload: []byte(`{"elected":"a","log[3]":1}`)}
	c := covered(t, "", state)
	for _, tt := range []struct {
		fact tracefmt.Fact
		want tracefmt.Level
	}{
		{tracefmt.StateOf("elected"), tracefmt.All},
		{tracefmt.StateOf("log"), tracefmt.All},
		{tracefmt.StateOf("role"), tracefmt.None},
		{tracefmt.Fact{Kind: tracefmt.State}, tracefmt.All},
		{tracefmt.Fact{Kind: tracefmt.Crash}, tracefmt.None},
	} {
		if got := c.Level(2, tt.fact); got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.fact, got, tt.want)
		}
	}
	if c.Missing(2, tracefmt.StateOf("role"), 0, 0) || !c.Missing(2, tracefmt.Fact{Kind: tracefmt.Crash}, 0, 0) {
		t.Error("a crash may be missing, but not what is assigned to a variable of which nothing is said")
	}
	if c := covered(t, "crash=all", state); c.Level(1, tracefmt.Fact{Kind: tracefmt.Crash}) != tracefmt.All ||
		c.Level(1, tracefmt.Fact{Kind: tracefmt.Halt}) != tracefmt.None {
		t.Error("what is said of crashes says nothing of the rest")
	}
	if c := covered(t, "some"); c.Silent() || c.Level(1, tracefmt.StateOf("elected")) != tracefmt.Some {
		t.Error("a default says everything")
	}
}

// TestWords: a run has the variables that occur in it, and the variables in its header.
func TestWords(t *testing.T) {
	c := covered(t, "some,b:state.term=all,state.role=all", tracefmt.Event{Kind: tracefmt.State, Process: 1, Payload: []byte(`{"log[3]":1}`)})
	for name, want := range map[string]bool{"log": true, "log[7]": true, "role": true, "term": true, "elected": false} {
		if got := c.Exists(tracefmt.StateOf(name)); got != want {
			t.Errorf("state.%s: got %v, want %v", name, got, want)
		}
	}
	if !c.Exists(tracefmt.Fact{Kind: tracefmt.Crash}) {
		t.Error("every kind of event exists")
	}
}

// TestUntold: a process with one recorded variable has a record.
func TestUntold(t *testing.T) {
	for tells, want := range map[string]bool{
		"nothing": true, "some": false, "none,state.role=all,state.term=all": false, "none,state.role=some": false,
		"none,b:state.role=all": true, "none,a:state.role=all": false, "all,a:none": true, "none,state.role=none": true,
	} {
		if got := covered(t, tells).NothingRecorded(1); got != want {
			t.Errorf("%s: nothing of a is recorded: got %v, want %v", tells, got, want)
		}
	}
}

// TestAssumed: a declaration for all processes is no assumption.
func TestAssumed(t *testing.T) {
	events := []tracefmt.Event{
		{Process: 1, Kind: tracefmt.Send, Type: "A", Peer: 2},
		{Process: 2, Kind: tracefmt.State, Payload: []byte(`{"log[3]":1,"role":"x"}`)},
	}
	for tells, want := range map[string]string{
		"":              "send state state.log state.role",
		"send=some":     "state state.log state.role",
		"a:send=some":   "send state state.log state.role",
		"all":           "-",
		"none,send=all": "-",
	} {
		facts, silent := covered(t, tells, events...).Assumed()
		got := "-"
		if silent {
			got = strings.Trim(fmt.Sprint(facts), "[]")
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", tells, got, want)
		}
	}
}

// TestMissing: unrecorded events lie in gaps, or anywhere if the level is below All.
func TestMissing(t *testing.T) {
	crash := tracefmt.Fact{Kind: tracefmt.Crash}
	for _, tt := range []struct {
		tells         string
		after, before tracefmt.Seq
		want          bool
	}{
		{"all", 0, 0, false},
		{"all,gap=b@5-9", 0, 0, false},
		{"all,gap=a@5-9", 0, 0, true},
		{"all,gap=a@5-9", 0, 5, true}, // it may be missing beside the fifth
		{"all,gap=a@5-9", 0, 4, false},
		{"all,gap=a@5-9", 6, 7, true},
		{"all,gap=a@5-9", 9, 12, true},
		{"all,gap=a@5-9", 10, 12, false},
		{"all,gap=a@5-", 100, 0, true},
		{"all,gap=a@0-3", 0, 1, true},
		{"all,gap=a@6-5", 5, 6, true},
		{"all,gap=a@6-5", 6, 7, false},
		{"all,gap=a@6-5", 4, 5, false},
		{"all,crash=some", 5, 6, true},
		{"all,crash=some", 6, 6, false},
		{"all,b:some", 5, 9, false},
	} {
		if got := covered(t, tt.tells).Missing(1, crash, tt.after, tt.before); got != tt.want {
			t.Errorf("%s: after %d and before %d: got %v, want %v", tt.tells, tt.after, tt.before, got, tt.want)
		}
	}
}

// TestMayRise: a crashed process may have recovered. It may have started only if the run declares that starts
// may be missing.
func TestMayRise(t *testing.T) {
	for tells, want := range map[string]bool{
		"all":                      false,
		"all,recover=some":         true,
		"all,start=some":           true,
		"all,start=none":           true,
		"all,b:start=some":         false,
		"all,gap=a@2-3":            true,
		"all,gap=a@7-8":            false,
		"recover=all":              false, // starts are not declared
		"recover=all,start=some":   true,
		"recover=all,b:start=some": false,
	} {
		events := []tracefmt.Event{{Seq: 1, Process: 1, Kind: tracefmt.Start}, {Seq: 2, Process: 1, Kind: tracefmt.Crash}}
		if got := covered(t, tells, events...).MayRise(1, 2, 5); got != want {
			t.Errorf("%s: got %v, want %v", tells, got, want)
		}
		if covered(t, tells, events...).MayRise(1, 5, 5) {
			t.Errorf("%s: between an event and itself", tells)
		}
	}
}

// TestTellsText: the JSON object and the short form mean the same; what means nothing is
// refused, with the nearest name.
func TestTellsText(t *testing.T) {
	short, err := tracefmt.ParseCompleteness("all,set-timer=none,receive=some,state.elected=all,n3:none,gap=n1@120-240")
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(short)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"default":"all","kinds":{"receive":"some","set-timer":"none","state.elected":"all"},"processes":{"n3":{"default":"none"}},"gaps":[{"process":"n1","from":120,"to":240}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, bad := range []struct{ tells, want string }{
		{"much", `unknown level "much"`},
		{"recieve=all", `did you mean "receive"`},
		{"state.=all", "unknown kind of events"},
		{"gap=a", "expected gap=PROCESS@FROM-TO"},
		{"gap=a@9-3", "the other way round"},
		{`{"default":"all","kind":{}}`, `unknown key "kind", did you mean "kinds"`},
		{`{"kinds":{"send":"all","send":"some"}}`, `the key "send" is given twice`},
		{`{"gaps":[{"from":1}]}`, `expected the key "process"`},
		{`{"processes":{"a":{"gaps":[]}}}`, `unknown key "gaps"`},
	} {
		if _, err := tracefmt.ParseCompleteness(bad.tells); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: got %v, expected %s", bad.tells, err, bad.want)
		}
	}
}

// TestTellsOver: a declaration precedes another where it is not silent.
func TestTellsOver(t *testing.T) {
	for _, tt := range []struct{ over, under, want string }{
		{"crash=all", "all,timers=none", `{"default":"all","kinds":{"crash":"all","timers":"none"}}`},
		{
			"timers=all", "all,timers=none,a:some",
			`{"default":"all","kinds":{"timers":"all"},"processes":{"a":{"default":"some","kinds":{"timers":"all"}}}}`,
		},
		{
			"recover=none", "all,a:all,b:crash=some",
			`{"default":"all","kinds":{"recover":"none"},"processes":` +
				`{"a":{"default":"all","kinds":{"recover":"none"}},"b":{"kinds":{"crash":"some"}}}}`,
		},
		{"states=some", "all,state=all,state.x=all,a:state.x=none", `{"default":"all","kinds":{"states":"some"}}`},
		{
			"a:timers=none", "all,timeout=some,a:timeout=all",
			`{"default":"all","kinds":{"timeout":"some"},"processes":{"a":{"kinds":{"timers":"none"}}}}`,
		},
		{"all", "some,timers=none,a:some", `{"default":"all"}`},
		{"a:all", "some,a:crash=none", `{"default":"some","processes":{"a":{"default":"all"}}}`},
		{"all", "some,gap=a@1-2", `{"default":"all"}`},
		{"all,gap=b@3-4", "all,gap=a@1-2", `{"default":"all","gaps":[{"process":"b","from":3,"to":4}]}`},
		{"some", "all,gap=a@1-2", `{"default":"some","gaps":[{"process":"a","from":1,"to":2}]}`},
		{"crash=all", "all,gap=a@1-2", `{"default":"all","kinds":{"crash":"all"},"gaps":[{"process":"a","from":1,"to":2}]}`},
	} {
		over, err := tracefmt.ParseCompleteness(tt.over)
		if err != nil {
			t.Fatal(err)
		}
		under, err := tracefmt.ParseCompleteness(tt.under)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := json.Marshal(over.Over(under)); string(got) != tt.want {
			t.Errorf("%s over %s: got %s, want %s", tt.over, tt.under, got, tt.want)
		}
	}
}

// TestTellsOverLevels: for each fact the upper declaration applies, and the lower one only where the upper is
// silent.
func TestTellsOverLevels(t *testing.T) {
	keys := []string{"default", "timers", "timeout", "states", "state", "state.x", "crash"}
	facts := []tracefmt.Fact{
		{Kind: tracefmt.Timeout},
		{Kind: tracefmt.SetTimer},
		tracefmt.StateOf("x"), tracefmt.StateOf("y"),
		{Kind: tracefmt.Crash},
		{Kind: tracefmt.Send},
	}
	item := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "", "a:"}).Draw(t, "process") + rapid.SampledFrom(keys).Draw(t, "key") +
			"=" + rapid.SampledFrom([]string{"all", "some", "nothing"}).Draw(t, "level")
	})
	key := func(item string) string { // which is not to be given twice
		key, _, _ := strings.Cut(item, "=")
		return key
	}
	rapid.Check(t, func(t *rapid.T) {
		var said [2]*tracefmt.Completeness
		for i := range said {
			text := strings.Join(rapid.SliceOfNDistinct(item, 1, 4, key).Draw(t, "items"), ",")
			var err error
			said[i], err = tracefmt.ParseCompleteness(text)
			if err != nil {
				t.Fatal(err)
			}
		}
		level := func(tells *tracefmt.Completeness, p tracefmt.ProcessID, f tracefmt.Fact) tracefmt.Level {
			run := &tracefmt.Run{Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}, Completeness: tells}
			return tracefmt.NewCoverage(run).Declared(p, f)
		}
		for p := range tracefmt.ProcessID(2) {
			for _, f := range facts {
				want := level(said[0], p+1, f)
				if want == tracefmt.Undeclared {
					want = level(said[1], p+1, f)
				}
				if got := level(said[0].Over(said[1]), p+1, f); got != want {
					t.Fatalf("%v of process %d: got %q, want %q", f, p+1, got, want)
				}
			}
		}
	})
}

// TestGapsMerged: what is asked of many gaps is what is asked of each.
func TestGapsMerged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := &tracefmt.Run{
			Members:      []tracefmt.Member{{Name: "a"}},
			Completeness: &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All}},
		}
		var gaps []tracefmt.Gap
		for range rapid.IntRange(0, 4).Draw(t, "gaps") {
			from := rapid.IntRange(0, 12).Draw(t, "from")
			last := rapid.OneOf(rapid.IntRange(max(from-1, 1), 13), rapid.Just(0)).Draw(t, "to")
			gaps = append(gaps, tracefmt.Gap{Process: "a", From: tracefmt.Seq(from), To: tracefmt.Seq(last)})
		}
		run.Completeness.Gaps = gaps
		c := tracefmt.NewCoverage(run)
		for _, seq := range rapid.SliceOfN(rapid.IntRange(1, 12), 0, 5).Draw(t, "inferred") {
			gaps = append(gaps, tracefmt.Gap{Process: "a", From: tracefmt.Seq(seq), To: tracefmt.Seq(seq)})
			c.Show(&tracefmt.Event{Seq: tracefmt.Seq(seq), Kind: tracefmt.Crash, Process: 1, Payload: []byte(`{"inferred":true}`)})
		}
		for after := range tracefmt.Seq(14) {
			var within bool
			for _, g := range gaps {
				within = within || g.From <= after && (g.To == 0 || after <= g.To)
			}
			if got := c.Within(1, after); got != within {
				t.Fatalf("within %d: got %t", after, got)
			}
			for before := range tracefmt.Seq(15) {
				if before != 0 && before <= after {
					continue
				}
				var want bool
				for _, g := range gaps {
					want = want || (g.To == 0 || after <= g.To) && (before == 0 || g.From <= before)
				}
				if got := c.InGap(1, after, before); got != want {
					t.Fatalf("between %d and %d: got %t", after, before, got)
				}
			}
		}
	})
}

// TestManyGaps: to ask of one stretch is not to look at every gap.
func TestManyGaps(t *testing.T) {
	growth.Linear(t, 10_000, func(n int) func() {
		return func() {
			c := covered(t, "all")
			for seq := tracefmt.Seq(1); seq < tracefmt.Seq(3*n); seq += 3 {
				c.Show(&tracefmt.Event{Seq: seq, Kind: tracefmt.Crash, Process: 1, Payload: []byte(`{"inferred":true}`)})
				if !c.Within(1, seq) || c.Within(1, seq+1) || c.InGap(1, seq+1, seq+2) {
					t.Fatal("seq", seq)
				}
			}
		}
	})
}
