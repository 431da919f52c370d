package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/replay"
	"etrace/tracefmt"
)

// drawn is a table with | between its columns.
func drawn(rows [][]replay.Cell) string {
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteString("|")
			}
			b.WriteString(cell.String())
		}
		b.WriteString("\n")
	}
	return b.String()
}

// tableAt is the table of a run after its event seq.
func tableAt(t *testing.T, rec tracefmt.Recording, seq tracefmt.Seq, variables ...string) string {
	t.Helper()
	c := replay.NewCursor(rec)
	if err := c.Seek(seq); err != nil {
		t.Fatal(err)
	}
	return drawn(c.Table(variables...))
}

// recorded is a run of n processes with these events, one a delay.
func recorded(t *testing.T, n int, events ...tracefmt.Event) *tracefmt.Memory {
	t.Helper()
	mem := tracefmt.NewMemory(*newRun(n))
	for i, e := range events {
		e.Seq, e.Time, e.Lamport = tracefmt.Seq(i+1), tracefmt.Time(i)*tracefmt.Unit, int64(i+1)
		if err := mem.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	return mem
}

// TestTable: * marks the changes of the event. A variable has a column from the event that first gives it a
// value until the event that removes the last one. elected is the first column.
func TestTable(t *testing.T) {
	set := func(name string, due string) tracefmt.Event {
		return tracefmt.Event{Kind: tracefmt.SetTimer, Process: 1, Type: name, Payload: []byte(due)}
	}
	mem := recorded(
		t, 2,
		/* 1 */ start(1, `{"elected":2,"a":"x","b":null}`),
		/* 2 */ set("wait", fmt.Sprintf(`{"due":%d}`, 5*tracefmt.Unit/2)),
		/* 3 */ set("again", ""),
		/* 4 */ send(1, 2, 1),
		/* 5 */ tracefmt.Event{Kind: tracefmt.Receive, Process: 2, Peer: 1, Message: 1, Cause: 4, Type: "A"},
		/* 6 */ state(2, `{"elected":1}`),
		/* 7 */ event(tracefmt.Crash, 1),
	)
	for seq, want := range map[tracefmt.Seq]string{
		0: `process|status|timers|clock|vector clock
1|unknown|-|-|0 0
2|unknown|-|-|0 0
`,
		1: `process|status|elected|a|timers|clock|vector clock
1|running*|2*|x*|-|1|1 0
2|unknown|-|-|-|-|0 0
`,
		2: `process|status|elected|a|timers|clock|vector clock
1|running|2|x|wait at 2.5*|2|2 0
2|unknown|-|-|-|-|0 0
`,
		3: `process|status|elected|a|timers|clock|vector clock
1|running|2|x|again, wait at 2.5*|3|3 0
2|unknown|-|-|-|-|0 0
`,
		6: `process|status|elected|a|timers|clock|vector clock
1|running|2|x|again, wait at 2.5|4|4 0
2|running|1*|-|-|6|4 2
`,
		7: `process|status|elected|a|timers|clock|vector clock
1|crashed*|-*|-*|-*|7|5 0
2|running|1|-|-|6|4 2
`,
	} {
		if diff := cmp.Diff(want, tableAt(t, mem, seq)); diff != "" {
			t.Errorf("after seq %d (-want +got):\n%s", seq, diff)
		}
	}
	named, _, _ := strings.Cut(tableAt(t, mem, 0, "b", "elected"), "\n")
	if want := "process|status|elected|b|timers|clock|vector clock"; named != want {
		t.Errorf("with variables that are named: %s, want %s", named, want)
	}
}

// TestWideTable: eight variables have a column each, nine share one, in which
// each has a name; a vector clock of sixteen entries is shown, of seventeen not.
func TestWideTable(t *testing.T) {
	for _, tt := range []struct {
		variables, processes int
		heading, first       string
	}{
		{
			8, 16, "process|status|v0|v1|v2|v3|v4|v5|v6|v7|timers|clock|vector clock",
			"1|running*|0*|0*|0*|0*|0*|0*|0*|0*|-|1|1" + strings.Repeat(" 0", 15),
		},
		{9, 17, "process|status|variables|timers|clock", "1|running*|v0=0* v1=0* v2=0* v3=0* v4=0* v5=0* v6=0* v7=0* v8=0*|-|1"},
	} {
		var vars []string
		for i := range tt.variables {
			vars = append(vars, fmt.Sprintf(`"v%d":0`, i))
		}
		rows := strings.Split(tableAt(t, recorded(t, tt.processes, start(1, "{"+strings.Join(vars, ",")+"}")), 1), "\n")
		if rows[0] != tt.heading || rows[1] != tt.first {
			t.Errorf("%d variables: %s\n%s, want %s\n%s", tt.variables, rows[0], rows[1], tt.heading, tt.first)
		}
		if tt.variables == 9 && rows[2] != "2|unknown|-|-|-" {
			t.Errorf("a process without variables is %s", rows[2])
		}
	}
}
