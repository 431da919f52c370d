package render_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"etrace/render"
	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// slide is the size of the pictures of these tests.
var slide = render.Size{Width: 1280, Height: 720}

func allNodes(d *drawing.Drawing) (list []drawing.Node) {
	for _, l := range d.Layers {
		list = append(list, l.Nodes...)
	}
	return list
}

func fit(t *testing.T, rec tracefmt.Recording, o render.Options) *render.Series {
	t.Helper()
	o.Fit = slide
	series, err := render.NewSeries(t.Context(), rec, o)
	if err != nil {
		t.Fatal(err)
	}
	return series
}

// changes is a run of 300 changes of variables of a; those of the events in between are crashes and recoveries, in turn, of b.
func changes(between func(seq int) bool) *tracefmt.Memory {
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, Members: members(2)})
	kinds := []tracefmt.Kind{tracefmt.Crash, tracefmt.Recover}
	for i := range 300 {
		e := tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(i) * tracefmt.Unit, Kind: tracefmt.State, Process: 1,
			Payload: fmt.Appendf(nil, `{"x":%d}`, i),
		}
		if between(i + 1) {
			e.Kind, e.Process, e.Payload = kinds[0], 2, nil
			slices.Reverse(kinds)
		}
		m.Write(&e)
	}
	m.Finish(tracefmt.Stopped)
	return m
}

// TestWitnessFits: a picture of a given size shows the events that are numbered, of the part of the run that these span; what is
// faint yields, but not a crash.
func TestWitnessFits(t *testing.T) {
	rec := changes(func(seq int) bool { return seq == 100 || seq == 110 })
	about := []tracefmt.Seq{50, 250}
	series := fit(t, rec, render.Options{Highlight: about, Witness: about})
	if series.Len() != 1 {
		t.Fatalf("%d pages, want 1", series.Len())
	}
	d := series.Drawing(0)
	var ids, texts []string
	for _, n := range allNodes(d) {
		ids, texts = append(ids, n.ID), append(texts, n.Text)
	}
	for _, id := range []string{"e50", "w1", "e110", "e250", "w2"} {
		if !slices.Contains(ids, id) {
			t.Errorf("%s is not drawn", id)
		}
	}
	for _, text := range []string{"x = 49", "x = 249", "crashes", "recovers"} {
		if !slices.Contains(texts, text) {
			t.Errorf("there is no label %q", text)
		}
	}
	if !strings.Contains(d.Desc, "events 50 to 250 of 300") {
		t.Errorf("the picture is not of the events 50 to 250: %s", d.Desc)
	}
}

// TestPagesShowWhatIsHighlighted: no page is without an event that the pictures are about.
func TestPagesShowWhatIsHighlighted(t *testing.T) {
	about := []tracefmt.Seq{50, 250}
	series := fit(t, changes(func(seq int) bool { return seq > 50 && seq < 250 }), render.Options{Highlight: about, Witness: about})
	if series.Len() != 2 {
		t.Errorf("%d pages, want 2", series.Len())
	}
	for i := range series.Len() {
		if !slices.ContainsFunc(allNodes(series.Drawing(i)), func(n drawing.Node) bool { return n.ID == "e50" || n.ID == "e250" }) {
			t.Errorf("page %d shows none of the events", i+1)
		}
	}
}

// TestFitUsesTheRoom: values of variables are left out only where the closest rows need the room.
func TestFitUsesTheRoom(t *testing.T) {
	series := fit(t, load(t, "bully"), render.Options{})
	for _, n := range allNodes(series.Drawing(0)) {
		if strings.Contains(n.Text, "not drawn") {
			t.Errorf("%q, though there is room", n.Text)
		}
	}
}

// TestNoteOfHiddenEvents: the note calls no event that the user hides an event without highlight.
func TestNoteOfHiddenEvents(t *testing.T) {
	o := render.Options{}
	o.Select.Hide = []string{"crash"}
	series := fit(t, changes(func(seq int) bool { return seq == 100 || seq == 110 }), o)
	if series.Len() < 2 || strings.Contains(series.Done, "highlighted") {
		t.Errorf("%d pages, note %q, expected pages and no word about highlighted events", series.Len(), series.Done)
	}
}

// TestNoteOfEventsAfterTheLastPage: the note counts all events of the run after the last page, timers included.
func TestNoteOfEventsAfterTheLastPage(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, Members: members(2)})
	const events = 2000
	for i := range events {
		e := tracefmt.Event{Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(i) * tracefmt.Unit, Kind: tracefmt.Note, Process: 1}
		e.Type = fmt.Sprint("n", i)
		if i%2 == 1 {
			e.Kind = tracefmt.SetTimer
		}
		m.Write(&e)
	}
	m.Finish(tracefmt.Stopped)
	series := fit(t, m, render.Options{})
	var first, last int
	desc := series.Drawing(series.Len() - 1).Desc
	if _, err := fmt.Sscanf(desc[strings.Index(desc, "events "):], "events %d to %d of ", &first, &last); err != nil {
		t.Fatalf("%v: %s", err, desc)
	}
	want := story.Plural(int64(events-last), "event") + " after the last page not shown"
	if !strings.Contains(series.Done, want) {
		t.Errorf("the last page has the events %d to %d; note %q, want %q", first, last, series.Done, want)
	}
}
