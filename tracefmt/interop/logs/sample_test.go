package logs

import (
	"strings"
	"testing"

	"etrace/tracefmt/interop"
)

// TestGuessLongLines: a guess looks at the beginning of a line and of a value only. A line of megabytes would cost seconds for
// each pattern.
func TestGuessLongLines(t *testing.T) {
	long := strings.Repeat("a", 100*maxSampledLine)
	lines := "10:00:01 n1 became leader\n10:00:02 n2 became follower\n" + long + "\n"
	input, err := interop.NewInput("x.log", strings.NewReader(lines+`{"node":"n1","msg":"`+long+`"}`+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSample(input)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range s.records {
		for key, value := range rec.fields {
			if len(value) > maxSampledLine {
				t.Errorf("line %d: %d bytes of %s are looked at, expected at most %d", rec.line, len(value), key, maxSampledLine)
			}
		}
	}
}
