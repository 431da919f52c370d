package operation

import (
	"math/rand/v2"
	"testing"

	"github.com/anishathalye/porcupine"

	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// lockHistory makes a history of a lock for which up to five processes ask, with and
// without waiting. Sometimes an answer is the wrong one, some operations fail, and
// some never return, after which the process does no more.
func lockHistory(r *rand.Rand) (d drawnHistory) {
	d.byProcess, d.model = objects["lock"], plainLock
	processes, wrong := 1+r.IntN(5), r.IntN(3)*r.IntN(12)
	open, found := map[tracefmt.ProcessID]*operation{}, map[*operation]string{}
	gone := map[tracefmt.ProcessID]bool{}
	var holder tracefmt.ProcessID
	for now := range tracefmt.Seq(8 + r.IntN(40)) {
		p := tracefmt.ProcessID(1 + r.IntN(processes))
		op := open[p]
		result, effective := found[op]
		switch {
		case gone[p]:
		case op == nil:
			op = &operation{name: "acquire", process: p, called: now + 1, place: len(d.outcomes)}
			if (holder == p) != (r.IntN(10) == 0) {
				op.name = "release"
			}
			op.model, open[p] = operationModels[op.name], op
			d.steps, d.outcomes = append(d.steps, historyStep{op, false}), append(d.outcomes, outcome{})
		case effective:
			delete(open, p)
			if r.IntN(25) == 0 {
				gone[p] = true
				continue
			}
			if r.IntN(100) < wrong {
				result = map[string]string{"true": "false", "false": "true"}[result]
			}
			d.outcomes[op.place] = outcome{at: now + 1, failed: r.IntN(100) < wrong, result: result}
			d.steps = append(d.steps, historyStep{op, true})
		case op.name == "acquire" && holder == 0:
			found[op], holder = "true", p
		case op.name == "release" && holder == p:
			found[op], holder = "true", 0
		case op.name == "release" || r.IntN(2) == 0: // others wait
			found[op] = "false"
		}
	}
	return d
}

// plainLock is written without a look at the models of this package.
var plainLock = porcupine.Model{
	Init: func() any { return tracefmt.ProcessID(0) },
	Step: func(state, input, output any) (bool, any) {
		arguments, holder := input.(plainInput), state.(tracefmt.ProcessID)
		before, after := tracefmt.ProcessID(0), arguments.process
		if arguments.name == "release" {
			before, after = arguments.process, 0
		}
		switch {
		case !arguments.ended && holder == before, holder == before && output == "true":
			return true, after
		case !arguments.ended:
			return true, holder
		}
		return holder != before && output == "false", holder
	},
}

// TestLocksAgreeWithPorcupine: on the verdict and on the end that is wrong, for
// stretches taken in at once and in parts.
func TestLocksAgreeWithPorcupine(t *testing.T) {
	seen := map[string]int{}
	histories := size.Pick(600, 3_000, 30_000)
	for seed := range uint64(histories) {
		r := rand.New(rand.NewPCG(14, seed))
		d := lockHistory(r)
		b := newSearchBudget(1)
		b.overlapping = []int{0, 1, 3, 1 << 15}[r.IntN(4)]
		h, want := d.judged(&b), d.wrongEnd()
		switch got := h.wrong.endedAt(); {
		case h.reason != "" && b.overlapping == 1<<15:
			t.Fatalf("seed %d: %s: not decided: %s", seed, d, h.reason)
		case h.reason != "":
			seen["undecided"]++
		case got > want && h.inexact:
			seen["inexact"]++
		case got != want:
			t.Fatalf("seed %d: %s: the end at %d is wrong, porcupine says %d", seed, d, got, want)
		case want == 0:
			seen["legal"]++
		default:
			seen[h.wrong.name+h.wrong.result]++
		}
	}
	for _, subject := range []string{"undecided", "legal", "acquiretrue", "acquirefalse", "releasetrue", "releasefalse"} {
		if seen[subject] < histories/300 {
			t.Errorf("too few histories are %s: %v", subject, seen)
		}
	}
	t.Log(seen)
}
