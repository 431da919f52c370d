package render

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"etrace/render/diagram"
	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// Size is that of a picture, in pixels.
type Size struct{ Width, Height int }

// LeastText is the height of the smallest text in a picture with a given size, in pixels.
const LeastText = 12

// The limits of [Options.Fit].
const (
	leastSide = 320
	mostSide  = 16_000
	// mostPages is the greatest number of pages of a run.
	mostPages = 12
	// Up to fewPages pages, the sequence of a run on a ring is better than its ring diagram.
	fewPages = 4
	// fewOmitted is the number of labels that a page may leave out without a note.
	fewOmitted = 100
)

// room returns the layout of drawings that have the size when their smallest text is LeastText pixels high.
func (s Size) room() diagram.Layout {
	const scale = LeastText / diagram.SmallestText
	return diagram.Layout{Width: math.Floor(float64(s.Width) / scale), Height: math.Floor(float64(s.Height) / scale)}
}

// fitting searches for drawings of a run that fit a given size.
type fitting struct {
	ctx       context.Context
	options   *Options
	rec       tracefmt.Recording
	diagram   diagram.Diagram
	selection story.Options // the part of the run that is drawn
	room      diagram.Layout
	changes   []string // the changes so far, such as "3 hops merged", for the user
	maxPages  int
	// story is what selection selects, nil until it is read: attempts with other layouts need not read the run again.
	story *story.Story
}

// fitToSize draws the run such that it fits. It tries, in this order: the whole run, ever closer together; the run
// without repetitions and merged hops; the ring diagram, or pages. It returns what it changed.
func (o *Options) fitToSize(
	ctx context.Context, rec tracefmt.Recording, d diagram.Diagram, f Format,
) (list []*drawing.Drawing, changes string, err error) {
	selection, err := o.prepare(ctx, rec, d, f)
	if err != nil {
		return nil, "", err
	}
	t := &fitting{
		ctx: ctx, options: o, rec: rec, diagram: d, selection: selection, room: o.Fit.room(), maxPages: mostPages,
	}
	t.room.NoLegend, t.room.Theme = o.NoLegend, o.Theme
	list, err = t.draw()
	if err != nil {
		return nil, "", err
	}
	omitted := 0 // the most labels that a page leaves out
	for _, made := range list {
		made.Pixels = drawing.Pixels{Width: o.Fit.Width, Height: o.Fit.Height}
		omitted = max(omitted, made.Omitted)
	}
	if omitted > fewOmitted {
		t.changes = append(t.changes, fmt.Sprintf("%d labels of a page left out: choose a --type or --process, or --diagram overview", omitted))
	}
	return list, t.changeText(), nil
}

// changeText lists the changes that were made.
func (t *fitting) changeText() string { return strings.Join(t.changes, "; ") }

// tryDrawing draws the present selection in the present layout, and reports whether the drawing fits.
func (t *fitting) tryDrawing() (made *drawing.Drawing, s *story.Story, fits bool, err error) {
	if t.story == nil {
		t.story, err = story.Read(t.ctx, t.rec, t.selection)
		if err != nil {
			return nil, nil, false, err
		}
	}
	made, err = t.layOut(t.story)
	return made, t.story, err == nil && t.fits(made), err
}

// pagesForFrames chooses a layout for all frames of a run. It returns the pages that the frames need; one if that is
// enough.
func (t *fitting) pagesForFrames() (pages []story.Options, err error) {
	var made *drawing.Drawing
	var s *story.Story
	for t.room.Spacing = diagram.Roomy; ; t.room.Spacing++ {
		var fits bool
		made, s, fits, err = t.tryDrawing()
		if err != nil || fits {
			return []story.Options{t.selection}, err
		}
		if t.room.Spacing == diagram.Tight {
			break
		}
	}
	// Pages make a sequence lower, not narrower.
	if made.Width <= t.room.Width && t.diagram.Columns {
		var missing int64
		pages, missing, err = t.dividePages(s)
		if err != nil {
			return nil, err
		}
		if t.ringInstead(s, len(pages), missing) {
			sequence := *t
			if list, err := t.drawRing(t.tooLarge(made, s)); err != nil || t.fits(list[0]) {
				return []story.Options{t.selection}, err
			}
			*t = sequence
		}
		t.notePages(len(pages), missing)
		return pages, nil
	}
	if t.diagram.Columns && t.hasRing() {
		_, err := t.drawRing(t.tooLarge(made, s))
		return []story.Options{t.selection}, err
	}
	t.noteSmallText(made)
	return []story.Options{t.selection}, nil
}

// ringInstead reports whether the ring diagram is better than the pages of a sequence.
func (t *fitting) ringInstead(s *story.Story, pages int, missing int64) bool {
	return t.hasRing() && s.Run.States(tracefmt.OnRing) && (missing > 0 || pages > fewPages)
}

// notePages notes the number of pages, and the number of events after the last page.
func (t *fitting) notePages(pages int, missing int64) {
	t.changes = append(t.changes, story.Plural(int64(pages), "page"))
	if missing > 0 {
		t.changes = append(t.changes, story.Plural(missing, "event")+" after the last page not shown")
	}
}

// tooLarge explains that a sequence does not fit on one page.
func (t *fitting) tooLarge(made *drawing.Drawing, s *story.Story) string {
	if made.Width > t.room.Width {
		return fmt.Sprintf("since %d lifelines side by side do not fit", len(s.Order))
	}
	return "since the sequence does not fit on one page"
}

// drawLoosest draws a sequence with as much room between its parts as fits; tight is its tight drawing, which fits. It
// uses larger letters if that costs no label.
func (t *fitting) drawLoosest(tight *drawing.Drawing) (best *drawing.Drawing, err error) {
	full := t.room
	defer func() { t.room = full }()
	best = tight
	for t.room.Spacing = diagram.Roomy; t.room.Spacing < diagram.Tight; t.room.Spacing++ {
		made, _, fits, err := t.tryDrawing()
		if err != nil {
			return nil, err
		}
		if fits {
			best = made
			break
		}
	}
	if t.room.Spacing != diagram.Roomy {
		return best, nil
	}
	for _, times := range [...]float64{1.6, 1.25} {
		t.room.Width, t.room.Height = math.Floor(full.Width/times), math.Floor(full.Height/times)
		made, _, fits, err := t.tryDrawing()
		if err != nil || fits && made.Omitted <= best.Omitted {
			return made, err
		}
	}
	return best, nil
}

// draw tries ever shorter forms of the run on one page, then other diagrams or several pages.
func (t *fitting) draw() ([]*drawing.Drawing, error) {
	var best *drawing.Drawing
	var s *story.Story
	t.room.Spacing = diagram.Tight
	folds := t.selection.Fold
	for _, shorter := range [...]bool{false, true} {
		t.omitDispensable(shorter, folds)
		var fits bool
		var err error
		best, s, fits, err = t.tryDrawing()
		if err == nil && !fits && shorter && len(t.options.Led) > 0 {
			best, s, fits, err = t.dropEarlyCauses()
		}
		if err == nil && fits && t.diagram.Columns {
			best, err = t.drawLoosest(best)
		}
		if err != nil {
			return nil, err
		}
		if fits {
			t.noteHidden(s)
			return []*drawing.Drawing{best}, nil
		}
	}
	// Pages make a sequence lower, not narrower.
	switch wide := best.Width > t.room.Width; {
	case !t.diagram.Columns, wide && !t.hasRing():
		return t.noteSmallText(best), nil
	case wide:
		return t.drawRing(t.tooLarge(best, s))
	}
	parts, missing, err := t.dividePages(s)
	switch {
	case err != nil:
		return nil, err
	case t.ringInstead(s, len(parts), missing):
		pages := *t
		if list, err := t.drawRing("which takes fewer pages"); err != nil || t.fits(list[0]) {
			return list, err
		}
		*t = pages
	}
	list, merged, err := t.drawPages(parts)
	s.Merged = merged // no hop is merged from one page to the next
	t.noteHidden(s)
	t.notePages(len(parts), missing)
	for _, made := range list {
		if err == nil && !t.fits(made) { // not even one event does
			t.noteSmallText(made)
			break
		}
	}
	return list, err
}

// dropEarlyCauses leaves out the earliest events that led to a violation, half of those left at a time, until the
// others fit on one page. If even the others do not fit, it draws them all.
func (t *fitting) dropEarlyCauses() (*drawing.Drawing, *story.Story, bool, error) {
	highlighted, led := t.selection.Highlight, slices.Sorted(slices.Values(t.options.Led))
	for left := led; len(left) > 0; {
		left = left[(len(left)+1)/2:]
		early := led[:len(led)-len(left)]
		t.story = nil
		t.selection.Highlight = slices.DeleteFunc(slices.Clone(highlighted), func(seq tracefmt.Seq) bool {
			_, found := slices.BinarySearch(early, seq)
			return found
		})
		made, s, fits, err := t.tryDrawing()
		if err != nil || fits {
			t.changes = append(t.changes, story.Plural(int64(len(early)), "earlier event")+" of what led there left out")
			return made, s, fits, err
		}
	}
	t.story, t.selection.Highlight = nil, highlighted
	return t.tryDrawing()
}

// omitDispensable omits the parts that a picture can do without: operations on objects without a violation, else
// repetitions and hops.
func (t *fitting) omitDispensable(shorter, folds bool) {
	t.story = nil
	if t.selection.Operations {
		t.selection.Violated = shorter
		return
	}
	t.selection.Merge, t.selection.Fold = shorter, shorter || folds
}

// hasRing reports whether the ring diagram can take the place of the sequence: it has no marks.
func (t *fitting) hasRing() bool {
	o := t.options
	marked := len(o.Highlight)+len(o.Witness)+len(o.Cut)+len(o.Spans) > 0 || o.CutAt != "" && o.CutAt != NoCut
	return !marked && !t.selection.Operations && o.Axis == ""
}

// drawRing draws the ring diagram in place of the sequence.
func (t *fitting) drawRing(reason string) ([]*drawing.Drawing, error) {
	d, err := diagram.Builtin().Lookup("ring")
	if err != nil {
		return nil, err
	}
	t.diagram, t.room.Spacing = d, diagram.Roomy
	t.selection.Merge, t.selection.Fold, t.selection.KeepIdle, t.selection.Spans, t.selection.Cut = false, false, true, nil, nil
	made, _, err := t.readAndDraw(t.selection)
	if err != nil {
		return nil, err
	}
	t.changes = append(t.changes, "the ring in place of the sequence, "+reason)
	if t.fits(made) {
		return []*drawing.Drawing{made}, nil
	}
	return t.noteSmallText(made), nil
}

// noteSmallText notes that the texts of a drawing are too small.
func (t *fitting) noteSmallText(d *drawing.Drawing) []*drawing.Drawing {
	part := max(d.Width/t.room.Width, d.Height/t.room.Height)
	const reason = "the smallest text has %.1f pixels, since no less can be drawn: choose a part of the run"
	t.changes = append(t.changes, fmt.Sprintf(reason, LeastText/part))
	return []*drawing.Drawing{d}
}

// noteHidden notes the hidden events of the story.
func (t *fitting) noteHidden(s *story.Story) {
	if s.Merged > 0 {
		t.changes = append(t.changes, story.Plural(s.Merged, "hop")+" merged")
	}
	if s.Folded > 0 {
		t.changes = append(t.changes, story.Plural(s.Folded, "event")+" folded")
	}
	if s.Others > 0 {
		t.changes = append(t.changes, story.Plural(int64(s.Others), "key")+" without a violation left out")
	}
	if t.selection.Fold && s.Unlit > 0 {
		t.changes = append(t.changes, story.Plural(s.Unlit, "event")+" without highlight left out")
	}
	if s.Idle > 0 {
		t.changes = append(t.changes, story.Plural(int64(s.Idle), "process")+" left out")
	}
}

// fits reports whether the drawing fits the room.
func (t *fitting) fits(d *drawing.Drawing) bool {
	return d.Width <= t.room.Width && d.Height <= t.room.Height
}

// readAndDraw reads the selected part of the run and draws it.
func (t *fitting) readAndDraw(selection story.Options) (*drawing.Drawing, *story.Story, error) {
	s, err := story.Read(t.ctx, t.rec, selection)
	if err != nil {
		return nil, nil, err
	}
	made, err := t.layOut(s)
	return made, s, err
}

// layOut draws a story in the room.
func (t *fitting) layOut(s *story.Story) (*drawing.Drawing, error) {
	made, err := build(t.ctx, s, t.diagram, t.room)
	const tries = 3 // what is above and below grows as the ring or the graph between gets smaller
	for range tries {
		if err != nil || t.diagram.Columns || made.Height <= t.room.Height {
			break
		}
		t.room.Around = max(t.room.Around, diagram.LeastAround) + made.Height - t.room.Height + 1
		made, err = build(t.ctx, s, t.diagram, t.room)
	}
	return made, err
}

// manyColumns is the number of columns from which on pages omit idle processes.
const manyColumns = 20

// dividePages divides the steps of a story into pages with the same columns. It returns the number of events after
// the last page.
func (t *fitting) dividePages(s *story.Story) (parts []story.Options, missing int64, err error) {
	var kept []bool // pages of many columns have those of the processes that do something there
	if len(s.Order) <= manyColumns {
		kept = s.Shows()
	}
	// Pages divide the window of the story: where events are highlighted, that is the part that these span.
	window := s.Options.View
	last := len(s.Steps) - 1
	guess := len(s.Steps) / 2
	for first := 0; first <= last; {
		if len(parts) == t.maxPages {
			missing = int64(s.End()) - int64(s.Steps[first].Seq) + 1
			break
		}
		var o story.Options
		page := func(n int) (*drawing.Drawing, error) {
			o = t.selection
			o.Page = pageText(t.maxPages, t.maxPages)
			o.From, o.Keep, o.Folds = s.Steps[first].Seq, kept, s.Folds
			o.Fold = window.Fold && s.Options.Marked()
			if first == 0 {
				o.From = window.From
			}
			o.To = window.To
			if first+n <= last {
				o.To = s.Steps[first+n].Seq - 1
			}
			made, _, err := t.readAndDraw(o)
			return made, err
		}
		_, n, err := t.longestPage(page, min(guess, last-first+1), last-first+1)
		if err != nil {
			return nil, 0, err
		}
		made, err := page(endOfInstant(s, first, n))
		// Fewer steps may take more room, since more messages are in flight when the page ends.
		if err == nil && t.fits(made) {
			n = endOfInstant(s, first, n)
		} else if err == nil {
			_, err = page(n)
		}
		if err != nil {
			return nil, 0, err
		}
		// The heads of the lifelines show the opening events: a page needs another event.
		for first+n <= last && s.Steps[first+n-1].Opening {
			n++
			if _, err := page(n); err != nil {
				return nil, 0, err
			}
		}
		for i := first; i < first+n; i++ {
			if s.Lit(i) { // a page without an event that the picture is about is useless
				parts = append(parts, o)
				break
			}
		}
		guess, first = n, first+n
	}
	return parts, missing, nil
}

// drawPages draws the pages with their numbers. Each page has as much room between its parts as fits. The last one may
// have few events, and so room for values that closer pages omit. It returns the number of hops that the pages merge.
func (t *fitting) drawPages(parts []story.Options) (list []*drawing.Drawing, merged int64, err error) {
	for i, o := range parts {
		if len(parts) > 1 {
			o.Page = pageText(i+1, len(parts))
		}
		s, err := story.Read(t.ctx, t.rec, o)
		if err != nil {
			return nil, 0, err
		}
		merged += s.Merged
		for t.room.Spacing = diagram.Roomy; ; t.room.Spacing++ {
			made, err := t.layOut(s)
			if err != nil {
				return nil, 0, err
			}
			if t.fits(made) || t.room.Spacing == diagram.Tight {
				list = append(list, made)
				break
			}
		}
	}
	return list, merged, nil
}

// pageText returns "page 2 of 3".
func pageText(page, pages int) string { return fmt.Sprintf("page %d of %d", page, pages) }

// longestPage returns the longest page that fits, with its number of steps, at least one.
func (t *fitting) longestPage(
	page func(n int) (*drawing.Drawing, error), guess, steps int,
) (best *drawing.Drawing, n int, err error) {
	low, high := 0, steps+1 // low fits, high does not
	for try := max(guess, 1); high-low > 1; try = (low + high) / 2 {
		made, err := page(try)
		if err != nil {
			return nil, 0, err
		}
		if t.fits(made) {
			best, low = made, try
			if low == steps {
				break
			}
			continue
		}
		high = try
	}
	if best == nil { // not even one step
		best, err = page(1)
		low = 1
	}
	return best, low, err
}

// endOfInstant returns the number of steps up to the last whole instant of a page. It is n if that instant ends
// before the last third of the page.
func endOfInstant(s *story.Story, first, n int) int {
	if first+n >= len(s.Steps) {
		return n
	}
	for k := n; k > 2*n/3; k-- {
		if s.Steps[first+k-1].Time != s.Steps[first+k].Time {
			return k
		}
	}
	return n
}

// checkForm refuses impossible sizes, and options of pictures for other formats.
func (o *Options) checkForm(f Format) error {
	switch {
	case f.draw == nil && o.Theme != drawing.Light:
		return f.undrawn("has no " + drawing.Themes[o.Theme] + " theme")
	case f.notation && o.Select.Group != "":
		return errors.New(f.Name + ": has no groups, expected svg, png, pdf or html for that")
	case f.draw == nil && o.Frames != "":
		return f.undrawn("has no frames")
	case o.Fit == (Size{}):
		return nil
	}
	if w, h := o.Fit.Width, o.Fit.Height; min(w, h) < leastSide || max(w, h) > mostSide {
		return fmt.Errorf("a picture of %d x %d pixels is to be drawn, expected %d to %d each way", w, h, leastSide, mostSide)
	}
	if f.draw == nil {
		return f.undrawn("has no size in pixels")
	}
	return nil
}
