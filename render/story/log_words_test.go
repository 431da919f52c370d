package story

import (
	"fmt"
	"testing"

	"etrace/tracefmt"
)

// TestLogWords: the lines of a log that begin alike keep what differs.
func TestLogWords(t *testing.T) {
	lines := []string{
		"69.63.191.255 5/27/2013 10:52:24 AM INFO Received sync request src=7",
		"69.63.191.255 5/27/2013 10:52:40 AM INFO Sending confirmation dest=7",
		"69.63.191.255 5/27/2013 10:52:55 AM INFO Initiating sync",
	}
	wants := []string{"…Received sync request src=7", "…Sending confirmation dest=7", "…Initiating sync"}
	m := tracefmt.NewMemory(tracefmt.Run{Number: 1, TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a", Position: 1}}})
	for i, line := range lines {
		m.Write(&tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(i), Kind: tracefmt.Note, Process: 1,
			Payload: fmt.Appendf(nil, `{"log":{"text":%q}}`, line),
		})
	}
	m.Finish(tracefmt.Stopped)
	s, err := Read(t.Context(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range wants {
		if got := s.Words(i); got != want {
			t.Errorf("%q is %q, want %q", lines[i], got, want)
		}
	}
}

// TestStamps: a time that differs goes, too; a text that fits stays whole, and one
// of stamps only keeps its last word.
func TestStamps(t *testing.T) {
	for text, want := range map[string]string{
		"10:52:24 short": "10:52:24 short",
		"10:52:24.000001 something longer than 28": "…something longer than 28",
		"10.0.0.1 10.0.0.2 10.0.0.3 10.0.0.4":      "…10.0.0.4",
		"a line without stamps that is too long":   "a line without stamps that is too long",
	} {
		if got := (&commonWords{}).trim(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestWordsBesideType: a note of a type does not repeat its line, and the content of a message
// is apart from its type.
func TestWordsBesideType(t *testing.T) {
	for _, test := range []struct {
		kind          tracefmt.Kind
		payload, want string
		ok            bool
	}{
		{tracefmt.Note, `{"log":{"text":"10:52:24 [main] about to vote"}}`, "", false},
		{tracefmt.Note, `{"log":{"text":"VOTE in 3"}}`, " in 3", true},
		{tracefmt.Send, `{"content":"VOTE(3)"}`, "(3)", true},
		{tracefmt.Send, `{"content":"term 3"}`, " term 3", true},
		{tracefmt.Send, `{"content":"(term 3)"}`, "(term 3)", true},
		{tracefmt.Send, `{"content":""}`, "", true},
	} {
		got, ok := logWords(&tracefmt.Event{Kind: test.kind, Type: "VOTE", Payload: []byte(test.payload)})
		if got != test.want || ok != test.ok {
			t.Errorf("%s: %q, %v, want %q, %v", test.payload, got, ok, test.want, test.ok)
		}
	}
}
