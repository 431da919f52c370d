package mapping_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"etrace/fixtures/readings"
)

// TestSpellings: a time is found in each of its spellings, alone, in brackets and after a number, and is that time.
func TestSpellings(t *testing.T) {
	for _, first := range []string{
		"2026-03-04T10:00:05.250Z", "2026-03-04T11:00:05.250+01:00", "2026-03-04T11:00:05.250+0100", "2026-03-04T10:00:05,250",
		"2026-03-04 10:00:05.250 +0000 UTC", "2026-03-04 11:00:05.250 +0100", "2026-03-04 11:00:05.250+01:00", "2026-03-04 10:00:05.250 UTC",
		"2026-03-04 10:00:05,250", "2026-03-04_10:00:05.250", "2026-Mar-04 10:00:05.250", "2026/03/04 10:00:05.250", "2026/03/04-10:00:05.250",
		"2026.03.04 10:00:05.250", "20260304 10:00:05.250", "20260304-10:00:05.250", "20260304-100005.250",
		"20260304T100005.250Z", "20260304T100005.250",
		"04/Mar/2026:11:00:05.250 +0100", "04/Mar/2026 10:00:05.250", "04-Mar-2026::10:00:05.250", "04-Mar-2026 10:00:05.250",
		"Wed, 04 Mar 2026 11:00:05.250 +0100", "Wed Mar  4 10:00:05.250 2026", "Mar 4, 2026 10:00:05.250 AM", "Mar 4, 2026 10:00:05.250",
		"Mar  4 2026 10:00:05.250", "04 Mar 2026 10:00:05.250", "04 Mar 10:00:05.250", "Mar  4 10:00:05.250", "3/4/2026 10:00:05.250 AM",
		"03/04/2026 10:00:05.250", "26/03/04 10:00:05.250", "04.03.2026 10:00:05.250", "260304 10:00:05.250", "I0304 10:00:05.250",
		"10:00:05.250 AM", "10:00:05.250", "1772618405.250", "1772618405250", "1772618405250000", "1772618405250000000",
		"36005.250", "+36005.250s", "36005250ms",
	} {
		for _, form := range []string{"%s n1: became leader\n", "[%s] n1: became leader\n", "77 %s n1: became leader\n"} {
			line := fmt.Sprintf(form, first)
			if strings.HasPrefix(first, "I") && form[0] != '%' {
				continue // klog writes it so only
			}
			m := readings.Guess(t, []string{"a.log", line + line + line})
			run, _ := readings.Read(t, m, "a.log", line)
			for e := range run.Events(1) {
				day := (time.Duration(e.Time)%(24*time.Hour) + 24*time.Hour) % (24 * time.Hour)
				if want := 10*time.Hour + 5*time.Second + 250*time.Millisecond; day != want || !strings.Contains(m, "\ntime: ") {
					t.Errorf("%q is read as %v\n%s", line, day, m)
				}
			}
		}
	}
}
