package operation

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// plainOperations are written without a look at the models of this package: the state after an operation that takes
// effect, and its result.
var plainOperations = map[string]func(state string, op *operation) (next, result string){
	"read":   func(state string, _ *operation) (string, string) { return state, state },
	"get":    func(state string, _ *operation) (string, string) { return state, strconv.Quote(state) },
	"write":  func(_ string, op *operation) (string, string) { return op.value, "" },
	"put":    func(_ string, op *operation) (string, string) { return op.value, "" },
	"append": func(state string, op *operation) (string, string) { return state + op.value, "" },
	"cas": func(state string, op *operation) (string, string) {
		if state == op.old {
			return op.new, ""
		}
		return state, "false"
	},
	"acquire": func(state string, op *operation) (string, string) {
		if state == "" {
			return op.owner(), ""
		}
		return state, "false"
	},
	"release": func(state string, op *operation) (string, string) {
		if state == op.owner() {
			return "", ""
		}
		return state, "false"
	},
}

// plainObject applies operations that have ended with the expected result, and any that are open.
func plainObject(initial string) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return initial },
		Step: func(state, input, output any) (bool, any) {
			op := input.(plainInput)
			next, result := plainOperations[op.name](state.(string), op.operation)
			return !op.ended || result == output, next
		},
	}
}

// drawnResults makes a history of an object in which processes find random results.
func drawnResults(r *rand.Rand, sort string) (d drawnHistory) {
	names := map[string][]string{
		"register": {"read", "read", "write", "cas"}, "key-value store": {"get", "get", "put", "append"},
		lockObject: {"acquire", "acquire", "release"},
	}[sort]
	values := map[string][]string{
		"register": {"null", "1", "2", "3"}, "key-value store": {"", "a", "b", "ab", "ba"}, lockObject: {"", "", "false"},
	}[sort]
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	d.byProcess, d.model = objects[sort], plainObject(objects[sort].initial)
	open := make(map[tracefmt.ProcessID]*operation)
	for now := range tracefmt.Seq(10 + r.IntN(16)) {
		p := tracefmt.ProcessID(1 + r.IntN(3))
		op := open[p]
		if op == nil {
			op = &operation{name: pick(names), process: p, called: now + 1, place: len(d.outcomes)}
			op.model, op.old, op.new = operationModels[op.name], "", ""
			switch op.name {
			case "write", "put", "append":
				op.value = values[1+r.IntN(2)]
			case "cas":
				op.old, op.new = values[1+r.IntN(3)], values[1+r.IntN(3)]
			}
			open[p] = op
			d.steps, d.outcomes = append(d.steps, historyStep{op, false}), append(d.outcomes, outcome{})
			continue
		}
		o := outcome{at: now + 1, failed: r.IntN(12) == 0}
		switch {
		case op.model.readsOnly || sort == lockObject:
			o.result = pick(values)
			if op.name == "get" {
				o.result = strconv.Quote(o.result)
			}
		case op.name == "cas":
			o.result = pick([]string{"", "false"})
		}
		if r.IntN(12) > 0 { // else it never ends
			d.outcomes[op.place] = o
			d.steps = append(d.steps, historyStep{op, true})
			delete(open, p)
		}
	}
	return d
}

// TestWitnessOfOperations: the witness alone is violated, for the first time at its last event. No operation can be
// left out, except for assignments of values that others find. A search that ends early leaves open whether the
// history is wrong, or which end is the first wrong one, or which operations are the fewest.
func TestWitnessOfOperations(t *testing.T) {
	seen := make(map[string]int)
	histories := size.Pick(300, 3_000, 30_000)
	for seed := range uint64(histories) {
		sort := []string{"register", "key-value store", lockObject}[seed%3]
		d := drawnResults(rand.New(rand.NewPCG(36, seed)), sort)
		want := d.wrongEnd()
		// All steps decide every history. A few steps end the search in each of its phases.
		for _, steps := range []int64{1 << 30, int64(10 + seed%90)} {
			b := newSearchBudget(steps)
			switch h, early := d.judged(&b), steps < 1<<30; {
			case early && h.reason != "":
				seen["undecided"]++
			case early && h.inexact && want != 0 && h.wrong.endedAt() > want:
				seen["inexact"]++
			case h.wrong.endedAt() != want:
				t.Fatalf("seed %d, %d steps: %s: the end at %d is wrong, porcupine says %d",
					seed, steps, d, h.wrong.endedAt(), want)
			case want == 0:
			case early && (h.inexact || h.unshrunk != ""):
				seen["not shrunk"]++
			default:
				seen[sort]++
				d.needsEach(t, h, want)
			}
		}
	}
	if len(seen) < 6 {
		t.Errorf("too few histories are violated: %v", seen)
	}
}

// needsEach checks that the witness alone is violated at its last event, and that no operation can be left out.
func (d drawnHistory) needsEach(t *testing.T, h *history, want tracefmt.Seq) {
	t.Helper()
	part := d.alone(h.witness())
	if got := part.wrongEnd(); got != want {
		t.Fatalf("%s: the witness %d alone is violated at %d, want %d", d, h.witness(), got, want)
	}
	for _, s := range part.steps {
		if !s.ends && s.op.called != h.wrong.called && !part.found(s.op) && part.without(s.op).wrongEnd() == want {
			t.Fatalf("%s: the witness %d needs no %s, invoked at %d", d, h.witness(), s.op.name, s.op.called)
		}
	}
}

// without is the history without an operation.
func (d drawnHistory) without(op *operation) drawnHistory {
	d.steps = slices.DeleteFunc(slices.Clone(d.steps), func(s historyStep) bool { return s.op == op })
	return d
}

// found reports whether some operation may have found what op assigns, or a part of it.
func (d drawnHistory) found(op *operation) bool {
	return slices.ContainsFunc(d.steps, func(s historyStep) bool {
		o := d.outcomes[s.op.place]
		text, _ := strconv.Unquote(o.result)
		left, known := op.stateAfter()
		_, result := plainOperations[s.op.name](left, s.op)
		return s.op != op && !s.op.model.mute() && (known && (result == o.result || o.at == 0) || op.name == "append" &&
			strings.Contains(text, op.value))
	})
}
