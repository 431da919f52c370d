package mapping_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/fixtures/readings"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const blocksMap = `match: '^(?<time>\d+) (?<node>\w) (?<what>\w+)( (?<other>\w))?$'
process: '${node}'
time: {from: '${time}', layout: s}
events:
  - {when: {what: sent}, send: M, to: '${other}'}
  - {when: {what: got}, receive: M, from: '${other}'}
  - {note: '${what}'}
`

// A log that is split by process, and put together again in blocks of any order, is the run that
// it is with a file for each process.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lines := map[string][]string{}
		names := []string{"a", "b", "c"}
		for i := range rapid.IntRange(12, 30).Draw(rt, "events") {
			p := names[i%3]
			if i > 6 {
				p = rapid.SampledFrom(names).Draw(rt, "process")
			}
			at, q := 2*i, rapid.SampledFrom(names).Draw(rt, "other")
			if rapid.Bool().Draw(rt, "message") && p != q {
				lines[p] = append(lines[p], fmt.Sprintf("%d %s sent %s", at, p, q))
				lines[q] = append(lines[q], fmt.Sprintf("%d %s got %s", at+1, q, p))
				continue
			}
			lines[p] = append(lines[p], fmt.Sprintf("%d %s step%d", at, p, i))
		}
		var files []string
		block := make(map[string]string)
		for _, p := range names {
			block[p] = strings.Join(lines[p], "\n") + "\n"
			files = append(files, p+".log", block[p])
		}
		apart, _ := readings.Read(t, blocksMap, files...)
		together := ""
		for _, p := range rapid.Permutation(names).Draw(rt, "order") {
			together += block[p]
		}
		run, _ := readings.Read(t, blocksMap, "all.log", together)
		if diff := cmp.Diff(readings.Events(t, apart), readings.Events(t, run)); diff != "" {
			rt.Errorf("%s(-files +blocks):\n%s", together, diff)
		}
	})
}
