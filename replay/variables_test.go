package replay_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/replay"
	"etrace/tracefmt"
)

// TestVariablesAreAMap: a process has the variables that it was given last, and so has a copy of the state.
// Names are items of lists or nearly so, and values have any length.
func TestVariablesAreAMap(t *testing.T) {
	names := []string{
		"x", "log", "log[]", "log[0]", "log[1]", "log[7]", "log[8]", "log[15]", "log[01]", "log[-1]", "log[+1]", "log[1 ]", "log[1][2]",
		"[1]", "log]", "[", "]", "inbox[3]", "log[999999999999999999]", "log[9223372036854775807]", "log[9223372036854775808]",
	}
	rapid.Check(t, func(t *rapid.T) {
		s, want := replay.NewState(newRun(1)), map[string]string{}
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			value := rapid.SampledFrom([]string{
				"null", "1", `{"term":1}`, `"` + strings.Repeat("x", 254) + `"`,
				`"` + strings.Repeat("x", 255) + `"`,
			}).Draw(t, "value")
			e := state(1, fmt.Sprintf(`{%q:%s}`, name, value))
			if want[name] = value; value == "null" {
				delete(want, name)
			}
			if rapid.IntRange(0, 30).Draw(t, "recovers") == 0 {
				e.Kind, want = tracefmt.Recover, map[string]string{name: value}
				maps.DeleteFunc(want, func(_, value string) bool { return value == "null" })
			}
			e.Seq = tracefmt.Seq(i + 1)
			s.Apply(&e)
			for _, s := range []*replay.State{s, s.Clone()} {
				if got := s.Variables(1); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
					t.Fatalf("variables %q, want %q", got, slices.Sorted(maps.Keys(want)))
				}
				for _, name := range names {
					if got, ok := s.Variable(1, name); string(got) != want[name] || ok != (want[name] != "") {
						t.Fatalf("%s is %.20s, %v, want %.20q", name, got, ok, want[name])
					}
				}
			}
		}
	})
}
