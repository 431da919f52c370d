package mapping_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/fixtures/readings"
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
	rec, report := readings.Read(t, numbered, "x.log",
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

// TestSequenceOfFile: numbers that count the lines of a file skip for all processes at once. Numbers that count the lines
// of each process would skip everywhere.
func TestSequenceOfFile(t *testing.T) {
	rec, _ := readings.Read(t, strings.Replace(numbered, "sequence: '${seq}'", "sequence: {number: '${seq}', of: file}", 1), "x.log",
		`{"node":"a","seq":1,"do":"enter"}
{"node":"b","seq":2,"do":"enter"}
{"node":"a","seq":3,"do":"exit"}
{"node":"b","seq":6,"do":"exit"}
`)
	want := []tracefmt.Gap{{Process: "b", From: 3, To: 3}, {Process: "a", From: 4}}
	if diff := cmp.Diff(want, rec.Run().Completeness.Gaps); diff != "" {
		t.Error(diff)
	}
}

// TestNoProcess: a section that no process enters twice has no gap: nobody knows whether it is one process.
func TestNoProcess(t *testing.T) {
	for _, m := range []string{numbered, strings.Replace(numbered, "sequence: '${seq}'\n", "", 1)} {
		m = strings.Replace(m, "${node}", "${nod}", 1)
		runs, _, err := readings.TryRead(t, m, "x.log", `{"node":"a","seq":1,"do":"enter"}`+"\n"+`{"node":"a","seq":3,"do":"enter"}`+"\n")
		if err != nil || runs[0].Run().Completeness.Gaps != nil {
			t.Errorf("%v, gaps %v", err, runs[0].Run().Completeness.Gaps)
		}
	}
}

// A guess finds the number of a line if it grows in every line: in a field of a usual name, or after a usual sign. The
// numbers of messages, and numbers that repeat, do not count lines.
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
		{"the lines of a file", `[001] 10:00:01 n1 became leader
[002] 10:00:02 n2 became follower
[003] 10:00:03 n1 became follower
[007] 10:00:04 n2 became leader
[008] 10:00:05 n1 became leader
`, "file"},
		{"a field line", `{"line":1,"node":"n1","msg":"acquired lock A"}
{"line":2,"node":"n1","msg":"released lock A"}
{"line":1,"node":"n2","msg":"acquired lock A"}
{"line":2,"node":"n2","msg":"released lock A"}
{"line":3,"node":"n1","msg":"acquired lock A"}
{"line":6,"node":"n1","msg":"released lock A"}
`, "${sequence}"},
		{"seconds", `1700000001 n1 became leader
1700000002 n2 became follower
1700000003 n1 became follower
1700000004 n2 became leader
1700000005 n1 became leader
1700000006 n2 became leader
`, ""},
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
			guess := readings.Guess(t, []string{"x.log", tt.log})
			_, found, _ := strings.Cut(guess, "\nsequence: ")
			found, _, _ = strings.Cut(found, "\n")
			if strings.HasSuffix(found, "of: file}") {
				found = "file"
			}
			found = strings.Trim(found, "'")
			if found != tt.want {
				t.Errorf("found %q, expected %q in\n%s", found, tt.want, guess)
			}
		})
	}
}
