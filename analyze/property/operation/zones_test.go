package operation

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// drawnHistory is a history of one object, and how its operations ended.
type drawnHistory struct {
	byProcess *object
	model     porcupine.Model
	steps     []historyStep
	repeated  bool // a value is written again that was there
	outcomes  []outcome
}

type outcome struct {
	at     tracefmt.Seq // 0 if it does not return
	failed bool
	result string
}

// registerHistory makes a history of a register that up to six processes read and
// write. Each operation takes effect somewhere between its invocation and its end;
// but sometimes a read returns something else that was written lately, a write that
// had an effect fails, and of a hundred writes again write what was written before.
func registerHistory(r *rand.Rand, again int) (d drawnHistory) {
	d.byProcess, d.model = objects["register"], plainRegister
	processes, wrong := 1+r.IntN(6), r.IntN(3)*r.IntN(15)
	open, found := map[tracefmt.ProcessID]*operation{}, map[*operation]string{}
	holds, written := "null", 0
	lately := func() string {
		if v := written - r.IntN(6); v > 0 {
			return strconv.Itoa(v)
		}
		return "null"
	}
	for now := range tracefmt.Seq(10 + r.IntN(60)) {
		p := tracefmt.ProcessID(1 + r.IntN(processes))
		op := open[p]
		switch result, effective := found[op]; {
		case op == nil:
			op = &operation{model: operationModels["read"], name: "read", process: p, called: now + 1, place: len(d.outcomes)}
			if r.IntN(2) == 0 {
				op.model, op.name = operationModels["write"], "write"
				written++
				op.value = strconv.Itoa(written)
				if r.IntN(100) < again {
					op.value, d.repeated = lately(), true
				}
			}
			open[p] = op
			d.steps, d.outcomes = append(d.steps, historyStep{op, false}), append(d.outcomes, outcome{})
		case !effective:
			found[op] = holds
			if op.name == "write" {
				holds = op.value
			}
		default:
			delete(open, p)
			if r.IntN(20) == 0 {
				continue // it does not return
			}
			if r.IntN(100) < wrong {
				result = lately()
			}
			if op.name == "write" || r.IntN(10) == 0 {
				result = ""
			}
			d.outcomes[op.place] = outcome{at: now + 1, failed: r.IntN(100) < wrong, result: result}
			d.steps = append(d.steps, historyStep{op, true})
		}
	}
	return d
}

// wrongEnd is the first end after which porcupine finds no order, 0 for none.
func (d drawnHistory) wrongEnd() tracefmt.Seq {
	for i, s := range d.steps {
		if o := d.outcomes[s.op.place]; s.ends && !o.failed && !porcupine.CheckOperations(d.model, d.upTo(i+1)) {
			return o.at
		}
	}
	return 0
}

// upTo lists the operations of the first n steps that count.
func (d drawnHistory) upTo(n int) (list []porcupine.Operation) {
	now := int64(0)
	for _, s := range d.steps[:n] {
		if s.ends {
			now = int64(d.outcomes[s.op.place].at)
		}
	}
	for _, s := range d.steps[:n] {
		o := d.outcomes[s.op.place]
		ended := o.at != 0 && int64(o.at) <= now
		if s.ends || o.failed || !ended && s.op.model.readsOnly {
			continue
		}
		c := porcupine.Operation{
			Input: plainInput{s.op, s.op.name, s.op.value, s.op.process, ended}, Output: o.result,
			Call: int64(s.op.called), Return: int64(o.at),
		}
		if !ended {
			c.Return = 1 << 40
		}
		list = append(list, c)
	}
	return list
}

// witness has the events that show the violation, in order.
func (h *history) witness() []tracefmt.Seq {
	list := slices.DeleteFunc(slices.Clone(h.shownBy), func(s tracefmt.Seq) bool { return s == 0 })
	slices.Sort(list)
	return slices.Compact(list)
}

// alone is the history with these events only.
func (d drawnHistory) alone(events []tracefmt.Seq) drawnHistory {
	part := drawnHistory{byProcess: d.byProcess, model: d.model, outcomes: slices.Clone(d.outcomes)}
	for _, s := range d.steps {
		o := &part.outcomes[s.op.place]
		switch end := s.ends; {
		case end && slices.Contains(events, o.at), !end && slices.Contains(events, s.op.called):
			part.steps = append(part.steps, s)
		case end:
			o.at = 0
		}
	}
	return part
}

// standsAlone checks that the witness of the history shows the violation by itself, and no longer without one of its
// operations and the operations that find its value.
func (d drawnHistory) standsAlone(t *testing.T, h *history) {
	t.Helper()
	shows := h.witness()
	part := d.alone(shows)
	if len(part.steps) == 0 || part.wrongEnd() == 0 {
		t.Fatalf("%s: the witness %d alone is no violation", d, shows)
	}
	if d.repeated {
		return
	}
	for _, without := range part.steps {
		less := part
		less.steps = slices.DeleteFunc(slices.Clone(part.steps), func(s historyStep) bool {
			finds := s.op.name == "read" && d.outcomes[s.op.place].result == without.op.value
			return s.op == without.op || without.op.name == "write" && finds
		})
		if !without.ends && less.wrongEnd() != 0 {
			t.Fatalf("%s: the witness %d needs no %s of %s, invoked at %d", d, shows, without.op.name, without.op.value, without.op.called)
		}
	}
}

type plainInput struct {
	*operation
	name, value string
	process     tracefmt.ProcessID
	ended       bool
}

// plainRegister is written without a look at the models of this package.
var plainRegister = porcupine.Model{
	Init: func() any { return "null" },
	Step: func(state, input, output any) (bool, any) {
		if value := input.(plainInput).value; value != "" {
			return true, value
		}
		return output == "" || output == state, state
	},
}

// judged runs the history as the monitor does.
func (d drawnHistory) judged(b *searchBudget) *history {
	return d.judgedBy(&history{object: d.byProcess, state: d.byProcess.initial}, b)
}

func (d drawnHistory) judgedBy(h *history, b *searchBudget) *history {
	fresh := map[*operation]*operation{}
	for _, s := range d.steps {
		if !s.ends {
			op := *s.op
			fresh[s.op] = &op
			h.invoke(&op, b)
			continue
		}
		op, o := fresh[s.op], d.outcomes[s.op.place]
		op.ended, op.failed, op.result = o.at, o.failed, o.result
		h.endOperation(op, b)
	}
	if len(h.order) > 0 {
		h.decide(b)
	}
	return h
}

// compare checks the zones, with different limits, against porcupine, and returns
// what became of the history.
func (d drawnHistory) compare(t *testing.T, r *rand.Rand) string {
	want := d.wrongEnd()
	b := newSearchBudget(1 << 30)
	b.overlapping = []int{0, 1, 2, 5, 1 << 15}[r.IntN(5)]
	b.remembered = []int{0, 1, 3, 1 << 15}[r.IntN(4)]
	h := d.judged(&b)
	got := h.wrong.endedAt()
	switch {
	case h.reason != "":
		if !d.repeated {
			t.Errorf("%s: distinct values are not decided: %s", d, h.reason)
		}
		return "undecided"
	case got != want || b.kept < 0 || b.values < 0:
		t.Errorf("%s: the end at %d is wrong, porcupine says %d (%d operations, %d values kept)", d, got, want, b.kept, b.values)
	}
	// Of what is forgotten, a witness has only a part.
	if h.wrong != nil && (h.conflict == nil || !h.conflict.forgotten) {
		d.standsAlone(t, h)
	}
	switch {
	case d.repeated && h.conflict != nil:
		return "repeated and conflicting"
	case d.repeated && h.judge != nil:
		return "repeated and decided in parts"
	case want == 0:
		return "legal"
	case h.conflict == nil:
		return "searched"
	case h.conflict.second == nil:
		return "not written"
	}
	for _, seq := range h.shownBy {
		if seq > got {
			t.Errorf("%s: the witness %d of %d is later", d, seq, got)
		}
	}
	return "two clusters"
}

func (d drawnHistory) String() string {
	var text []byte
	for _, s := range d.steps {
		o := d.outcomes[s.op.place]
		if s.ends {
			text = fmt.Appendf(text, "\n%d: %d ends failed=%v %s", o.at, s.op.process, o.failed, o.result)
		} else {
			text = fmt.Appendf(text, "\n%d: %d %s %s%s %s", s.op.called, s.op.process, s.op.name, s.op.value, s.op.old, s.op.new)
		}
	}
	return string(text)
}

// TestZonesAgreeWithPorcupine: on the verdict and on the end that is wrong, for
// stretches taken in at once and in parts, with much and little remembered.
func TestZonesAgreeWithPorcupine(t *testing.T) {
	seen := map[string]int{}
	histories := size.Pick(600, 3_000, 30_000)
	for seed := range uint64(histories) {
		r := rand.New(rand.NewPCG(13, seed))
		if seen[registerHistory(r, []int{0, 0, 10, 40}[seed%4]).compare(t, r)]++; t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	for _, subject := range []string{
		"legal", "searched", "not written", "two clusters", "repeated and conflicting",
		"repeated and decided in parts", "undecided",
	} {
		if seen[subject] < histories/300 {
			t.Errorf("too few histories are %s: %v", subject, seen)
		}
	}
	t.Log(seen)
}

// drawnRegister reads a picture of a history: a line for each process, in which an
// operation reaches from its invocation to its end. r and w read and write the value
// that follows; > is an end that never comes, and x that of an operation that fails.
func drawnRegister(picture string) (d drawnHistory) {
	d.byProcess, d.model = objects["register"], plainRegister
	type end struct {
		column int
		step   historyStep
	}
	var ends []end
	for p, line := range strings.Split(picture, "\n") {
		for _, at := range regexp.MustCompile(`[rw]\d+-*[>x]?`).FindAllStringIndex(line, -1) {
			text := line[at[0]:at[1]]
			value := strings.Trim(text, "rw->x")
			if value == "0" {
				value = "null" // what it holds at first
			}
			op := &operation{
				model: operationModels["read"], name: "read", process: tracefmt.ProcessID(p + 1),
				called: tracefmt.Seq(at[0] + 1), place: len(d.outcomes),
			}
			o := outcome{at: tracefmt.Seq(at[1]), failed: strings.HasSuffix(text, "x"), result: value}
			if text[0] == 'w' {
				op.model, op.name, op.value, o.result = operationModels["write"], "write", value, ""
			}
			d.outcomes = append(d.outcomes, o)
			ends = append(ends, end{at[0], historyStep{op, false}})
			if strings.HasSuffix(text, ">") {
				d.outcomes[op.place] = outcome{}
				continue
			}
			ends = append(ends, end{at[1] - 1, historyStep{op, true}})
		}
	}
	slices.SortStableFunc(ends, func(x, y end) int { return x.column - y.column })
	for _, e := range ends {
		d.steps = append(d.steps, e.step)
	}
	return d
}

// TestDrawnRegisters: the column of the end with which no order explains a history, 0
// for none, and the columns that show it: the first end and the last invocation of two
// values. Above is always a write that may take effect at any time, so that nothing
// begins anew.
func TestDrawnRegisters(t *testing.T) {
	for _, test := range []struct {
		about, picture string
		wrong          tracefmt.Seq
		witness        []tracefmt.Seq
	}{
		{"one reads the new value while the write is under way, another one then the old value", `
w9>
  w1---------------
    r1---
          r0---`, 15, []tracefmt.Seq{3, 5, 9, 11, 15}},
		{"or at the same time", `
w9>
  w1---------------
    r1-----
      r0---`, 0, nil},
		{"a read of a value that is overwritten", `
w9>
  w1-- w2-- r1--`, 16, []tracefmt.Seq{3, 6, 8, 11, 13, 16}},
		{"two forward zones that follow each other", `
w9>
  w1--     w2--
       r1-      r2-`, 0, nil},
		{"two forward zones that overlap: each value is read after the other was written", `
w9>
  w1--- r2---
   w2--- r1---`, 14, []tracefmt.Seq{3, 4, 7, 8, 9, 10, 13, 14}},
		{"a backward zone within a forward one: a write between a write and its read", `
w9>
  w1--      r1--
       w2-`, 16, []tracefmt.Seq{3, 6, 8, 10, 13, 16}},
		{"a write that may have been before", `
w9>
  w1--      r1--
    w2---`, 0, nil},
		{"two processes that read in different orders", `
w9>
  w1-------------------
   w2-------------------
     r1--  r2--
      r2--  r1--`, 16, []tracefmt.Seq{3, 4, 6, 7, 9, 10, 12, 13, 15, 16}},
		{"a read that ends before its write begins", `
w9>
  r1--
       w1--`, 6, []tracefmt.Seq{3, 6}},
		{"a write that never returns takes effect late", `
w9>
  w1>
     w2--  r2--  r1--`, 0, nil},
		{"but once only", `
w9>
  w1>
     w2--  r1--  r2--`, 21, []tracefmt.Seq{3, 6, 9, 12, 15, 18, 21}},
		{"a write that fails has no effect", `
w9>
  w1--------x
     r1--`, 9, []tracefmt.Seq{6, 9}},
		{"a write fails after its value was read, and after another read was wrong", `
w9>
  w1------------------x
     r1--   r2--  w3--`, 9, []tracefmt.Seq{6, 9}},
		{"and may be repeated", `
w9>
  w1--x  w1--
               r1--`, 0, nil},
		{"2 is over before 3 is read, and 1 was written before 2", `
w9>
  w1------                    r1--
   w2-      r2--
       w3-----------
                       w4-`, 34, []tracefmt.Seq{3, 4, 6, 10, 13, 16, 31, 34}},
		{"1 is written again when it can no longer be read", `
w9>
  w1---    r2--  w1--  r1--
   w2---`, 0, nil},
	} {
		t.Run(test.about, func(t *testing.T) {
			d := drawnRegister(strings.TrimPrefix(test.picture, "\n"))
			if wrong := d.wrongEnd(); wrong != test.wrong {
				t.Errorf("by porcupine the end at %d is wrong, expected %d", wrong, test.wrong)
			}
			b, little := newSearchBudget(1), searchBudget{operations: 1 << 20}
			h := d.judged(&b)
			if got := h.wrong.endedAt(); got != test.wrong || h.reason != "" {
				t.Errorf("the end at %d is wrong (%s), expected %d", got, h.reason, test.wrong)
			}
			if shows := h.witness(); h.conflict != nil && !slices.Equal(shows, test.witness) {
				t.Errorf("the witness is %d, expected %d", shows, test.witness)
			}
			if h := d.judged(&little); h.wrong.endedAt() != test.wrong || h.reason != "" {
				t.Errorf("in parts the end at %d is wrong (%s), expected %d", h.wrong.endedAt(), h.reason, test.wrong)
			}
		})
	}
}
