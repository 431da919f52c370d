package analyze_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// read reads a run of two processes whose events are lines of JSON without
// seqs; scenario is that in its header.
func read(t *testing.T, scenario, end string, lines ...string) *tracefmt.Memory {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b,
		`{"format":"etrace/1","source":"simulated","time_unit":"delay","scenario":%s,`+
			`"members":[{"name":"1","position":1},{"name":"2","position":2}]}`+"\n",
		scenario)
	for i, line := range lines {
		fmt.Fprintf(&b, `{"seq":%d,"time":0,%s`+"\n", i+1, strings.TrimPrefix(line, "{"))
	}
	fmt.Fprintf(&b, `{"end":%q,"events":%d}`+"\n", end, len(lines))
	runs, err := tracefmt.ReadMemory(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return runs[0]
}

func check(t *testing.T, rec tracefmt.Recording, properties ...*analyze.Property) *analyze.RunReport {
	t.Helper()
	report, err := analyze.Check(rec, properties, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// round is a message that goes to and fro: after each send of 1 the state is the
// same, and after each of 2.
var round = []string{
	/* 1 */ `{"process":"1","kind":"start","payload":{"held":0}}`,
	/* 2 */ `{"process":"1","kind":"send","type":"A","peer":"2","message":1}`,
	/* 3 */ `{"process":"2","kind":"receive","type":"A","peer":"1","message":1,"cause":2}`,
	/* 4 */ `{"process":"2","kind":"send","type":"A","peer":"1","message":2}`,
	/* 5 */ `{"process":"1","kind":"receive","type":"A","peer":"2","message":2,"cause":4}`,
	/* 6 */ `{"process":"1","kind":"send","type":"A","peer":"2","message":3}`,
	/* 7 */ `{"kind":"note","type":"remark"}`,
}

func claim(from, until int) string {
	return fmt.Sprintf(`{"kind":"note","type":"loop","payload":{"from":%d,"to":%d}}`, from, until)
}

// with is the round with another event in the place of one.
func insert(seq int, line string) []string {
	lines := slices.Clone(round)
	lines[seq-1] = line
	return lines
}

// TestLoop: the note of a run that it loops is believed where the trace bears it
// out, and otherwise the reason is given.
func TestLoop(t *testing.T) {
	for _, tt := range []struct {
		name        string
		scenario    string
		lines       []string
		from, until int
		doubt       string // "" for a loop
	}{
		{"a message that goes round", "{}", round, 2, 6, ""},
		{"the same, a note later", "{}", round, 2, 7, ""},
		{"half a round", "{}", round, 2, 4, "the states after these events differ"},
		{"a delay that is always the same", `{"delay":"2"}`, round, 2, 6, ""},
		{"a random delay", `{"delay":"uniform(1,2)"}`, round, 2, 6, "the scenario leaves to chance what repeats (delay)"},
		{"losses", `{"loss":0.5}`, round, 2, 6, "the scenario leaves to chance what repeats (loss)"},
		{"duplicates", `{"duplicate":0.5}`, round, 2, 6, "the scenario leaves to chance what repeats (duplicate)"},
		{"notes alone", "{}", round, 6, 7, "nothing happens in between"},
		{"one event", "{}", round, 6, 6, "these are not two events of the run, one after the other"},
		{"backwards", "{}", round, 6, 2, "these are not two events of the run, one after the other"},
		{"before the run", "{}", round, 0, 6, "these are not two events of the run, one after the other"},
		{"up to the note itself", "{}", round, 2, 8, "these are not two events of the run, one after the other"},
		{"beyond the run", "{}", round, 2, 99, "these are not two events of the run, one after the other"},
		{
			"a variable that grows", "{}", insert(3, `{"process":"1","kind":"state","payload":{"held":1}}`), 2, 3,
			"the states after these events differ",
		},
		{"a heal in between", "{}", insert(7, `{"kind":"heal"}`), 2, 7, "what happens at seq 7 (heal) need not happen again"},
		{"a heal after it", "{}", insert(7, `{"kind":"heal"}`), 2, 6, ""},
		{"a parenthesis elsewhere", `{"name":"a (b)"}`, round, 2, 6, ""},
		{"a heal before", "{}", insert(1, `{"kind":"heal"}`), 2, 6, ""},
		{"a heal at its beginning", "{}", []string{
			`{"kind":"heal"}`,
			`{"process":"1","kind":"state","payload":{"held":0}}`, round[6],
		}, 1, 2, "the states after these events differ"},
	} {
		report := check(t, read(t, tt.scenario, "stopped", append(slices.Clone(tt.lines), claim(tt.from, tt.until))...))
		want := analyze.Ending{LoopFrom: tracefmt.Seq(tt.from), LoopTo: tracefmt.Seq(tt.until)}
		if tt.doubt != "" {
			want = analyze.Ending{Doubt: fmt.Sprintf("the run claims a loop from seq %d to %d, but %s", tt.from, tt.until, tt.doubt)}
		}
		if report.Ending != want || report.Ending.Final() != (tt.doubt == "") {
			t.Errorf("%s: %+v, want %+v", tt.name, report.Ending, want)
		}
	}
}

// TestForeignLoop: a recording that is not simulated shows no whole state, and so
// proves no loop.
func TestForeignLoop(t *testing.T) {
	for source, looping := range map[string]bool{tracefmt.Simulated: true, "recorded": false, "shiviz": false, "": false} {
		rec := read(t, "{}", "stopped", append(slices.Clone(round), claim(2, 6))...)
		rec.Run().Source = source
		end := check(t, rec).Ending
		if end.Looping() != looping || !looping && !strings.Contains(end.Doubt, "the run is no simulated one") {
			t.Errorf("source %q: %+v, want a loop: %t", source, end, looping)
		}
	}
}

// Everything that the processes do not decide themselves comes from outside, and
// the first such event is the reason.
func TestLoopFromOutside(t *testing.T) {
	begin := []string{`{"process":"1","kind":"start"}`, `{"process":"2","kind":"start"}`}
	for want, lines := range map[string][]string{
		"seq 3 (crash)":     {`{"process":"1","kind":"crash"}`, `{"process":"1","kind":"recover"}`},
		"seq 3 (partition)": {`{"kind":"partition","payload":{"groups":[["1"],["2"]]}}`, `{"kind":"heal"}`},
		"seq 3 (invoke)":    {`{"process":"1","kind":"invoke","type":"read"}`, `{"process":"1","kind":"return","type":"read","cause":3}`},
	} {
		report := check(t, read(t, "{}", "stopped", slices.Concat(begin, lines, []string{claim(2, 4)})...))
		if !strings.Contains(report.Ending.Doubt, want) {
			t.Errorf("%q, want %s", report.Ending.Doubt, want)
		}
	}
}

// TestLoopThatIsNoClaim: only a stopped run whose last event is the note claims
// a loop.
func TestLoopThatIsNoClaim(t *testing.T) {
	for name, rec := range map[string]*tracefmt.Memory{
		"a note before the end": read(t, "{}", "stopped", append(slices.Clone(round), claim(2, 6), round[6])...),
		"a run at its deadline": read(t, "{}", "deadline", append(slices.Clone(round), claim(2, 6))...),
		"another note":          read(t, "{}", "stopped", round...),
		"a message of that type": read(t, "{}", "stopped", append(slices.Clone(round),
			`{"process":"1","kind":"send","type":"loop","peer":"2","message":4,"payload":{"from":2,"to":6}}`)...),
		"no events": read(t, "{}", "stopped"),
	} {
		if end := check(t, rec).Ending; end != (analyze.Ending{}) {
			t.Errorf("%s: %+v, want nothing that is known about the end", name, end)
		}
	}
	rec := read(t, "{}", "stopped", append(slices.Clone(round), `{"kind":"note","type":"loop","payload":{"from":"two","to":6}}`)...)
	if doubt := check(t, rec).Ending.Doubt; !strings.HasPrefix(doubt, "the run claims a loop from seq 0 to 6") {
		t.Errorf("a note without numbers: %q", doubt)
	}
}

// TestQuiescence: a run that claims quiescence is believed if
// no message is in flight and no timer armed.
func TestQuiescence(t *testing.T) {
	begin := `{"process":"1","kind":"start"}`
	send := `{"process":"1","kind":"send","type":"A","peer":"2","message":%d}`
	timer := `{"process":"1","kind":"set-timer","type":%q,"payload":{"due":5}}`
	for _, tt := range []struct {
		lines []string
		doubt string
	}{
		{[]string{begin}, ""},
		{[]string{begin, fmt.Sprintf(send, 1)}, "1 message is in flight"},
		{[]string{begin, fmt.Sprintf(send, 1), fmt.Sprintf(send, 2)}, "2 messages are in flight"},
		{[]string{begin, fmt.Sprintf(timer, "a")}, "1 timer is armed"},
		{
			[]string{begin, fmt.Sprintf(timer, "a"), fmt.Sprintf(timer, "b"), fmt.Sprintf(send, 1)},
			"1 message is in flight and 2 timers are armed",
		},
	} {
		want := analyze.Ending{Quiescent: true}
		if tt.doubt != "" {
			want = analyze.Ending{Doubt: "the run claims to be quiescent, but " + tt.doubt}
		}
		if end := check(t, read(t, "{}", "quiescent", tt.lines...)).Ending; end != want {
			t.Errorf("%+v, want %+v", end, want)
		}
	}
}

// atRest is a monitor of the end of a run: no message may be in flight to 2. It
// counts a violation seq times, so that the number identifies the wrong state.
type atRest struct {
	analyze.AtEnd
	looked []tracefmt.Seq
	always bool // each state may be another one
}

func (*atRest) Step(r *analyze.Result, _ *replay.State, _ *tracefmt.Event) { r.Examined++ }

func (m *atRest) Recur(s *replay.State, _ *tracefmt.Event) { m.AtEnd.Recur(s, m.always, m.check) }

func (m *atRest) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.AtEnd.End(r, s, end, m.check)
}

func (m *atRest) check(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.looked = append(m.looked, s.Seq)
	for _, f := range s.Flights() {
		for range s.Seq {
			if f.To != 2 {
				break
			}
			r.Violate(func() string { return fmt.Sprintf("2 is written to (final: %t)", end.Final()) }, s.Seq)
		}
	}
}

// TestAtEnd: where a run ends in a loop, each of its states is an end of it; the
// first that is wrong is the witness, unless the last is.
func TestAtEnd(t *testing.T) {
	more := append(slices.Clone(round),
		`{"process":"2","kind":"receive","type":"A","peer":"1","message":3,"cause":6}`,
		`{"process":"2","kind":"send","type":"A","peer":"1","message":4}`)
	for _, tt := range []struct {
		name    string
		lines   []string
		always  bool
		verdict analyze.Verdict
		looked  []tracefmt.Seq
		words   string
		witness string
	}{
		{
			"wrong at the end", append(slices.Clone(round), claim(2, 6)), true, analyze.Violated,
			[]tracefmt.Seq{2, 8},
			"2 is written to (final: true)", "[8]",
		},
		{
			"wrong on the way", append(slices.Clip(more), claim(4, 9)), true, analyze.Violated,
			[]tracefmt.Seq{4, 5, 6, 10},
			"in the loop in which the run ends, after seq 6: 2 is written to (final: true)", "[6]",
		},
		{
			"what does not change is not looked at again", append(slices.Clip(more), claim(4, 9)), false,
			analyze.Satisfied,
			[]tracefmt.Seq{4, 10},
			"", "[]",
		},
		{"no loop", append(slices.Clip(more), claim(4, 8)), true, analyze.HoldsSoFar, []tracefmt.Seq{4, 5, 6, 10}, "", "[]"},
		{"no claim", more, true, analyze.HoldsSoFar, []tracefmt.Seq{9}, "", "[]"},
	} {
		var m *atRest
		p := &analyze.Property{New: func(*tracefmt.Run) analyze.Monitor { m = &atRest{always: tt.always}; return m }}
		r := check(t, read(t, "{}", "stopped", tt.lines...), p).Results[0]
		if r.Verdict != tt.verdict || r.Explanation != tt.words || r.WitnessJSON() != tt.witness {
			t.Errorf("%s: %s, %q, %s, want %s, %q, %s", tt.name, r.Verdict, r.Explanation, r.WitnessJSON(), tt.verdict, tt.words, tt.witness)
		}
		if r.Violations > 0 && fmt.Sprint([]int{r.Violations}) != tt.witness {
			t.Errorf("%s: %d violations, want those of the state after %s", tt.name, r.Violations, tt.witness)
		}
		if fmt.Sprint(m.looked) != fmt.Sprint(tt.looked) {
			t.Errorf("%s: looked after %v, want %v", tt.name, m.looked, tt.looked)
		}
	}
}
