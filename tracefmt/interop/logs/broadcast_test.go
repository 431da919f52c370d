package logs_test

import (
	"strings"
	"testing"

	"etrace/fixtures/readings"
)

// TestSuggestBroadcast: lines that deliver what others broadcast are notes of broadcast. Without broadcasts, who
// delivers from a process has received.
func TestSuggestBroadcast(t *testing.T) {
	const keyed = "p1 note broadcast m=%\np1 note deliver m=%\np2 note deliver m=%\n"
	for _, tt := range []struct{ name, log, want string }{
		{
			"a key", "10:00:01 p1 INFO broadcast m=7\n10:00:02 p1 INFO deliver m=7\n10:00:03 p2 INFO deliver m=7\n",
			strings.ReplaceAll(keyed, "%", "7"),
		},
		{
			"a sender", "10:00:01 | p1 | broadcast m1\n10:00:02 | p1 | delivered m1\n10:00:03 | p2 | delivered m1 from p1\n",
			"p1 note broadcast m=\"m1\"\np1 note deliver m=\"m1\"\np2 note deliver m=\"m1\" sender=\"p1\"\n",
		},
		{
			"capitals", "10:00:01 p1 INFO BROADCAST id=a1\n10:00:02 p1 INFO DELIVER id=a1\n10:00:03 p2 INFO DELIVER id=a1\n",
			strings.ReplaceAll(keyed, "%", `"a1"`),
		},
		{
			"JSON", `{"t":"2026-05-01T10:00:01Z","node":"p1","event":"broadcast","m":7}` + "\n" +
				`{"t":"2026-05-01T10:00:02Z","node":"p1","event":"deliver","m":7}` + "\n" +
				`{"t":"2026-05-01T10:00:03Z","node":"p2","event":"deliver","m":7}` + "\n",
			strings.ReplaceAll(keyed, "%", "7"),
		},
		{
			"messages", "10:00:01 p1: sent ping #1 to p2\n10:00:02 p2: delivered ping #1 from p1\n",
			"p1 send ping p2\np2 receive ping p1\n",
		},
	} {
		m := readings.Guess(t, []string{"x.log", tt.log})
		run, _ := readings.Read(t, m, "x.log", tt.log)
		if got := readings.Events(t, run); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s%s", tt.name, got, tt.want, m)
		}
	}
}
