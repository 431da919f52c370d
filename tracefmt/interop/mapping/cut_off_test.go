package mapping_test

import (
	"strings"
	"testing"

	"etrace/fixtures/readings"
)

// TestCutOff: a last line without its end is left out if it names a process that no other line does, or a term that
// falls. A line that fits stays.
func TestCutOff(t *testing.T) {
	const mapping = `match: '^(?<time>\S+) (?<node>\w+) (?<msg>.*)$'
process: '${node}'
time: {from: '${time}', layout: '15:04:05'}
events:
  - {when: {msg: '/^sends to (?<to>\w+)$/'}, send: VOTE, to: '${to}'}
  - {when: {msg: '/^term (?<term>\d+)$/'}, state: {term: '${term}'}}
  - {when: {msg: '/^leader is (?<who>\w+)$/'}, state: {elected: '${who}'}}
`
	const log = "10:00:00 n1 sends to n2\n10:00:01 n2 term 12\n"
	for last, want := range map[string]int{
		"10:00:02 n1 sends to n": 2, "10:00:02 n1 sends to n2": 3, "10:00:02 n2 term 1": 2,
		"10:00:02 n2 term 13": 3, "10:00:02 n2 leader is n": 2, "10:00:02 n2 leader is n1": 3,
	} {
		run, report := readings.Read(t, mapping, "all.log", log+last)
		got := strings.Count(readings.Events(t, run), "\n")
		if said := strings.Contains(strings.Join(report.Runs[0].Notes, "\n"), "all.log:3 has no end"); got != want || said != (want == 2) {
			t.Errorf("%s: %d events, expected %d; notes: %s", last, got, want, report.Runs[0].Notes)
		}
		if run, _ := readings.Read(t, mapping, "all.log", log+last+"\n"); strings.Count(readings.Events(t, run), "\n") != 3 {
			t.Errorf("%s, with its end: %s", last, readings.Events(t, run))
		}
	}
}
