package logs_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/fixtures/readings"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/logs"
)

// TestProcessColumn: a column of the head without digits names the process where no single process would write the
// lines.
func TestProcessColumn(t *testing.T) {
	logs := map[string]string{
		"terms that fall": "paris became leader term=1\nrome became candidate term=2\noslo became follower term=1\n" +
			"rome became leader term=2\nparis became follower term=2",
		"one role twice": "paris boot ok\nrome boot ok\noslo boot ok\nparis became leader in term 2\nrome became leader in term 2\n" +
			"oslo became follower in term 2",
		"entries together": "paris acquired lock\nrome acquired lock\nparis released lock\nrome released lock",
		"names of others": "paris boot ok\nrome boot ok\nparis following oslo in term 1\nrome following oslo in term " +
			"1\noslo following oslo in term 1",
	}
	for name, log := range logs {
		for _, form := range []string{"[%s] ", "%s: ", "%s - ", "%s | ", "<%s> ", "[node=%s] ", "[INFO] [%s] "} {
			var b strings.Builder
			for i, line := range strings.Split(log, "\n") {
				writer, words, _ := strings.Cut(line, " ")
				fmt.Fprintf(&b, "2026-05-01T10:00:0%d.000Z "+form+"%s\n", i, writer, words)
			}
			m := readings.Guess(t, []string{"x.log", b.String()})
			if !strings.Contains(m, "paris and rome.\n") || strings.Contains(m, "it is the file") {
				t.Errorf("%s in the form %q\n%s", name, form, m)
			}
		}
	}
}

// TestNamesBeforeColons: the names of a few lines are processes if one process would contradict itself, or if they
// enter, leave or ask for a critical section.
func TestNamesBeforeColons(t *testing.T) {
	for _, log := range []string{
		"paris: tx 7 voted yes\nrome: tx 7 vote NO\noslo: tx 7 decision: COMMIT\nparis: tx 7 committed\nrome: tx 7 decision: ABORT",
		"paris: became leader in term 4\nrome: saw term 3\nrome: became follower in term 3\nrome: became follower in term 4",
		"paris: acquired lock\nrome: obtained lock\nparis: released lock\nrome: unlocked",
		"paris: won the election for term 4\nrome: became leader in term 4",
		"paris: became leader in term 1\nrome: became follower in term 1\nrome: became leader in term 2\n" +
			"paris: became follower in term 2",
		"paris: requesting lock\nrome: requesting lock\nrome: acquired lock\nrome: released lock",
	} {
		var b strings.Builder
		for i, line := range strings.Split(log, "\n") {
			fmt.Fprintf(&b, "2026-05-01T10:00:0%d.000Z %s\n", i, line)
		}
		m := readings.Guess(t, []string{"x.log", b.String()})
		if !strings.Contains(m, "paris and rome.\n") || strings.Contains(m, "it is the file") {
			t.Errorf("%s\n%s", log, m)
		}
	}
}

// TestFormerRoles: the role before a change is not the role of the process, and the role of a peer is not its own.
func TestFormerRoles(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"role changed from=leader to=follower term=5", "follower"},
		{"role changed from=candidate to=leader term=5", "leader"},
		{"role change old=leader new=follower term=5", "follower"},
		{"state=follower -> leader term=5", "leader"},
		{"role changed old_role=leader term=5", ""},
		{"peer state peer=n1 role=leader term=5", ""},
	} {
		m := readings.Guess(t, []string{"x.log", "2026-05-01T10:00:01.000Z n1: became candidate in term 5\n" +
			"2026-05-01T10:00:02.000Z n2: " + tt.line + "\n" +
			"2026-05-01T10:00:03.000Z n2: became candidate in term 6\n"})
		for _, role := range []string{"leader", "follower"} {
			if got := strings.Contains(m, "(?<role>"+role+")"); got != (role == tt.want) {
				t.Errorf("%s: role %s in the mapping is %v\n%s", tt.line, role, got, m)
			}
		}
	}
}

// TestProcessColumnUnsure: parts of one program claim nothing that refutes that they are one process. The guess reads
// the file as one process. If they make the same claims, it notes that they may be processes, and makes them members.
func TestProcessColumnUnsure(t *testing.T) {
	for _, tt := range []struct {
		log    string
		unsure bool
	}{
		{"raft became follower term=1\ntimer became candidate term=2\nraft became follower term=3\nraft became leader term=4", false},
		{"raft became follower term=1\ntimer became follower term=2\nraft became leader term=3", true},
	} {
		var b strings.Builder
		for i, line := range strings.Split(tt.log, "\n") {
			part, words, _ := strings.Cut(line, " ")
			fmt.Fprintf(&b, "2026-05-01T10:00:0%d.000Z [%s] %s\n", i, part, words)
		}
		m := readings.Guess(t, []string{"x.log", b.String()})
		if !strings.Contains(m, "it is the file, x") || strings.Contains(m, "though raft and timer in ${word2} may be several") != tt.unsure ||
			strings.Contains(m, "members: [raft, timer]\n") != tt.unsure {
			t.Errorf("%v\n%s", tt.unsure, m)
		}
	}
}

// TestOtherFields: a field of a participant names the process if no single process would have made the claims. A field of another name
// may be a group of processes, which the guess does not decide.
func TestOtherFields(t *testing.T) {
	for key, want := range map[string]string{
		"participant": "processes: g1 and g2.", "worker": "processes: g1 and g2.", "group": "members: [g1, g2]\n",
		"region": "members: [g1, g2]\n", "tenant": "members: [g1, g2]\n",
	} {
		var b strings.Builder
		for i, line := range []string{"leader g1 1", "leader g2 1", "follower g1 2"} {
			part := strings.Fields(line)
			fmt.Fprintf(&b, `{"time":"2026-05-01T10:00:0%dZ","msg":"became %s",%q:%q,"term":%s}`+"\n", i, part[0], key, part[1], part[2])
		}
		m := readings.Guess(t, []string{"x.log", b.String()})
		if !strings.Contains(m, want) {
			t.Errorf("%s: expected %s in\n%s", key, want, m)
		}
	}
}

// TestSharedName: two files have lines of one process name and of one kind, at the same time. The processes then have the
// names of the files. If other lines call the process so, the name stays, and another process of this name is a member
// without a record. Files with a common line, or one after the other, are of one process.
func TestSharedName(t *testing.T) {
	const c = "12:00:01 [n2] became follower in term 1\n12:00:03 [n2] became follower in term 2\n"
	for name, test := range map[string]struct{ a, b, want string }{
		"files": {
			"12:00:00 [n1] became follower in term 1\n12:00:02 [n1] became leader in term 2\n",
			"12:00:01 [n1] became follower in term 1\n12:00:04 [n1] became leader in term 3\n",
			"a b c",
		},
		"called": {
			"12:00:00 [n1] became follower in term 1\n12:00:02 [n1] voted for n2 in term 2\n",
			"12:00:01 [n1] became follower in term 1\n12:00:04 [n1] voted for n1 in term 3\n",
			"n1 n1~2 n2",
		},
		"common line": {
			"12:00:00 [n1] became follower in term 1\n12:00:02 [n1] became leader in term 2\n",
			"12:00:00 [n1] became follower in term 1\n12:00:04 [n1] became leader in term 3\n",
			"n1 n2",
		},
		"one after the other": {
			"12:00:00 [n1] became follower in term 1\n12:00:01 [n1] became leader in term 2\n",
			"12:00:03 [n1] became follower in term 3\n12:00:04 [n1] became leader in term 4\n",
			"n1 n2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var inputs []*interop.Input
			for _, file := range [][2]string{{"a.log", test.a}, {"b.log", test.b}, {"c.log", c}} {
				input, err := interop.NewInput(file[0], strings.NewReader(file[1]))
				if err != nil {
					t.Fatal(err)
				}
				inputs = append(inputs, input)
			}
			var sink readings.Runs
			if _, err := interop.Import(t.Context(), logs.Format, interop.Join(inputs...), &sink, interop.Settings{}); err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, m := range sink.List[0].Run().Members {
				names = append(names, m.Name)
			}
			if got := strings.Join(names, " "); got != test.want {
				t.Errorf("members %s, want %s", got, test.want)
			}
		})
	}
}
