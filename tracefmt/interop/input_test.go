package interop

import (
	"io"
	"strings"
	"testing"
)

func TestUnpackIsBounded(t *testing.T) {
	input, err := NewInput("plain.log", strings.NewReader(strings.Repeat("x", 100)))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := input.text(99); err == nil || !strings.Contains(err.Error(), "plain.log: the file has more than") {
		t.Errorf("100 bytes of text, limit 99: error %v", err)
	}
	for limit, ok := range map[int64]bool{0: false, 4: false, 5: true, 6: true} {
		// "hello", packed.
		packed := "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00\x00\x00"
		r, err := unpack(strings.NewReader(packed), limit)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); (err == nil) != ok || ok && string(text) != "hello" {
			t.Errorf("limit %d: %q, %v", limit, text, err)
		}
	}
}
