package tracefmt

import (
	"strings"
	"testing"
)

// TestReadMemory: the runs of a text, numbered, up to the first mistake.
func TestReadMemory(t *testing.T) {
	const run = `{"format":"etrace/1","time_unit":"delay","members":[{"name":"a","position":1}]}
{"seq":1,"time":0,"process":"a","kind":"start"}
{"end":"quiescent","events":1}
`
	for text, want := range map[string]struct {
		runs int
		err  string
	}{
		"":                      {0, ""},
		run + run:               {2, ""},
		run + "{}\n":            {1, "line 4: "},
		run + run[:90] + "no\n": {1, "line "},
	} {
		runs, err := ReadMemory(strings.NewReader(text))
		if len(runs) != want.runs || (err == nil) != (want.err == "") || err != nil && !strings.HasPrefix(err.Error(), want.err) {
			t.Errorf("%q: got %d runs, %v, expected %+v", text, len(runs), err, want)
		}
		for i, m := range runs {
			if r := m.Run(); r.Number != i+1 || m.Len() != 1 || r.Events != 1 || r.End != Quiescent {
				t.Errorf("%q: got run %+v of %d events", text, r, m.Len())
			}
		}
	}
}
