package envelope_test

import (
	"slices"
	"strings"
	"testing"

	"etrace/tracefmt/interop/envelope"
)

// TestFind: what collectors put around the lines of two programs is found by the lines alone, and names their source.
func TestFind(t *testing.T) {
	const a, b = "2026-05-07T14:22:03.118Z INFO server started", "2026-05-07T14:22:04.200Z INFO became leader"
	for _, c := range []struct {
		name, log, envelopes string
		sources, inner       string // of the lines, by commas; the default of inner is a and b
	}{
		{
			name: "two units of one host", envelopes: "journald", sources: "raft@n1,raft@n2",
			log: "May 07 14:22:03 box raft@n1[7]: " + a + "\nMay 07 14:22:04 box raft@n2[8]: " + b,
		},
		{
			name: "two processes of one unit write in turn", envelopes: "journald", sources: "7,8,7", inner: a + "," + b + "," + a,
			log: "May 07 14:22:03 box raft[7]: " + a + "\nMay 07 14:22:04 box raft[8]: " + b + "\nMay 07 14:22:04 box raft[7]: " + a,
		},
		{
			name: "a process that starts anew", envelopes: "journald", sources: "box,box",
			log: "May 07 14:22:03 box raft[7]: " + a + "\nMay 07 14:22:04 box raft[8]: " + b,
		},
		{name: "headings", log: "==> d/n1.log <==\n" + a + "\n\n==> d/n2.log <==\n" + b, envelopes: "tail", sources: "n1,n2"},
		{
			name: "headings of files of one name", envelopes: "tail", sources: "n1/raft.log,n2/raft.log",
			log: "==> n1/raft.log <==\n" + a + "\n==> n2/raft.log <==\n" + b,
		},
		{
			name: "a time before a line with its own", envelopes: "compose,stamped", sources: "n1,n2",
			log: "n1-1 | 2026-05-07T14:22:03.118000000Z " + a + "\nn2-1 | 2026-05-07T14:22:04.200000000Z " + b,
		},
		{
			name: "a time before a line without one", envelopes: "compose", sources: "n1,n2",
			log:   "n1-1 | 2026-05-07T14:22:03.118000000Z server started\nn2-1 | 2026-05-07T14:22:04.200000000Z became leader",
			inner: "2026-05-07T14:22:03.118000000Z server started,2026-05-07T14:22:04.200000000Z became leader",
		},
		{
			name: "objects with a line and the host", envelopes: "object", sources: "n1,n2",
			log: `{"timestamp":"2026-05-07T14:22:03Z","attributes":{"host":"n1","message":"` + a + `"}}` + "\n" +
				`{"timestamp":"2026-05-07T14:22:04Z","attributes":{"host":"n2","message":"` + b + `"}}`,
		},
		{
			name: "objects of a logger", sources: ",", inner: `{"host":"n1","msg":"started"},{"host":"n2","msg":"became leader"}`,
			log: `{"host":"n1","msg":"started"}` + "\n" + `{"host":"n2","msg":"became leader"}`,
		},
		{name: "grep in files", log: "n1.log:" + a + "\nn2.log:" + b, envelopes: "grep-names", sources: "n1.log,n2.log"},
		{
			name: "grep -n in files", envelopes: "grep-files", sources: "n1.log,n1.log,n2.log", inner: a + "," + b + "," + b,
			log: "n1.log:3:" + a + "\nn1.log:12:" + b + "\nn2.log:2:" + b,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			layers := envelope.Find([]byte(c.log + "\n"))
			if got := strings.Join(layers.Names(), ","); got != c.envelopes {
				t.Fatalf("envelopes %q, want %q", got, c.envelopes)
			}
			var sources, inner []string
			peel := layers.Peeler()
			for line := range strings.SplitSeq(c.log, "\n") {
				if out := peel(line); !out.Fence && line != "" {
					sources, inner = append(sources, out.Source), append(inner, out.Text)
				}
			}
			want := []string{a, b}
			if c.inner != "" {
				want = strings.Split(c.inner, ",")
				if strings.HasPrefix(c.inner, "{") {
					want = strings.Split(c.log, "\n")
				}
			}
			if got := strings.Join(sources, ","); got != c.sources || !slices.Equal(inner, want) {
				t.Errorf("sources %q of %q, want %q of %q", got, inner, c.sources, want)
			}
		})
	}
}
