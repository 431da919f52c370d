package complexity_test

import (
	"strings"
	"testing"

	"etrace/analyze/complexity"
)

func stats() *complexity.Stats {
	last := 3.5
	return &complexity.Stats{
		Processes: 8, Events: 57, CausalDepth: 3, LastDelivery: &last,
		Messages: complexity.Messages{Sent: 15, Delivered: 12, ToCrashed: 3, ByType: map[string]int64{"OK": 3, "ELECTION": 6}},
	}
}

func TestBudget(t *testing.T) {
	for text, want := range map[string]bool{
		`messages <= 3*n-1`:                               true,
		`messages < 15`:                                   false,
		`messages <= n**2 and depth <= 3`:                 true,
		`messages <= n*log2(n)`:                           true,
		`messages <= 5*log2(n) - 1`:                       false,
		`log2(time) < 2 && log2(messages) < 4`:            true,
		`type["OK"] == 3 && type["NONE"] == 0`:            true,
		`time <= 3.5 || lost > 0`:                         true,
		`delivered + lost + to_crashed + in_flight == 15`: true,
		`not (events > 57)`:                               true,
		`max(n, depth) == 8 and ceil(time) == 4`:          true,
	} {
		b, err := complexity.ParseBudget(text)
		if err != nil {
			t.Error(err)
			continue
		}
		answer := complexity.Broken
		if want {
			answer = complexity.Kept
		}
		if got, err := b.Judge(stats()); err != nil || got != answer || b.String() != text {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, answer)
		}
	}
	b, err := complexity.ParseBudget(`time == 0`)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := b.Judge(&complexity.Stats{}); err != nil || kept != complexity.Kept {
		t.Errorf("without a delivery: %v, %v, expected the time 0", kept, err)
	}
}

func TestBudgetErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:         `budget "": column 1: unexpected end`,
		`messages`: `budget "messages": expected a condition, such as messages <= 3*n-1, and it is a number or a text`,
		`mesages < 3`: `budget "mesages < 3": column 1: unknown name "mesages", did you mean "messages"? (known: ` +
			`H, bits, bytes, ceil, delivered, depth, events, floor, in_flight, log2, lost, max, messages, min, n, time, ` +
			`to_crashed, type)`,
		`messages <`:         `budget "messages <": column 11: unexpected end`,
		`messages < "3"`:     `budget "messages < \"3\"": < does not go between a number and a text`,
		`messages / "3" < 1`: `budget "messages / \"3\" < 1": / does not go between a number and a text`,
		`let x = n; x > 1`:   `budget "let x = n; x > 1": column`,
		`sum(type) > 1`:      `budget "sum(type) > 1": column 1: unknown name "sum"`,
		`messages <= 3)`:     `budget "messages <= 3)": column 14: unexpected )`,
		`depth.x < 1`:        `budget "depth.x < 1": a number has no x`,
		`max < 1`:            `budget "max < 1": < does not go between a value and a number`,
		`1/0 > 1`:            `budget "1/0 > 1": division by zero`,
		`messages / 0 > 1`:   `budget "messages / 0 > 1": division by zero`,
	} {
		_, err := complexity.ParseBudget(text)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got  %v\nwant %s…", err, want)
		}
	}
	long := strings.Repeat("(", 1<<20)
	if _, err := complexity.ParseBudget(long); err == nil || len(err.Error()) > 300 {
		t.Errorf("a long budget: %v", err)
	}
}

// A budget without a value is undecided.
func TestBudgetWithoutValue(t *testing.T) {
	for text, want := range map[string]string{
		`messages / lost <= 1`:                            "division by zero",
		`(n > 3 ? n : 9) / (n > 3 ? lost : messages) < 1`: "division by zero",
		`n % lost == 0`:                                   "a remainder of a division by zero",
		`messages <= n*log2(lost)`:                        "log2 of 0, expected a number above 0",
		`messages <= n*log2(lost-1) or depth<1`:           "log2 of -1, expected a number above 0",
	} {
		b, err := complexity.ParseBudget(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		kept, err := b.Judge(stats())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v, want %s", text, kept, err, want)
		}
	}
}

// FuzzBudget: no text panics or runs forever.
func FuzzBudget(f *testing.F) {
	for _, s := range []string{
		`messages <= 3*n-1`, `type["OK"] == 3`, `log2(n) > 1`, `n in 1..1000000`, `all(1..9, any(1..9, # > 0))`, `let x = n; x > 1`,
		`n % 0 == 1`, `n ?? 1 > 0`, `1 .. 99999999 == 1..2`, `"a" matches "("`, `type.x.y == 1`,
		`{"a":1}.a > 0`, `[1][5] > 0`, `2**9999 > 1`, `!!!!true`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := complexity.ParseBudget(text)
		if err == nil {
			_, err = b.Judge(stats())
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q has more than one line", err)
		}
	})
}
