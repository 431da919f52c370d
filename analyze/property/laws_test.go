package property_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// Three laws of all properties: a client that nothing is about, other names, and
// another order of what is concurrent change no verdict. A table gives the reason for each exception.

// lawfulRuns are the ways in which the runs are drawn.
var lawfulRuns = []struct {
	name string
	draw func(*rapid.T) *tracefmt.Memory
	// ordered: a greater id is better, or comes later on the ring.
	ordered bool
}{
	{"election", drawRun, true},
	{"ring", drawElection, true},
	{"causal", drawCausalRun, false},
	{"mutex", protocol(drawMutex), false},
	{"consensus", protocol(drawConsensus), false},
	{"broadcast", protocol(drawBroadcast), false},
	{"commit", protocol(drawCommit), false},
	{"termination", protocol(drawTermination), false},
	{"wave", protocol(drawWave), false},
	{"snapshot", protocol(drawSnapshot), false},
	{"token", protocol(drawToken), false},
	{"raft", protocol(drawRaft), false},
	{"history", protocol(drawHistory), false},
	{"recording", drawRecording, false},
}

func protocol(step func(*rapid.T, *drawing)) func(*rapid.T) *tracefmt.Memory {
	return func(t *rapid.T) *tracefmt.Memory { return drawProtocol(t, step) }
}

// lawful are all properties, with arguments where needed.
var lawful = append(unbound(), bound("bounded-bypass(1)", "messages-at-most(2*n)", "termination-within(12)")...)

func bound(names ...string) []*analyze.Property {
	properties, err := property.Builtin().Named(names...)
	if err != nil {
		panic(err)
	}
	return properties
}

// obeys checks a law on runs of every sort: it makes another run of a run; same compares their findings. Of each
// property that does not obey, the shortest run that shows it is reported.
func obeys(t *testing.T, law func(t *rapid.T, m *tracefmt.Memory, ordered bool) (recorded *tracefmt.Memory,
	same func(name string, was, now finding) bool),
) {
	for _, sort := range lawfulRuns {
		t.Run(sort.name, func(t *testing.T) {
			compared, shortest, shown := 0, map[string]int{}, map[string]string{}
			size.Check(t, 4, 20, 3_000, func(t *rapid.T) {
				m := sort.draw(t)
				if run := m.Run(); run.Source != tracefmt.Simulated && run.Completeness == nil {
					run.Completeness = recordedWhole // or another order, or event, may show more
				}
				recorded, same := law(t, m, sort.ordered)
				was, now := lawfulFindings(t, m), lawfulFindings(t, recorded)
				compared += len(was)
				for name := range was {
					if n, found := shortest[name]; !same(name, was[name], now[name]) && (!found || recorded.Len() < n) {
						shortest[name] = recorded.Len()
						shown[name] = fmt.Sprintf("%s was %v, is %v\n%s\n%s", name, was[name], now[name], inText(m), inText(recorded))
					}
				}
			})
			for _, name := range slices.Sorted(maps.Keys(shown)) {
				t.Error(shown[name])
			}
			t.Logf("%d verdicts compared", compared)
		})
	}
}

func lawfulFindings(t *rapid.T, m *tracefmt.Memory) map[string]finding {
	report, err := analyze.Check(m, lawful, analyze.Options{Named: true})
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]finding{}
	for _, r := range report.Results {
		list[r.Property.Name] = finding{r.Verdict, r.Violations, r.Witness}
	}
	return list
}

func inText(m *tracefmt.Memory) string {
	var b strings.Builder
	if err := tracefmt.NewEncoder(&b).Encode(m); err != nil {
		return err.Error()
	}
	return b.String()
}

// alike: neither finds anything, or both find the same. The number of examined events may differ, so a satisfied
// property may be vacuous in the other run.
func alike(was, now analyze.Verdict) bool {
	fine := []analyze.Verdict{analyze.Satisfied, analyze.HoldsSoFar, analyze.Vacuous}
	return was == now || slices.Contains(fine, was) && slices.Contains(fine, now)
}
