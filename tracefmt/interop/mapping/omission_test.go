package mapping

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/size"
)

// TestOmitsFinds: the filter before the pattern loses no omission.
func TestOmitsFinds(t *testing.T) {
	words := append(strings.Fields("... [ ( -- 12 7: some many several more two log lines line entries records messages "+
		"event events suppressed omitted dropped dropping skipped skipping truncated elided snipped snip lost discarded "+
		"limited repeated times rate-limit rate cut <cut [truncated were by the"), "…", " ", "")
	size.Check(t, 200, 3000, 200_000, func(t *rapid.T) {
		blank := rapid.SampledFrom([]string{" ", "  ", ""}).Draw(t, "blank")
		line := strings.TrimSpace(strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 2, 7).Draw(t, "words"), blank))
		if len(line) > 8 && omits(line) != longOmission().MatchString(line) {
			t.Errorf("%q: %v by the filter", line, omits(line))
		}
	})
}

// TestOmits distinguishes marks of omission from other lines.
func TestOmits(t *testing.T) {
	for _, line := range []string{
		"...", "[...]", "…", "<...>", "(...)", "....", "--",
		"[snip]", "[snip 200 lines]", "<snip>", "[cut]", "snip", "... snip ...", "-- 12 lines suppressed", "(23 lines omitted)", "[truncated]",
		"<truncated>", "<output truncated>", "12 more lines", "--- skipped 14 entries ---", "# some lines left out", "[… 40 lines omitted …]",
		"10:00:00 n1 Suppressed 23 messages from unit raft.service", "Mar  1 10:00:00 host last message repeated 2 times",
		"⋮", "--- 8< ---", "----8<----", "10:00:00 WARN rate limit: 120 messages dropped",
		"message repeated 5 times: [ tick]", "imuxsock lost 350 messages from pid 12 due to rate-limiting", "23 log messages dropped",
		"2026-03-01 10:00:00 WARN 17 log entries were suppressed by the rate limiter",
	} {
		if !omits(line) {
			t.Errorf("%q: no omission", line)
		}
	}
	for _, line := range []string{
		"", "-", "starting...", "connecting to n2 ...", "10:00:00 n1 sent 3 messages to n2", "10:00:00 n1 dropped message 7 to n2",
		"10:00:00 n1 skipped election, leader is alive", "10:00:00 n1 truncated log at index 7", "n1 cut off from n2", "cut the rope",
		"appended 3 entries from n2", "--- restart ---", "----------", "n2 lost 3 entries of its log", "msg=\"rate limit is 100\"",
	} {
		if omits(line) {
			t.Errorf("%q: an omission", line)
		}
	}
}
