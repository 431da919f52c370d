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
		if got, err := b.Kept(stats()); err != nil || got != want || b.String() != text {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	b, err := complexity.ParseBudget(`time == 0`)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := b.Kept(&complexity.Stats{}); err != nil || !kept {
		t.Errorf("without a delivery: %v, %v, expected the time 0", kept, err)
	}
}

func TestBudgetErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:                          `budget "": ends where more is expected`,
		`messages`:                  `budget "messages": the value is a number, expected a comparison, which is true or false`,
		`mesages < 3`:               `budget "mesages < 3": unknown name "mesages", did you mean "messages"? (known: n, messages, delivered, lost, to_crashed, in_flight, depth, events, time, type, bytes, bits, H, log2, min, max, ceil, floor)`,
		`messages <`:                `budget "messages <": ends where more is expected`,
		`messages < "3"`:            `budget "messages < \"3\"": < does not go between a number and a text`,
		`messages / "3" < 1`:        `budget "messages / \"3\" < 1": / does not go between a number and a text`,
		`n / (n > 3 ? 0 : 0.5) < 1`: `budget "n / (n > 3 ? 0 : 0.5) < 1": a division of what may be no number`,
		`log2("x") > 1`:             `budget "log2(\"x\") > 1": log2 takes a number`,
		`log2(1, 2) > 1`:            `budget "log2(1, 2) > 1": log2 takes another number of arguments`,
		`all(1..9, true)`:           `budget "all(1..9, true)": a budget has no operator ..`,
		`all(type, # > 0)`:          `budget "all(type, # > 0)": at column 11 stands what no budget has`,
		`n in [8]`:                  `budget "n in [8]": at column 6 stands what no budget has`,
		`let x = n; x > 1`:          `budget "let x = n; x > 1": at column 5 stands what no budget has`,
		`"a" matches "b"`:           `budget "\"a\" matches \"b\"": a budget has no operator matches`,
		`sum(type) > 1`:             `budget "sum(type) > 1": unknown name "sum"`,
		`len(type) > 1`:             `budget "len(type) > 1": unknown name "len"`,
		`messages = 3`:              `budget "messages = 3": unexpected "="`,
		`messages <= 3)`:            `budget "messages <= 3)": unexpected ")"`,
		`messages @ 3`:              `budget "messages @ 3": unexpected "@"`,
		`messages < 0x`:             `budget "messages < 0x": no number, or one that is too large`,
		`messages < 1e999`:          `budget "messages < 1e999": no number, or one that is too large`,
		`messages < "int64`:         `budget "messages < \"int64": a text without its closing quote`,
		`-type < 3`:                 `budget "-type < 3": - does not go before a table of numbers`,
		`messages ? true : false`:   `budget "messages ? true : false": the condition is a number, expected a comparison`,
		`n(3) < 1`:                  `budget "n(3) < 1": a number is no function`,
		`depth.x < 1`:               `budget "depth.x < 1": a number has no x`,
		`n.interval < 1`:            `budget "n.interval < 1": a number has no interval`,
		`n.nilly.boolean < 1`:       `budget "n.nilly.boolean < 1": a number has no nilly`,
		`type["x"].string < 1`:      `budget "type[\"x\"].string < 1": a number has no string`,
		`n.int < 1`:                 `budget "n.int < 1": a number has no int`,
		`max("int") < 1`:            `budget "max(\"int\") < 1": max takes a number, not a text`,
		`max < 1`:                   `budget "max < 1": < does not go between a function and a number`,
		`repeat("x", 1000000) != n`: `budget "repeat(\"x\", 1000000) != n": unknown name "repeat"`,
	} {
		_, err := complexity.ParseBudget(text)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got  %v\nwant %s…", err, want)
		}
	}
	long := strings.Repeat("(", 1<<20)
	if _, err := complexity.ParseBudget(long); err == nil || len(err.Error()) > 200 {
		t.Errorf("a long budget: %v", err)
	}
}

// What has no value decides nothing.
func TestBudgetWithoutValue(t *testing.T) {
	for text, want := range map[string]string{
		`1/0 > 1`:                  "division by zero",
		`messages / 0 > 1`:         "division by zero",
		`messages / lost <= 1`:     "division by zero",
		`messages <= 3 or 0/0 > 1`: "division by zero",
		`(n > 3 ? n : 9) / (n > 3 ? lost : messages) < 1`: "division by zero",
		`n % lost == 0`:                         "a remainder of a division by zero",
		`messages <= n*log2(lost)`:              "log2 of 0, expected a number above 0",
		`messages <= n*log2(lost-1) or depth<1`: "log2 of -1, expected a number above 0",
	} {
		b, err := complexity.ParseBudget(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		kept, err := b.Kept(stats())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: kept %v, %v, want %s", text, kept, err, want)
		}
	}
}

// FuzzBudget: no text panics or runs forever.
func FuzzBudget(f *testing.F) {
	for _, s := range []string{
		`messages <= 3*n-1`, `type["OK"] == 3`, `log2(n) > 1`, `n in 1..1000000`, `all(1..9, any(1..9, # > 0))`, `let x = n; x > 1`,
		`n % 0 == 1`, `n ?? 1 > 0`, `1 .. 99999999 == 1..2`, `"a" matches "("`, `type.x.y == 1`, `{"a":1}.a > 0`, `[1][5] > 0`, `2**9999 > 1`, `!!!!true`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := complexity.ParseBudget(text)
		if err == nil {
			_, err = b.Kept(stats())
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q has more than one line", err)
		}
	})
}
