package story

import (
	"context"
	"testing"
)

// The picture of events 1 to 5 of ringRun has three sends, that of events 6 to
// 10 two; the whole run has six, and three receives.
func TestWindowIsCounted(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "6 messages: 6 M  ·  3 in flight at the end"},
		{Options{To: 5}, "in this part 3 messages: 3 M"},
		{Options{From: 6, To: 10}, "in this part 2 messages: 2 M"},
		{Options{From: 10, To: 10}, "in this part 0 messages"},
	} {
		s, err := Read(context.Background(), ringRun(), c.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Summary(); got != c.want {
			t.Errorf("events %d to %d: %q, want %q", c.o.From, c.o.To, got, c.want)
		}
	}
}
