package mapping

import (
	"strings"
	"testing"

	"github.com/go-logfmt/logfmt"
	"pgregory.net/rapid"
)

// TestPlainLogfmt: the quick way to cut a line of key=value pairs finds what the library finds, or leaves the line to it.
func TestPlainLogfmt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := []string{"a", "b1", "=", " ", "  ", `"`, `"x y"`, `"\n"`, "é", "\t", "c=", `d="`, "1", "/", "\x00"}
		parts := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "parts")
		line := strings.Join(parts, "")
		m := &Map{slots: newSlots()}
		want, pairs := map[string]string{}, 0
		d := logfmt.NewDecoder(strings.NewReader(line))
		for d.ScanRecord() {
			for d.ScanKeyval() {
				if d.Value() != nil {
					pairs++
				}
				want[string(d.Key())] = string(d.Value())
			}
		}
		for key := range want {
			m.slots.slotOf(key)
		}
		rec := m.newRecord()
		got, plain := m.cutPlainLogfmt(line, rec)
		if !plain {
			return
		}
		if d.Err() != nil || got != pairs {
			t.Fatalf("%q: %d pairs, want %d (%v)", line, got, pairs, d.Err())
		}
		for key, value := range want {
			if v := rec.fields[m.slots.index[key]].text; v != value {
				t.Fatalf("%q: %s is %q, want %q", line, key, v, value)
			}
		}
	})
}
