package view_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/render/view"
	"etrace/tracefmt"
)

// chatter is a run of random messages among three processes, with its happened-before relation: before[i] has the events before
// the event i, by the definition of Lamport 1978.
func chatter(t *rapid.T) (rec *tracefmt.Memory, before []map[tracefmt.Seq]bool) {
	const processes = 3
	run := tracefmt.Run{TimeUnit: tracefmt.Logical}
	for i, name := range []string{"a", "b", "c"} {
		run.Members = append(run.Members, tracefmt.Member{Name: name, Position: i + 1})
	}
	rec = tracefmt.NewMemory(run)
	before = append(before, nil)
	latest := make([]tracefmt.Seq, processes+1)
	type sent struct {
		seq              tracefmt.Seq
		sender, receiver tracefmt.ProcessID
		message          tracefmt.MessageID
	}
	var flying []sent
	for seq := tracefmt.Seq(1); seq <= tracefmt.Seq(rapid.IntRange(1, 25).Draw(t, "events")); seq++ {
		p := tracefmt.ProcessID(rapid.IntRange(1, processes).Draw(t, "process"))
		e := tracefmt.Event{Seq: seq, Time: tracefmt.Time(seq), Kind: tracefmt.Note, Type: "n", Process: p}
		if i := slices.IndexFunc(flying, func(m sent) bool { return m.receiver == p }); i >= 0 && rapid.Bool().Draw(t, "receive") {
			m := flying[i]
			flying = slices.Delete(flying, i, i+1)
			e.Kind, e.Type, e.Peer, e.Message, e.Cause = tracefmt.Receive, "m", m.sender, m.message, m.seq
		} else if rapid.Bool().Draw(t, "send") {
			peer := p%processes + 1
			e.Kind, e.Type, e.Peer, e.Message = tracefmt.Send, "m", peer, tracefmt.MessageID(seq)
			flying = append(flying, sent{seq, p, peer, e.Message})
		}
		past := map[tracefmt.Seq]bool{}
		for _, direct := range []tracefmt.Seq{latest[p], e.Cause} {
			if direct != 0 {
				past[direct] = true
				for s := range before[direct] {
					past[s] = true
				}
			}
		}
		before = append(before, past)
		latest[p] = seq
		rec.Write(&e)
	}
	rec.Finish(tracefmt.Stopped)
	return rec, before
}

// TestCausalPast: the causal past of an event is what happened before it, and the event.
func TestCausalPast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec, before := chatter(t)
		target := rapid.IntRange(1, len(before)-1).Draw(t, "target")
		v := resolve(t, rec, view.Selection{Past: itoa(target)})
		for e, err := range rec.Events(1) {
			if err != nil {
				t.Fatal(err)
			}
			want := e.Seq == tracefmt.Seq(target) || before[target][e.Seq]
			if got := v.Inside(e.Seq) && v.Shows(e); got != want {
				t.Fatalf("event %d is in the past of %d: %v, want %v", e.Seq, target, got, want)
			}
		}
	})
}

func resolve(t interface {
	rapid.TB
	Context() context.Context
}, rec tracefmt.Recording, s view.Selection,
) view.View {
	t.Helper()
	v, err := s.Resolve(t.Context(), rec)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func itoa(n int) string { return string(rune('0'+n/10)) + string(rune('0'+n%10)) }

// lines is a run with an event at each of the times 1, 2, 2, 3.
func lines(t *testing.T) *tracefmt.Memory {
	t.Helper()
	members := []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}
	run := tracefmt.Run{TimeUnit: tracefmt.Delays, Members: members}
	rec := tracefmt.NewMemory(run)
	for i, at := range []tracefmt.Time{1, 2, 2, 3} {
		e := tracefmt.Event{Seq: tracefmt.Seq(i + 1), Time: at * tracefmt.Unit, Kind: tracefmt.Note, Process: 1}
		e.Type = []string{"x", "y", "x", "z"}[i]
		rec.Write(&e)
	}
	rec.Finish(tracefmt.Stopped)
	return rec
}

// TestWindow: a window begins with the first and ends with the last event of a time; a pattern means the next event that matches.
func TestWindow(t *testing.T) {
	rec := lines(t)
	for _, c := range []struct {
		s           view.Selection
		first, last tracefmt.Seq
	}{
		{view.Selection{}, 0, 0},
		{view.Selection{From: "2", To: "3"}, 2, 3},
		{view.Selection{From: "t=2"}, 2, 0},
		{view.Selection{To: "t=2"}, 0, 3},
		{view.Selection{From: "t=1.5", To: "t=2.5"}, 2, 3},
		{view.Selection{From: "note y", To: "note x"}, 2, 3},
		{view.Selection{To: "end"}, 0, 4},
		{view.Selection{Around: "note z"}, 1, 14},
	} {
		if v := resolve(t, rec, c.s); v.From != c.first || v.To != c.last {
			t.Errorf("%+v: %d to %d, want %d to %d", c.s, v.From, v.To, c.first, c.last)
		}
	}
}

// TestSelectionErrors: a failed search is one line.
func TestSelectionErrors(t *testing.T) {
	rec := lines(t)
	for _, c := range []struct {
		s    view.Selection
		want string
	}{
		{view.Selection{From: "0"}, `from "0": expected the seq of an event, from 1 on`},
		{view.Selection{From: "t=9"}, `from "t=9": every event is earlier`},
		{view.Selection{To: "t=0"}, `to "t=0": every event is later`},
		{view.Selection{From: "note yy"}, `from "note yy": unknown type "yy"`},
		{view.Selection{From: "crash"}, `from "crash": no event matches`},
		{view.Selection{From: "4", To: "2"}, `the window begins at 4, after its end at 2`},
		{view.Selection{Past: "5"}, `past "5": the run has 4 events`},
		{view.Selection{Past: "1", Around: "2"}, `two windows are asked for`},
		{view.Selection{Processes: []string{"c"}}, `unknown process "c"`},
		{view.Selection{Types: []string{"m"}}, `unknown type of messages "m"`},
		{view.Selection{Hide: []string{"nope"}}, `hide: pattern "nope": unknown event kind "nope"`},
		{view.Selection{Hide: []string{"note yy"}}, `hide: unknown type "yy"`},
		{view.Selection{Group: "role"}, `group "role": the members of this run have no attributes`},
	} {
		_, err := c.s.Resolve(t.Context(), rec)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %s", c.s, err, c.want)
		}
	}
}

// TestFilters: a selection of events filters, a window alone does not.
func TestFilters(t *testing.T) {
	rec := lines(t)
	for _, c := range []struct {
		s    view.Selection
		want bool
	}{
		{view.Selection{From: "2"}, false},
		{view.Selection{Hide: []string{"note x"}}, true},
		{view.Selection{Processes: []string{"a"}}, true},
		{view.Selection{Past: "2"}, true},
	} {
		if v := resolve(t, rec, c.s); v.Filters() != c.want {
			t.Errorf("%+v filters: %v, want %v", c.s, v.Filters(), c.want)
		}
	}
}

// TestTypes: types select sends, receives and losses of messages.
func TestTypes(t *testing.T) {
	run := tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}}
	rec := tracefmt.NewMemory(run)
	for _, e := range []tracefmt.Event{
		{Seq: 1, Kind: tracefmt.Send, Type: "A", Process: 1, Peer: 2, Message: 1},
		{Seq: 2, Kind: tracefmt.Send, Type: "B", Process: 1, Peer: 2, Message: 2},
		{Seq: 3, Kind: tracefmt.Receive, Type: "A", Process: 2, Peer: 1, Message: 1, Cause: 1},
		{Seq: 4, Kind: tracefmt.Receive, Type: "B", Process: 2, Peer: 1, Message: 2, Cause: 2},
		{Seq: 5, Kind: tracefmt.Lose, Type: "B", Process: 2, Peer: 1, Message: 2, Cause: 2},
	} {
		rec.Write(&e)
	}
	rec.Finish(tracefmt.Stopped)
	v := resolve(t, rec, view.Selection{Types: []string{"A"}})
	for e, err := range rec.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		if got, want := v.Shows(e), e.Type == "A"; got != want {
			t.Errorf("%v of %s is shown: %v, want %v", e.Kind, e.Type, got, want)
		}
	}
}

// TestGroups: an attribute of the members groups the processes; those without it are a group of their own.
func TestGroups(t *testing.T) {
	rec := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{
		{Name: "a", Position: 1, Attributes: []byte(`{"zone":"east"}`)},
		{Name: "b", Position: 2, Attributes: []byte(`{"zone":7}`)},
		{Name: "c", Position: 3},
	}})
	rec.Finish(tracefmt.Stopped)
	v := resolve(t, rec, view.Selection{Group: "zone"})
	if want := []string{"east", "zone 7", "no zone"}; !slices.Equal(v.Groups[1:], want) {
		t.Errorf("got %q, want %q", v.Groups, want)
	}
	_, err := (&view.Selection{Group: "zoen"}).Resolve(t.Context(), rec)
	if err == nil || !strings.Contains(err.Error(), `did you mean "zone"?`) {
		t.Errorf("zoen: %v", err)
	}
}
