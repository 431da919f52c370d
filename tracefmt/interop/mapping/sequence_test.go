package mapping_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
)

const numbered = `
lines: json
process: '${node}'
sequence: '${seq}'
events: [{when: {do: enter}, note: enter}, {when: {do: exit}, note: exit}]
`

// Where the numbers of a process's lines skip, lines are missing there, and only there. A number that falls begins to
// count anew.
func TestSequenceSkips(t *testing.T) {
	line := func(node string, seq, do string) string {
		return `{"node":"` + node + `","seq":` + seq + `,"do":"` + do + `"}` + "\n"
	}
	rec, report := read(t, numbered, "x.log",
		line("b", "1", "enter")+line("b", "2", "exit")+line("a", "1", "enter")+line("a", "2", "exit")+line("b", "5", "enter")+
			line("b", "6", "exit")+line("a", "1", "enter")+line("a", "2", "exit"))
	want := []tracefmt.Gap{{Process: "b", From: 3, To: 4, Dropped: 2}} // after its exit, 2, and before its second enter, 5
	if diff := cmp.Diff(want, rec.Run().Completeness.Gaps); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(report.Notes, "\n"); !strings.Contains(got, "the numbers of lines skip at 1 place, the first at x.log:5") {
		t.Errorf("notes %s", got)
	}
}

// A guess finds the numbers where every line has one that grows: in a field of a usual name, or after a usual sign. A
// number that names messages, or that one line of a process repeats, is none.
func TestSequenceFound(t *testing.T) {
	for _, tt := range []struct{ name, log, want string }{
		{"a field", `{"node":"n1","seq":1,"msg":"acquired lock A"}
{"node":"n1","seq":2,"msg":"released lock A"}
{"node":"n2","seq":1,"msg":"acquired lock A"}
{"node":"n2","seq":2,"msg":"released lock A"}
{"node":"n1","seq":3,"msg":"acquired lock A"}
{"node":"n1","seq":6,"msg":"released lock A"}
{"node":"n2","seq":3,"msg":"acquired lock A"}
{"node":"n2","seq":4,"msg":"released lock A"}
`, "${seq}"},
		{"a sign", `10:00:01 n1 #1 became leader
10:00:02 n2 #1 became follower
10:00:03 n1 #2 became follower
10:00:04 n2 #2 became leader
10:00:05 n1 #3 became leader
10:00:06 n2 #3 became follower
10:00:07 n1 #5 became follower
10:00:08 n2 #4 became leader
`, "${sequence}"},
		{"a number that repeats", `10:00:01 n1 #1 became leader
10:00:02 n2 #1 became follower
10:00:03 n1 #2 became follower
10:00:04 n2 #2 became leader
10:00:05 n1 #2 became leader
10:00:06 n2 #3 became follower
10:00:07 n1 #3 became follower
10:00:08 n2 #4 became leader
`, ""},
		{"the names of messages", `{"node":"n1","event":"send","type":"M","to":"n2","seq":1}
{"node":"n2","event":"receive","type":"M","from":"n1","seq":1}
{"node":"n1","event":"send","type":"M","to":"n2","seq":2}
{"node":"n2","event":"receive","type":"M","from":"n1","seq":2}
{"node":"n1","event":"send","type":"M","to":"n2","seq":3}
{"node":"n1","event":"send","type":"M","to":"n2","seq":4}
{"node":"n2","event":"receive","type":"M","from":"n1","seq":4}
{"node":"n1","event":"send","type":"M","to":"n2","seq":5}
{"node":"n2","event":"receive","type":"M","from":"n1","seq":5}
`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			guess := guessed(t, tt.log)
			_, found, _ := strings.Cut(guess, "\nsequence: '")
			found, _, _ = strings.Cut(found, "'")
			if found != tt.want {
				t.Errorf("found %q, expected %q in\n%s", found, tt.want, guess)
			}
		})
	}
}
