package modelcheck

import (
	"encoding/json"
	"strings"
	"testing"
)

// A document of too many values is refused before all of it is in memory.
func TestValuesAreCounted(t *testing.T) {
	const text = "[[1,2],3]"
	for left, want := range map[int]bool{4: false, 5: true} {
		s := jsonScanner{text: text, dec: json.NewDecoder(strings.NewReader(text)), left: left}
		if _, err := s.next(0); (err == nil) != want {
			t.Errorf("%d values: %v", left, err)
		}
	}
}

// TestTitle: a state is called by its number, and by the action that leads to it.
func TestTitle(t *testing.T) {
	for want, s := range map[string]*state{"state 1": {number: 1}, "state 2: Next": {number: 2, action: "Next"}} {
		if got := s.title(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
