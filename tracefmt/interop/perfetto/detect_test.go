package perfetto

import (
	"testing"

	"etrace/tracefmt/interop"
)

// TestDetect: a file of etrace begins with the tag of a packet; a text that has the mark is another one.
func TestDetect(t *testing.T) {
	if detect([]byte("\n\x40"+mark)) != interop.CertainIf(true) || detect([]byte("about: "+mark)) != interop.CertainIf(false) {
		t.Error("the first packet decides")
	}
}
