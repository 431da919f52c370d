package complexity

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestJudgeIsSure: the answer for a partial run holds for every completion, with any number of additional
// messages.
func TestJudgeIsSure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		left := rapid.SampledFrom(
			[]string{
				"messages", "2*messages-n", "messages**2", "max(messages, 7)", "messages/3",
				"log2(messages+1)", "n-messages", "ceil(messages/2)",
			},
		).Draw(t, "left")
		text := fmt.Sprintf(
			"%s %s %d", left,
			rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "operator"),
			rapid.IntRange(-5, 30).Draw(t, "right"),
		)
		if rapid.Bool().Draw(t, "negated") {
			text = "not (" + text + ")"
		}
		b, err := ParseBudget(text)
		if err != nil {
			t.Fatal(err)
		}
		recorded := rapid.Int64Range(0, 8).Draw(t, "recorded")
		judged, err := b.Judge(&Stats{Processes: 4, Messages: Messages{Sent: recorded}, bounds: bounds{"messages": atLeast}})
		if err != nil {
			t.Fatal(err)
		}
		answers := map[Answer]bool{}
		for more := range int64(60) {
			kept, err := b.Judge(&Stats{Processes: 4, Messages: Messages{Sent: recorded + more}})
			if err != nil {
				t.Fatal(err)
			}
			answers[kept] = true
		}
		want := Open
		if len(answers) == 1 {
			want = slices.Collect(maps.Keys(answers))[0]
		}
		if judged != want && judged != Open {
			t.Fatalf("%s with at least %d messages: got %d, want %d", text, recorded, judged, want)
		}
	})
}

// TestJudge: a budget is open only if some runs keep it, and others do not.
func TestJudge(t *testing.T) {
	s := &Stats{
		Processes: 4, Messages: Messages{Sent: 6, InFlight: 2, ByType: map[string]int64{"OK": 3}},
		bounds: bounds{"messages": atLeast, "type": atLeast, "in_flight": atMost},
	}
	for text, want := range map[string]Answer{
		"messages <= 5":               Broken,
		"messages <= 6":               Open,
		"messages >= 6":               Kept,
		"messages >= 7":               Open,
		"not (messages < 6)":          Kept,
		"n == 4":                      Kept,
		"n == 5":                      Broken,
		"in_flight <= 2":              Kept,
		"in_flight <= 1":              Open,
		"in_flight > 2":               Broken,
		"type[\"OK\"] <= n":           Open,
		"type[\"OK\"] <= 2":           Broken,
		"messages <= 100 or n == 4":   Kept,
		"messages <= 100 and n == 5":  Broken,
		"messages <= 100 and n == 4":  Open,
		"messages <= 3*n-1":           Open,
		"messages + in_flight <= 5":   Broken,
		"log2(messages) >= 2":         Kept,
		"(n > 3 ? messages : 0) <= 5": Broken,
		"(messages > 9 ? 1 : 7) <= 5": Open,
		"(messages > 9 ? 6 : 7) <= 5": Broken,
	} {
		b, err := ParseBudget(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := b.Judge(s); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
	}
}
