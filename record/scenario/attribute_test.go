package scenario

import (
	"slices"
	"testing"
)

// Process numbers follow the best attribute, then the id: the worst process comes first.
func TestRanked(t *testing.T) {
	for text, want := range map[string][]int64{
		"ids: 4,2,3,1": {1, 2, 3, 4},
		"{ids: '4,2,3,1', attribute: 'load=30,-20,1.5,20'}":                         {1, 2, 3, 4},
		"{ids: '4,2,3,1', attribute: 'load=30,-20,1.5,20', best: greatest:load}":    {2, 3, 1, 4},
		"{ids: '4,2,3,1', attribute: 'load=30,-20,1.5,20', best: least:load}":       {4, 1, 3, 2},
		"{ids: '4,2,3,1', attribute: 'load=1:20,4:30,2:-20,3:1', best: least:load}": {4, 1, 3, 2},
		"{ids: 1-4, attribute: 'load=7,5,7,5', best: greatest:load}":                {2, 4, 1, 3},
		"{ids: 1-4, attribute: 'load=7,5,7,5', best: least:load}":                   {1, 3, 2, 4},
	} {
		if got := mustParse(t, text).Ranked(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// A hunt leaves processes out, the last one, too: their values go with them, and what is left is refused in words.
func TestAttributesOfNoProcesses(t *testing.T) {
	s := mustParse(t, "{algorithm: bully, ids: 1-2, attribute: 'load=1:3,2:9', best: greatest:load}")
	s.IDs = []int64{}
	for i := range s.Attributes {
		s.Attributes[i].Leave(func(int64) bool { return true })
	}
	if _, _, err := s.Simulation(); err != nil {
		t.Log(err)
	}
	s.IDs = []int64{2}
	if _, _, err := s.Simulation(); err == nil {
		t.Error("a process without a value is not refused")
	}
}
