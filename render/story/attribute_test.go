package story

import (
	"testing"

	"etrace/tracefmt"
)

// TestAttribute: a message has the attribute of the one process that it is about, the heads have those of all.
func TestAttribute(t *testing.T) {
	run := &tracefmt.Run{Best: []string{"least:load"}, Members: []tracefmt.Member{
		{Name: "1", Position: 1, Attributes: []byte(`{"load":3}`)}, {Name: "2", Position: 2, Attributes: []byte(`{"load":9,"role":"client"}`)},
	}}
	s := newStory(run, Options{})
	for _, c := range []struct{ payload, text, bare string }{
		{`{"id":2,"load":{"2":9}}`, "(2, load=9)", "(2)"},
		{`{"load":{"2":9}}`, "(load=9)", ""},
		{`{"list":[1,2],"load":{"1":3,"2":9}}`, "(1,2)", "(1,2)"},
		{`{"id":2,"load":9}`, "(id 2, load 9)", "(2, 9)"},
		{`{"id":2}`, "(2)", "(2)"},
	} {
		e := &tracefmt.Event{Kind: tracefmt.Send, Type: "election", Process: 1, Peer: 2, Payload: []byte(c.payload)}
		if got := s.payloadText(e); got != c.text {
			t.Errorf("%s is written %q, want %q", c.payload, got, c.text)
		}
		if got := s.shorten(e).bare; got != c.bare {
			t.Errorf("%s is shortened to %q, want %q", c.payload, got, c.bare)
		}
	}
	for p, want := range map[tracefmt.ProcessID]string{1: "1 (load=3)", 2: "2 (client, load=9)"} {
		if got := s.RoleName(p); got != want {
			t.Errorf("the head of process %d is %q, want %q", p, got, want)
		}
	}
}
