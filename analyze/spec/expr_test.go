package spec_test

import (
	"fmt"
	"testing"

	"github.com/expr-lang/expr"
	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/tracefmt"
)

// drawNumber draws an expression that is a number, in the syntax that the
// language shares with expr.
func drawNumber(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		return rapid.SampledFrom([]string{"a", "b", "c", "0", "1", "7", "2.5", "-3", "-a"}).Draw(t, "number")
	}
	operator := rapid.SampledFrom([]string{"%s + %s", "%s - %s", "%s * %s", "(%s - %s)", "(%s + %s)"}).Draw(t, "operator")
	return fmt.Sprintf(operator, drawNumber(t, depth-1), drawNumber(t, depth-1))
}

// drawCondition draws a condition that is true or false.
func drawCondition(t *rapid.T, depth int) string {
	if depth > 0 {
		switch x, y := drawCondition(t, depth-1), drawCondition(t, depth-1); rapid.IntRange(0, 4).Draw(t, "joint") {
		case 0:
			return x + " and " + y
		case 1:
			return x + " or " + y
		case 2:
			return "not (" + x + ")"
		case 3:
			return "(" + x + " or " + y + ") and not (" + y + ")"
		}
	}
	operator := rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "comparison")
	return drawNumber(t, 2) + " " + operator + " " + drawNumber(t, 2)
}

// TestExpressions compares expressions with the evaluator of another hand.
func TestExpressions(t *testing.T) {
	held := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		condition := drawCondition(t, 2)
		values := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			values[name] = rapid.IntRange(-5, 9).Draw(t, name)
		}
		program, err := expr.Compile(condition, expr.Env(values), expr.AsBool())
		if err != nil {
			t.Fatal(err)
		}
		want, err := expr.Run(program, values)
		if err != nil {
			t.Fatal(err)
		}
		m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays})
		_ = m.Write(&tracefmt.Event{ // a Memory takes every event
			Seq: 1, Kind: tracefmt.Note, Type: "values",
			Payload: fmt.Appendf(nil, `{"a":%d,"b":%d,"c":%d}`, values["a"], values["b"], values["c"]),
		})
		m.Finish(tracefmt.Stopped)
		r := check(t, m, "never note where "+condition).Results[0]
		if got := r.Verdict == analyze.Violated; got != want || r.Examined != 1 {
			t.Fatalf("%s with %v: the rule is %s, but expr says %v", condition, values, r.Verdict, want)
		}
		held[want.(bool)]++
	})
	if (held[true] == 0 || held[false] == 0) && !t.Failed() {
		t.Errorf("only one outcome was drawn: %v", held)
	}
}

// TestAbsent: Kleene's logic of what an event does not have. The condition is
// asked for itself and negated.
func TestAbsent(t *testing.T) {
	for _, c := range []struct {
		condition    string
		holds, isNot analyze.Verdict
	}{
		{"absent == 1", analyze.NotApplicable, analyze.NotApplicable},
		{"absent != 1", analyze.NotApplicable, analyze.NotApplicable},
		{"absent + 1 > 1", analyze.NotApplicable, analyze.NotApplicable},
		{"absent == 1 and a == 2", analyze.HoldsSoFar, analyze.Violated},
		{"absent == 1 or a == 1", analyze.Violated, analyze.HoldsSoFar},
		{"absent in (1, 2)", analyze.NotApplicable, analyze.NotApplicable},
		{"a in (absent, 1)", analyze.Violated, analyze.HoldsSoFar},
		{"has absent", analyze.HoldsSoFar, analyze.Violated},
		{"has a", analyze.Violated, analyze.HoldsSoFar},
		{"nothing == null", analyze.Violated, analyze.HoldsSoFar},
		{"nothing == 0", analyze.HoldsSoFar, analyze.Violated},
		{"nothing < 1", analyze.Unknown, analyze.Unknown},
		{"word == \"x\"", analyze.Violated, analyze.HoldsSoFar},
		{"word > 1", analyze.Unknown, analyze.Unknown},
		{"word < \"y\"", analyze.Violated, analyze.HoldsSoFar},
		{"quoted == \"a\\\"b\"", analyze.Violated, analyze.HoldsSoFar},
		{"list == list and list != nested", analyze.Violated, analyze.HoldsSoFar},
		{"yes", analyze.Violated, analyze.HoldsSoFar},
		{"a", analyze.Unknown, analyze.Unknown},
		{"a / 0 == 1", analyze.Unknown, analyze.Unknown},
		{"7 % 4 == 3 and 1 / 2 == 0.5", analyze.Violated, analyze.HoldsSoFar},
		{"big + 1 > big", analyze.Unknown, analyze.Unknown}, // rules compute with 64 bits, and round nothing
		{"big * 2 == big * 2", analyze.Unknown, analyze.Unknown},
		{"odd * 1024 / 1023 > 0", analyze.Unknown, analyze.Unknown},
		{"(odd * 2 + 1) / 2 == odd", analyze.Unknown, analyze.Unknown}, // which floating point claims
		{"beyond > big and big < beyond and beyond > beyond2", analyze.Violated, analyze.HoldsSoFar},
		{
			"beyond != beyond2 and beyond == 18446744073709551617 and beyond in (18446744073709551616, 18446744073709551617)",
			analyze.Violated, analyze.HoldsSoFar,
		},
		{"beyond == beyond3 and beyond3 > beyond2 and beyond4 == beyond2", analyze.Violated, analyze.HoldsSoFar},
		{"beyond - 1 == beyond2", analyze.Unknown, analyze.Unknown},
		{"odd > half and half > odd - 1 and half < odd", analyze.Violated, analyze.HoldsSoFar},
		{"nine == 9 and nine > 8 and nine < ten2 and nine + 1 == ten2", analyze.Violated, analyze.HoldsSoFar},
		{"nine == \"9\" and nine < \"10\" and \"9\" in (nine, 1)", analyze.Violated, analyze.HoldsSoFar},
		{"matches(nine, \"^9$\")", analyze.Violated, analyze.HoldsSoFar},
		{"padded == 9 or padded == nine", analyze.HoldsSoFar, analyze.Violated},
		{"padded > 8", analyze.Unknown, analyze.Unknown},
		{"nine < word", analyze.Unknown, analyze.Unknown},
		{"a == 001 and 1.5 > 01.25", analyze.Violated, analyze.HoldsSoFar},
		{"big / 1 == big and big / 7 == 1317624576693539401", analyze.Violated, analyze.HoldsSoFar},
		{"big - 9223372036854775806 == 1", analyze.Violated, analyze.HoldsSoFar},
		{"odd != odd - 1 and odd > odd - 1", analyze.Violated, analyze.HoldsSoFar}, // 2^53 + 1
		{"odd - 1 == power", analyze.Violated, analyze.HoldsSoFar},                 // 2^53, written with a fraction
		{"ten == 1000000000000000000 and ten in (1000000000000000000)", analyze.Violated, analyze.HoldsSoFar},
		{"0 - 9223372036854775807 - 1 == lowest", analyze.Violated, analyze.HoldsSoFar},
		{"lowest / (0 - 1) > 0", analyze.Unknown, analyze.Unknown},
		{"lowest % (0 - 1) == 0", analyze.Violated, analyze.HoldsSoFar},
		{"huge * huge * 0 == 0", analyze.Unknown, analyze.Unknown},
		{"huge > big and big < huge", analyze.Violated, analyze.HoldsSoFar},
		{"e.\"a\" == 1", analyze.Violated, analyze.HoldsSoFar},
		{"time == 1500ms and time == 1.5s", analyze.Violated, analyze.HoldsSoFar},
	} {
		m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays})
		_ = m.Write(&tracefmt.Event{
			Seq: 1, Time: 1_500_000_000, Kind: tracefmt.Note,
			Payload: []byte(`{"a":1,"nothing":null,"word":"x","quoted":"a\"b","list":[1],"nested":{"x":1},"yes":true,` +
				`"big":9223372036854775807,"odd":9007199254740993,"power":9007199254740992.0,"ten":1e18,` +
				`"lowest":-9223372036854775808,"huge":1e300,` +
				`"beyond":18446744073709551617,"beyond2":18446744073709551616,"beyond3":"18446744073709551617","beyond4":1844674407370955161.6e1,` +
				`"half":9007199254740992.5,"nine":"9","ten2":"10","padded":"009"}`),
		})
		m.Finish(tracefmt.Stopped)
		for rule, want := range map[string]analyze.Verdict{
			"never note where " + c.condition:            c.holds,
			"never note where not (" + c.condition + ")": c.isNot,
		} {
			if r := check(t, m, rule).Results[0]; r.Verdict != want {
				t.Errorf("%s is %s (%s), expected %s", rule, r.Verdict, r.Explanation, want)
			}
		}
	}
}
