package report

import (
	"strings"
	"testing"

	"etrace/analyze"
)

// TestShortAdvice: the last line has a declaration that can be typed, and no longer one.
func TestShortAdvice(t *testing.T) {
	for declaration, want := range map[string]bool{
		"crash,halt": true,
		"n1:state.term=all,n2:state.term=all,n3:state.term=all,n4:state.term=all,n5:state.term=all": false,
	} {
		got := adviceText(&analyze.Advice{Log: "crash of n1", Decides: 1, Open: 1, State: declaration})
		if strings.Contains(got, "--complete "+declaration) != want || !strings.HasPrefix(got, "; log next crash of n1") {
			t.Errorf("%s: %q", declaration, got)
		}
	}
}
