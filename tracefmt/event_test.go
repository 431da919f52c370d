package tracefmt_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

func TestTimeString(t *testing.T) {
	for _, tt := range []struct {
		time tracefmt.Time
		want string
	}{
		{0, "0"},
		{1, "0.000000001"},
		{-1, "-0.000000001"},
		{tracefmt.Unit, "1"},
		{3 * tracefmt.Unit / 2, "1.5"},
		{-5 * tracefmt.Unit / 2, "-2.5"},
		{math.MaxInt64, "9223372036.854775807"},
		{math.MinInt64, "-9223372036.854775808"},
	} {
		if got := tt.time.String(); got != tt.want {
			t.Errorf("%d: got %s, want %s", int64(tt.time), got, tt.want)
		}
	}
}

func TestParseTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := tracefmt.Time(rapid.Int64().Draw(t, "time"))
		if got, err := tracefmt.ParseTime(want.String()); err != nil || got != want {
			t.Fatalf("%s: got %d, %v, want %d", want, got, err, want)
		}
	})
	for text, want := range map[string]tracefmt.Time{"007": 7e9, "-0": 0, "2.500": 25e8, "0.000000001": 1} {
		if got, err := tracefmt.ParseTime(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "-", "--1", "+1", ".5", "1.", "1.0000000001", "1e3", "1,5", " 1", "0x1",
		"9223372036.854775808", "-9223372036.854775809", "99999999999999999999", "١",
	} {
		if got, err := tracefmt.ParseTime(text); err == nil || !strings.Contains(err.Error(), "expected a decimal number") {
			t.Errorf("%q: got %d, %v, expected an error", text, got, err)
		}
	}
}

func TestKinds(t *testing.T) {
	for _, k := range tracefmt.Kinds() {
		got, err := tracefmt.ParseKind(k.String())
		if err != nil || got != k || !k.Valid() || k.Info().Doc == "" {
			t.Errorf("%v: got %v, %v, with the doc %q", k, got, err, k.Info().Doc)
		}
		if info := k.Info(); (info.Peer != tracefmt.Absent) != (info.PeerRole != "") && k != tracefmt.Note {
			t.Errorf("%v: a peer has a role, and a role needs a peer", k)
		}
	}
	if k := tracefmt.Kind(200); k.Valid() || k.String() != "kind(200)" || k.Info() != (tracefmt.KindInfo{}) {
		t.Errorf("kind 200 is %v", k)
	}
}

// Three kinds assign variables, two take a process down.
func TestKindsOfState(t *testing.T) {
	var assign []tracefmt.Kind
	for _, k := range append(tracefmt.Kinds(), 0, 200) {
		if k.AssignsVariables() {
			assign = append(assign, k)
		}
	}
	if want := []tracefmt.Kind{tracefmt.Start, tracefmt.Recover, tracefmt.State}; !slices.Equal(assign, want) {
		t.Errorf("%v assign variables, want %v", assign, want)
	}
	if got, want := tracefmt.DownKinds(), []tracefmt.Kind{tracefmt.Halt, tracefmt.Crash}; !slices.Equal(got, want) {
		t.Errorf("%v take a process down, want %v", got, want)
	}
}

func TestIsVariable(t *testing.T) {
	for _, c := range []struct {
		kind        tracefmt.Kind
		name, value string
		want        bool
	}{
		{tracefmt.State, "role", `"leader"`, true},
		{tracefmt.State, "log", `{"text":"b became leader","line":7}`, false},
		{tracefmt.State, "log", `[{"term":7}]`, true},
		{tracefmt.State, "causes", `[3,1]`, false},
		{tracefmt.State, "inferred", `true`, true},
		{tracefmt.Recover, "inferred", `true`, false},
	} {
		if got := tracefmt.IsVariable(c.kind, []byte(c.name), []byte(c.value)); got != c.want {
			t.Errorf("%s of a %s, %s, is a variable: %v, want %v", c.name, c.kind, c.value, got, c.want)
		}
	}
}

func TestListName(t *testing.T) {
	for name, want := range map[string]string{"log[3]": "log", "log": "log", "log[": "log", "[x": "[x", "": "", "a[1][2]": "a"} {
		if got := tracefmt.ListName(name); got != want {
			t.Errorf("%q is of %q, want %q", name, got, want)
		}
		if got := tracefmt.ListName([]byte(name)); string(got) != want {
			t.Errorf("%q in bytes is of %q, want %q", name, got, want)
		}
	}
}

func TestEventField(t *testing.T) {
	e := tracefmt.Event{Payload: []byte(`{"a":1,"b":{"a":2},"a":3}`)}
	if v, ok := e.Field("a"); !ok || string(v) != "1" {
		t.Errorf("a is %s, %v, want the first", v, ok)
	}
	if v, ok := e.Field("c"); ok {
		t.Errorf("c is %s, want none", v)
	}
	c := e.Clone()
	c.Payload[1] = 'x'
	if e.Payload[1] != '"' {
		t.Error("a clone shares the memory of its payload")
	}
}

func TestRunProcesses(t *testing.T) {
	run := tracefmt.Run{Members: []tracefmt.Member{{Name: "4"}, {Name: "b"}, {Name: "007"}, {Name: "null"}}}
	for value, want := range map[string]tracefmt.ProcessID{`4`: 1, `"4"`: 1, `"\u0034"`: 1, `"b"`: 2, `"007"`: 3, `"null"`: 4} {
		if got, ok := run.ProcessValue([]byte(value)); !ok || got != want {
			t.Errorf("%s: got %d, %v, want %d", value, got, ok, want)
		}
	}
	for _, value := range []string{`null`, `5`, `"5"`, `4.0`, ``, `"`, `b`} {
		if got, ok := run.ProcessValue([]byte(value)); ok {
			t.Errorf("%s: got %d, want none", value, got)
		}
	}
	for p, want := range map[tracefmt.ProcessID]string{0: `null`, 1: `4`, 2: `"b"`, 3: `"007"`, 4: `"null"`} {
		if got := string(run.AppendProcess(nil, p)); got != want {
			t.Errorf("%d: got %s, want %s", p, got, want)
		}
	}
	for _, p := range []tracefmt.ProcessID{-1, 0, 5} {
		if got := run.ProcessName(p); got != "" {
			t.Errorf("process %d is %q, want none", p, got)
		}
	}
}

// TestMessageTable: it is a map, whatever the ids.
func TestMessageTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table tracefmt.MessageTable[int]
		model := map[tracefmt.MessageID]int{}
		id := rapid.OneOf(rapid.Int64Range(0, 40), rapid.Int64Range(-3000, 9000), rapid.Int64())
		for i := range rapid.IntRange(0, 200).Draw(t, "puts") {
			m := tracefmt.MessageID(id.Draw(t, "id"))
			table.Put(m, i)
			model[m] = i
			probe := tracefmt.MessageID(id.Draw(t, "probe"))
			got, want := table.Get(probe), model[probe]
			if _, ok := model[probe]; ok != (got != nil) || ok && *got != want {
				t.Fatalf("%d: got %v, want %d, %v", probe, got, want, ok)
			}
		}
		for m, want := range model {
			if got := table.Get(m); got == nil || *got != want {
				t.Fatalf("%d: got %v, want %d", m, got, want)
			}
		}
		if table.Len() != len(model) {
			t.Fatalf("%d entries, want %d", table.Len(), len(model))
		}
	})
}

// TestMessageTableLean: ids far apart do not take the memory of those between.
func TestMessageTableLean(t *testing.T) {
	if n := testing.AllocsPerRun(1, func() {
		var table tracefmt.MessageTable[int]
		for i := range tracefmt.MessageID(1000) {
			table.Put(i*1_000_000_007, 1)
		}
	}); n > 3000 {
		t.Errorf("%v allocations for 1000 ids", n)
	}
}

func TestCauses(t *testing.T) {
	for _, tt := range []struct {
		cause   tracefmt.Seq
		payload string
		want    []tracefmt.Seq
	}{
		{0, "", nil},
		{7, "", []tracefmt.Seq{7}},
		{7, `{"causes":[4,9]}`, []tracefmt.Seq{7, 4, 9}},
		{0, `{"x":{"causes":[1]},"causes":[4]}`, []tracefmt.Seq{4}},
		{7, `{"causes":[]}`, []tracefmt.Seq{7}},
		{7, `{"text":"causes"}`, []tracefmt.Seq{7}},
		{0, `{"causes":["4",null,5.5,99999999999999999999,6]}`, []tracefmt.Seq{6}},
	} {
		e := tracefmt.Event{Cause: tt.cause, Payload: []byte(tt.payload)}
		if got := slices.Collect(e.Causes()); !slices.Equal(got, tt.want) {
			t.Errorf("cause %d, payload %s: got %v, want %v", tt.cause, tt.payload, got, tt.want)
		}
		for range e.Causes() {
			break // is allowed at any place
		}
	}
}

// TestUnits: people count logical time in ticks, importers in 1e9 a tick.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		unit tracefmt.TimeUnit
		time tracefmt.Time
		want string
	}{
		{tracefmt.Logical, 3, "3"},
		{tracefmt.Logical, -3, "-3"},
		{tracefmt.Logical, 3 * tracefmt.Unit, "3"},
		{tracefmt.Logical, tracefmt.Unit, "1"},
		{tracefmt.Logical, -tracefmt.Unit, "-1"},
		{tracefmt.Logical, tracefmt.Unit - 1, "999999999"},
		{tracefmt.Logical, 0, "0"},
		{tracefmt.Logical, math.MaxInt64, "9223372036.854775807"},
		{tracefmt.Delays, 3, "0.000000003"},
		{tracefmt.Nanoseconds, 3, "0.000000003"},
	} {
		if got := c.unit.Units(c.time).String(); got != c.want {
			t.Errorf("%s %d: got %s, want %s", c.unit, c.time, got, c.want)
		}
	}
}
