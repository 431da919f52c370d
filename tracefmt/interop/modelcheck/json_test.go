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
