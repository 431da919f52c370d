package mapping_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/fixtures/readings"
)

// TestShortNames: processes called a or 1 are read where the claims of their lines agree with that, whatever is around the name.
func TestShortNames(t *testing.T) {
	logs := map[string]string{
		"raft": "N1 became candidate term 1\nN1 became leader term 1\nN2 became follower term 1\n" +
			"N2 became leader term 1\nN3 became follower term 1",
		"good":  "N1 became leader term 1\nN2 became follower term 1\nN3 became follower term 1\nN1 heartbeat term 1",
		"now":   "N1 is now a candidate (term 3)\nN1 is now the leader (term 3)\nN2 is now a follower (term 3)\nN3 is now a follower (term 3)",
		"votes": "N1 became leader in term 1\nN2 voted for N1 in term 1\nN3 voted for N1 in term 1\nN2 became leader in term 1",
		"lock":  "N1 acquired lock\nN2 acquired lock\nN3 acquired lock\nN1 released lock\nN2 released lock\nN3 released lock",
	}
	for _, names := range [][3]string{{"a", "b", "c"}, {"A", "B", "C"}, {"1", "2", "3"}} {
		for _, form := range []string{"%s", "%s:", "[%s]", "node %s:", "node %s", "Process %s", "INFO %s", "[INFO] %s:", "<%s>", "node=%s"} {
			for kind, log := range logs {
				for _, time := range []string{"", "10:00:0%d.000 "} {
					if time == "" && (form == "%s" && names[0] == "1" || strings.Contains(form, "INFO")) {
						continue // a number may be one of the lines; without a time a level has no place
					}
					var b strings.Builder
					for i, line := range strings.Split(log, "\n") {
						writer, words, _ := strings.Cut(line, " ")
						if time != "" {
							fmt.Fprintf(&b, time, i)
						}
						fmt.Fprintf(&b, form+" %s\n", writer, words)
					}
					text := strings.NewReplacer("N1", names[0], "N2", names[1], "N3", names[2]).Replace(b.String())
					want := fmt.Sprintf("# 3 processes: %s, %s and %s.\n", names[0], names[1], names[2])
					if m := readings.Guess(t, []string{"x.log", text}); !strings.Contains(m, want) {
						t.Errorf("%s: expected %s of\n%s\n%s", kind, want, text, m)
					}
				}
			}
		}
	}
}

// TestArticles: a word is no name because a process could be called so.
func TestArticles(t *testing.T) {
	for _, log := range []string{
		"server starting\na leader was elected\na follower joined\nthe leader changed\na leader was elected",
		"a leader is elected in term 1\na leader is elected in term 2\ni am leader in term 2",
		"1 node became leader\n2 nodes became follower\n1 node became leader\n2 nodes became follower",
		"3 acquired locks\n2 acquired locks\n1 released locks\n0 acquired locks",
		"1 became 2\n2 became 3\n1 became 2",
		"a became\nb became\na became",
	} {
		for _, time := range []string{"", "10:00:0%d.000 "} {
			var b strings.Builder
			for i, line := range strings.Split(log, "\n") {
				if time != "" {
					fmt.Fprintf(&b, time, i)
				}
				b.WriteString(line + "\n")
			}
			if m := readings.Guess(t, []string{"x.log", b.String()}); strings.Contains(m, "processes: ") {
				t.Errorf("expected no processes of\n%s\n%s", b.String(), m)
			}
		}
	}
}
