package diagram

import (
	"context"
	"strings"
	"testing"

	"etrace/render/story"
	"etrace/tracefmt"
)

// A process that need not keep to its algorithm is marked, in every diagram and
// in the description; the others are not.
func TestByzantineIsMarked(t *testing.T) {
	rec := notes(tracefmt.Delays, tracefmt.Event{Process: 1, Type: "x"})
	rec.Run().Members[1].Attributes = []byte(`{"role":"byzantine"}`)
	for _, d := range Builtin().All() {
		var marked []string
		for _, n := range nodes(build(t, d, rec, story.Options{})) {
			if strings.Contains(n.Text, "Byzantine") {
				marked = append(marked, n.Text)
			}
		}
		if got := strings.Join(marked, ", "); got != map[string]string{
			"sequence": "b (Byzantine)", "ring": "Byzantine",
			"graph": "Byzantine",
		}[d.Name] {
			t.Errorf("%s: marked %q", d.Name, got)
		}
	}
	s, err := story.Read(context.Background(), rec, story.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := s.Describe("ring"); !strings.Contains(text, "Byzantine: b. ") {
		t.Errorf("described as %q", text)
	}
}
