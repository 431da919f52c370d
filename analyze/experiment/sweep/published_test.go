package sweep_test

import "testing"

// TestReasons: most bounds of Chang and Roberts count probes, and one counts the announcement. The bound of
// bully depends on the number of ids above the starting process.
func TestReasons(t *testing.T) {
	g := axes(t, "algorithm", "chang-roberts", "nodes", "2..4", "order", "all", "start", "all")
	g.Measures = []string{"type.election", "messages", "depth"}
	for _, p := range table(t, g).Published() {
		probes, messages := "", "count messages sent, excluding elected"
		if len(p.Bound.Without) == 0 {
			probes, messages = "count all messages sent", ""
		}
		if len(p.Cells) != 3 || p.Reason("type.election") != probes || p.Reason("messages") != messages || p.Reason("depth") == "" {
			t.Errorf(
				"%s: in %d cells; of probes %q, of messages %q, of depth %q", p.Claim(), len(p.Cells),
				p.Reason("type.election"), p.Reason("messages"), p.Reason("depth"),
			)
		}
	}
	split := axes(t, "algorithm", "bully", "nodes", "3..5", "start", "each")
	for _, want := range []string{"differ from run to run", ""} {
		for _, p := range table(t, split).Published() {
			if got := p.Reason("messages"); got != want {
				t.Errorf("split %v: %s: got %q, want %q", split.Split, p.Claim(), got, want)
			}
		}
		split.Split = true
	}
}
