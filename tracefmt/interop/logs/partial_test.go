package logs_test

import (
	"strings"
	"testing"

	"etrace/fixtures/readings"
)

// TestSuggestPartial: a line that is not understood and has a word of a subject makes the facts of the subject partly
// recorded. A line about what did not happen does not, and neither does one about something else.
func TestSuggestPartial(t *testing.T) {
	const election, lock = "10:00:01 n1: became leader of term 1\n10:00:02 n2: became follower in term 1\n",
		"10:00:01 n2: acquired lock\n10:00:02 n2: released lock\n"
	for _, tt := range []struct{ log, line, want string }{
		{election, "leadership grabbed in term 2", "complete: 'n2:state.role=some,n2:state.term=some'"},
		{election, "leadership: mine (term 2)", "complete: 'n2:state.role=some,n2:state.term=some'"},
		{election, "lost leader", "complete: 'n2:state.role=some,n2:state.term=some'"},
		{election, "cannot reach the leader", ""},
		{election, "vote cast (term 2)", ""}, // no rule has the votes of other lines
		{election, "saved 3 entries", ""},
		{lock, "mutex snatched", "complete: 'n2:note=some'"},
		{lock, "waiting for the lock to be free", ""},
		{lock, "saved 3 entries", ""},
	} {
		m := readings.Guess(t, []string{"x.log", tt.log + "10:00:03 n2: " + tt.line + "\n"})
		readings.Read(t, m, "x.log", tt.log)
		if tt.want != "" && !strings.Contains(m, tt.want+"}\n") || tt.want == "" && strings.Contains(m, ", complete: '") {
			t.Errorf("%s: want %q in\n%s", tt.line, tt.want, m)
		}
	}
}

// TestSuggestTakes: who takes leadership leads.
func TestSuggestTakes(t *testing.T) {
	for _, words := range []string{
		"took leadership of term 2", "takes over leadership (term 2)",
		"acquired leadership in term 2", "taking the leadership for term 2",
	} {
		log := "10:00:01 n1: became follower in term 1\n10:00:02 n2: became follower in term 1\n10:00:03 n2: " + words + "\n"
		m := readings.Guess(t, []string{"x.log", log})
		run, _ := readings.Read(t, m, "x.log", log)
		if got := readings.Events(t, run); !strings.HasSuffix(got, "n2 state role=\"leader\" term=2\n") {
			t.Errorf("%s: got\n%s%s", words, got, m)
		}
	}
}
