package story_test

import (
	"slices"
	"testing"

	"etrace/render/story"
	"etrace/render/view"
	"etrace/tracefmt"
)

// TestOpenOperations: an operation that never returns stays open on later pages, also if its client invokes another one.
func TestOpenOperations(t *testing.T) {
	call := func(kind tracefmt.Kind, value string) tracefmt.Event {
		return tracefmt.Event{Kind: kind, Process: 1, Type: "write", Payload: []byte(`{"value":` + value + `}`)}
	}
	rec := recording(call(tracefmt.Invoke, "1"), call(tracefmt.Invoke, "2"), call(tracefmt.Return, "true"), call(tracefmt.Invoke, "3"))
	for from, want := range map[tracefmt.Seq][]string{
		1: {"write 1", "write 2", "write 3"},
		2: {"write 1", "write 2", "write 3"},
		4: {"write 1", "write 3"},
	} {
		var got []string
		for _, op := range read(t, rec, story.Options{View: view.View{From: from}, Operations: true}).Operations() {
			got = append(got, op.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("from %d: %q, want %q", from, got, want)
		}
	}
}
