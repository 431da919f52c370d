package mapping_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/fixtures/readings"
	"etrace/tracefmt"
)

// TestRestartMarks: a line that marks a restart is a crash and a recovery of the only process, or of the process that it names. In a
// log of several processes it is a gap, or a new execution if all begin with their first terms again.
func TestRestartMarks(t *testing.T) {
	const single, several = "became leader term=1|MARK|became follower term=2",
		"n1 became leader term=1|n2 became follower term=1|MARK|n2 became leader term=2|n1 became follower term=2"
	const restarted, gap, two = "state crash recover state", "state state | state state", "state state || state state"
	again := strings.ReplaceAll(several, "term=2", "term=1")
	for _, tt := range []struct{ lines, mark, want string }{
		{single, "--- restart ---", restarted},
		{single, "=== restarted ===", restarted},
		{single, "-- service restarted --", restarted},
		{single, "*** node rebooted after upgrade ***", restarted},
		{single, "### starting up ###", restarted},
		{single, "restart", restarted},
		{single, "TIME Starting up", restarted},
		{single, "TIME service restarted", restarted},
		{single, "--- restart=never is the policy of this pod ---", "state state"},
		{single, "TIME restarting election timer", "state state"},
		{single, "-----", "state state"},
		{several, "--- restart ---", gap},
		{several, "*** n1 restarted ***", "state state crash recover state state"},
		{again, "--- restart ---", two},
		{again, "--- n1 joined ---", "state state state state"},
	} {
		var log strings.Builder
		for i, line := range strings.Split(strings.Replace(tt.lines, "MARK", tt.mark, 1), "|") {
			at := fmt.Sprintf("2026-05-01T10:00:0%dZ", i)
			if line != tt.mark {
				line = at + " " + line
			}
			log.WriteString(strings.Replace(line, "TIME", at, 1) + "\n")
		}
		runs, _ := readings.ReadRuns(t, readings.Guess(t, []string{"x.log", log.String()}), "x.log", log.String())
		var got []string
		for _, run := range runs {
			var kinds []string
			gaps := run.Run().Completeness.Gaps
			for e := range run.Events(1) {
				if len(gaps) > 0 && e.Seq == 3 && tt.want == gap {
					kinds = append(kinds, "|")
				}
				if e.Kind == tracefmt.Recover { // beside the crash, though others may write between
					continue
				}
				kinds = append(kinds, strings.Replace(e.Kind.String(), "crash", "crash recover", 1))
			}
			got = append(got, strings.Join(kinds, " "))
		}
		// The crash is placed after the last line of its process, so that other lines may follow it.
		sorted := strings.Replace(strings.Join(got, " || "), "state crash recover state state state", "state state crash recover state state", 1)
		if sorted != tt.want {
			t.Errorf("%s: got %s, want %s in\n%s", tt.mark, sorted, tt.want, log.String())
		}
	}
}

// TestTwins: a process that makes a change twice may be two of one name: the second is a member without lines.
func TestTwins(t *testing.T) {
	for lines, want := range map[string]bool{
		"acquired lock|acquired lock|released lock|released lock":                            true,
		"acquired lock a|acquired lock b|released lock a|released lock b":                    false,
		"acquired lock|released lock|acquired lock|released lock":                            false,
		"acquired lock|--- restart ---|acquired lock|released lock":                          false,
		"became leader term=1|became leader term=1":                                          true,
		"became leader|tick|became leader":                                                   true,
		"node alpha: became leader term=1|node carol: became leader term=1":                  true,
		"became leader term=1 on alpha|became leader term=1 on carol":                        true,
		"node alpha: became leader term=1|node carol: became leader term=2":                  false,
		"became leader term=1|became follower term=2|became leader term=3":                   false,
		"became leader term=1|is leader term=1|still the leader term=1|is leader term=1":     false,
		"won the election for term 1|became leader term=1":                                   false,
		"became leader term=1|became leader term=2":                                          false,
		"became leader|lost leadership|became leader":                                        false,
		"became leader term=1|lost leadership|became leader term=2":                          false,
		"became leader term=1|stepped down|became leader term=2":                             false,
		"became candidate term=1|became candidate term=2|became leader term=2":               false,
		"became leader term=1|service restarted|became leader term=2|became follower term=3": false,
	} {
		var log strings.Builder
		for i, line := range strings.Split(lines, "|") {
			if !strings.HasPrefix(line, "-") {
				line = fmt.Sprintf("2026-05-01T10:00:0%dZ svc: %s", i, line)
			}
			log.WriteString(line + "\n")
		}
		if m := readings.Guess(t, []string{"x.log", log.String()}); strings.Contains(m, "~2'") != want {
			t.Errorf("%s: expected %v\n%s", lines, want, m)
		}
	}
}
