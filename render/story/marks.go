package story

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
)

// Marked reports whether the picture is about particular events.
func (o Options) Marked() bool { return len(o.Highlight)+len(o.Witness)+len(o.Cut) > 0 }

// mostContext is the default for the longest window in which events that are not highlighted are drawn, in events.
const mostContext = 300

// withDefaults fills in the defaults: where events are highlighted, the window
// that they span.
func (o Options) withDefaults() Options {
	o.maxContext = o.MaxEvents
	if o.MaxEvents == 0 {
		o.MaxEvents, o.maxContext = DefaultMaxEvents, mostContext
	}
	if len(o.Highlight) == 0 {
		return o
	}
	o.Highlight = slices.Compact(slices.Sorted(slices.Values(slices.Concat(o.Highlight, o.Witness))))
	if o.From == 0 && o.To == 0 {
		o.From, o.To = o.Highlight[0], max(slices.Max(o.Highlight), o.Cut.end())
	}
	return o
}

// isHighlighted reports whether an event is highlighted, or no event is.
func (o Options) isHighlighted(seq tracefmt.Seq) bool {
	_, ok := slices.BinarySearch(o.Highlight, seq)
	return ok || len(o.Highlight) == 0
}

// Lit reports whether a step is highlighted, or no step is.
func (s *Story) Lit(i int) bool { return s.Options.isHighlighted(s.Steps[i].Seq) }

// leavesOut reports whether an event is omitted because it is not highlighted: in folded parts, and in windows with
// too many events. Crashes, recoveries and partitions are always drawn, since a witness is read with them.
func (o Options) leavesOut(e *tracefmt.Event) bool {
	_, life := lifeAfter[e.Kind]
	fault := life || e.Kind == tracefmt.Partition || e.Kind == tracefmt.Heal
	full := int64(o.To-o.From) >= int64(o.maxContext)
	return len(o.Highlight) > 0 && !o.isHighlighted(e.Seq) && !fault && (full || o.Fold)
}

// describeWitness lists the marked events for readers who cannot see the picture.
func (s *Story) describeWitness(b *strings.Builder) {
	if caption := s.Caption(); caption != "" {
		fmt.Fprintf(b, "It is to show this: %s. ", strings.TrimSuffix(caption, "."))
	}
	for _, part := range []struct {
		text string
		seqs []tracefmt.Seq
	}{
		{"Highlighted", s.Options.Highlight}, {"Marked", s.Options.Witness}, {"Last in the " + s.CutText(), s.Options.Cut.events()},
	} {
		if len(part.seqs) > 0 {
			fmt.Fprintf(b, "%s: %s. ", part.text, seqList(part.seqs))
		}
	}
}

// seqList returns "event 3" or "events 3, 5 and 9", at most a dozen.
func seqList(seqs []tracefmt.Seq) string {
	const limit = 12
	var list []string
	for i, seq := range seqs {
		if i == limit {
			list = append(list, fmt.Sprintf("%d more", len(seqs)-limit))
			break
		}
		list = append(list, strconv.FormatInt(int64(seq), 10))
	}
	if len(seqs) == 1 {
		return "event " + list[0]
	}
	return "events " + join(list)
}
