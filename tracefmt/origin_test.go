package tracefmt

import "testing"

func TestOrigin(t *testing.T) {
	for payload, want := range map[string]string{
		``:                               "",
		`{"a":1}`:                        "",
		`{"log":{"text":"x","line":12}}`: "line 12",
		`{"n":1,"log":{"text":"x","file":"n1.log","line":3}}`:      "n1.log:3",
		`{"log":{"text":"\"line\":9","file":"a\"b.log","line":3}}`: `a"b.log:3`,
		`{"log":[{"term":1,"line":4}]}`:                            "", // a variable of Raft
		`{"log":{"text":"x","line":0}}`:                            "",
		`{"log":{"text":"x","file":7,"line":3}}`:                   "",
		`{"line":5}`:                                               "",
	} {
		e := Event{Payload: []byte(payload)}
		if got := e.Origin().String(); got != want {
			t.Errorf("%s: origin %q, want %q", payload, got, want)
		}
	}
}
