package tracedb

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// TestFates: the view has the greatest fate of each message, for any copies in any order of arrival.
func TestFates(t *testing.T) {
	folder := t.TempDir()
	n := 0
	reasons := rapid.SampledFrom([]string{
		"", `{}`, `{"reason":"receiver crashed"}`, `{"reason":"dropped"}`, `{"reason":"receiver\u0020crashed"}`,
		`{"reason":["receiver crashed"]}`, `{"reason":null}`, `{"reason":7}`,
		`{"a":{"reason":"receiver crashed"}}`, `{"reason":"x","reason":"receiver crashed"}`,
	})
	rapid.Check(t, func(rt *rapid.T) {
		m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}})
		fates := map[tracefmt.MessageID]tracefmt.Fate{}
		for i := range rapid.IntRange(1, 40).Draw(rt, "events") {
			e := tracefmt.Event{Seq: tracefmt.Seq(i + 1), Kind: tracefmt.Send, Process: 1, Peer: 2, Message: tracefmt.MessageID(len(fates) + 1)}
			if len(fates) > 0 && rapid.Bool().Draw(rt, "arrives") {
				e.Kind = rapid.SampledFrom([]tracefmt.Kind{tracefmt.Receive, tracefmt.Lose, tracefmt.Lose, tracefmt.Note}).Draw(rt, "kind")
				e.Message = tracefmt.MessageID(rapid.IntRange(1, len(fates)).Draw(rt, "message"))
				if p := reasons.Draw(rt, "payload"); p != "" {
					e.Payload = []byte(p)
				}
			}
			fates[e.Message] = max(fates[e.Message], e.Fate())
			_ = m.Write(&e)
		}
		_ = m.Finish(tracefmt.Stopped)
		n++
		path := filepath.Join(folder, fmt.Sprint(n))
		mustSave(t, path, m)
		var want strings.Builder
		for _, id := range slices.Sorted(maps.Keys(fates)) {
			fmt.Fprintf(&want, "%d '%s'\n", id, fates[id])
		}
		if diff := cmp.Diff(want.String(), table(t, path, "SELECT message, fate FROM messages WHERE run = 1 ORDER BY message")); diff != "" {
			rt.Fatalf("-events +view\n%s", diff)
		}
	})
}
