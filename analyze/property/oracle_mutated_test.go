package property_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// mutatedLaws are the properties that oracles decide for any run of the corpus of
// correct runs; those of recordings come on top.
var mutatedLaws = []string{
	"broadcast-agreement", "broadcast-no-creation", "broadcast-no-duplication", "broadcast-validity",
	"consensus-agreement", "consensus-integrity", "mutual-exclusion", "no-starvation",
}

// TestMutatedCorpus: runs as logs have them, in which some events were left out,
// doubled, moved, put to another process or given another event's fields: the
// monitors and the oracles agree on what is wrong with them.
func TestMutatedCorpus(t *testing.T) {
	runs := corpusRuns(t)
	compared, wrong, shortest, shown := 0, 0, map[string]int{}, map[string]string{}
	size.Check(t, 10, 50, 6_000, func(t *rapid.T) {
		m := mutated(t, rapid.SampledFrom(runs).Draw(t, "run"))
		o := recorded{oracle{m.Run(), events(m)}}
		for _, r := range check(t, m, true, slices.Concat(mutatedLaws, recordedNames())...).Results {
			name, want := r.Property.Name, o.isWrong(r.Property.Name)
			if compared++; want {
				wrong++
			}
			n, known := shortest[name]
			undecided := r.Verdict == analyze.NotApplicable || r.Verdict == analyze.Unknown
			if isWrong(r.Verdict) != want && !undecided && (!known || m.Len() < n) {
				shortest[name], shown[name] = m.Len(), name+": got "+string(r.Verdict)+" ("+r.Explanation+"), the oracle says otherwise\n"+inText(m)
			}
		}
	})
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		t.Error(shown[name])
	}
	t.Logf("%d verdicts compared, %d of them violated or pending", compared, wrong)
	if wrong == 0 && size.Now() != size.Quick {
		t.Error("nothing is ever wrong")
	}
}

// isWrong is the judgement of the oracles on a property.
func (o recorded) isWrong(name string) bool {
	if law, ok := recordedLaws[name]; ok {
		return isWrong(law.judge(o))
	}
	return isWrong(laws[name].judge(o.oracle).verdict)
}

func isWrong(v analyze.Verdict) bool { return v == analyze.Violated || v == analyze.Pending }

// corpusRuns are the runs of fixtures/correct.
func corpusRuns(t *testing.T) (runs []*tracefmt.Memory) {
	t.Helper()
	files, err := filepath.Glob("../../fixtures/correct/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no runs: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `"kind":"invoke"`) {
			continue // the oracle of histories knows one register only
		}
		runs = append(runs, decode(t, section(t, txtar.Parse(text), "trace.jsonl").Data)...)
	}
	return runs
}

// mutated is the run after up to four changes.
func mutated(t *rapid.T, m *tracefmt.Memory) *tracefmt.Memory {
	list := events(m)
	for range rapid.IntRange(1, 4).Draw(t, "changes") {
		i, j := rapid.IntRange(0, len(list)-1).Draw(t, "at"), rapid.IntRange(0, len(list)-1).Draw(t, "other")
		switch rapid.SampledFrom([]string{"drop", "double", "move", "process", "payload"}).Draw(t, "change") {
		case "drop":
			list = slices.Delete(list, i, i+1)
		case "double":
			list = slices.Insert(list, j, list[i])
		case "move":
			e := list[i]
			list = slices.Insert(slices.Delete(list, i, i+1), min(j, len(list)-1), e)
		case "process":
			list[i].Process = list[j].Process
		case "payload":
			if list[i].Kind == list[j].Kind {
				list[i].Payload = list[j].Payload
			}
		}
	}
	places := map[tracefmt.Seq]tracefmt.Seq{}
	for i, e := range list {
		if _, right := places[e.Seq]; !right {
			places[e.Seq] = tracefmt.Seq(i + 1)
		}
	}
	variant := tracefmt.NewMemory(*m.Run())
	for i, e := range list {
		e.Seq, e.Cause = tracefmt.Seq(i+1), places[e.Cause]
		_ = variant.Write(&e) // a Memory takes every event
	}
	variant.Finish(m.Run().End)
	return variant
}
