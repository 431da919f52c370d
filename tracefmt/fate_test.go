package tracefmt_test

import (
	"testing"

	"etrace/tracefmt"
)

func TestFate(t *testing.T) {
	for _, c := range []struct {
		kind    tracefmt.Kind
		payload string
		want    tracefmt.Fate
	}{
		{tracefmt.Send, `{"reason":"receiver crashed"}`, tracefmt.InFlight},
		{tracefmt.Receive, ``, tracefmt.Delivered},
		{tracefmt.Lose, ``, tracefmt.Lost},
		{tracefmt.Lose, `{"reason":"dropped"}`, tracefmt.Lost},
		{tracefmt.Lose, `{"reason":"receiver crashed"}`, tracefmt.ReceiverCrashed},
		{tracefmt.Lose, `{"reason":"receiver\u0020crashed"}`, tracefmt.ReceiverCrashed},
		{tracefmt.Lose, `{"reason":["receiver crashed"]}`, tracefmt.Lost},
		{tracefmt.Lose, `{"reason":"receiver crashed"`, tracefmt.Lost},
		{tracefmt.Lose, `{"reason":null}`, tracefmt.Lost},
		{tracefmt.Lose, `{"a":{"reason":"receiver crashed"}}`, tracefmt.Lost},
		{tracefmt.State, `{}`, tracefmt.NoFate},
		{tracefmt.Timeout, `{}`, tracefmt.NoFate},
	} {
		e := tracefmt.Event{Kind: c.kind, Payload: []byte(c.payload)}
		if got := e.Fate(); got != c.want {
			t.Errorf("%v %s: %q, want %q", c.kind, c.payload, got, c.want)
		}
	}
}
