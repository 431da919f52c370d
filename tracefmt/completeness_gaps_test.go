package tracefmt_test

import (
	"strings"
	"testing"

	"etrace/tracefmt"
)

// TestGapsAddUp: a further declaration adds its gaps to those of the earlier ones.
func TestGapsAddUp(t *testing.T) {
	parse := func(s string) *tracefmt.Completeness {
		tells, err := tracefmt.ParseCompleteness(s)
		if err != nil {
			t.Fatal(err)
		}
		return tells
	}
	under := parse("gap=a@2-2,timers=all")
	for over, want := range map[string]int{
		"gap=b@1-1": 2, "gap=a@2-2": 1, "all,gap=b@1-1": 1, "some,gap=b@1-1": 2, "timers=none": 1, `{"gaps":[]}`: 0,
	} {
		if got := len(parse(over).Over(under).Gaps); got != want {
			t.Errorf("%s: %d gaps, want %d", over, got, want)
		}
	}
	if len(under.Gaps) != 1 {
		t.Errorf("the declaration below has changed: %v", under.Gaps)
	}
}

// TestItemsAreNotDeclared: a list is recorded as a whole.
func TestItemsAreNotDeclared(t *testing.T) {
	for _, s := range []string{"state.log[2]=none", "a:state.log[2]=some", `{"kinds":{"state.log[2]":"none"}}`} {
		if _, err := tracefmt.ParseCompleteness(s); err == nil || !strings.Contains(err.Error(), `expected "state.log"`) {
			t.Errorf("%s: error %v", s, err)
		}
	}
}
