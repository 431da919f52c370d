package analyze

import (
	"fmt"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Text describes the need: "state.elected of n3 between seq 12 and 40".
func (n Need) Text(run *tracefmt.Run) string { return needsText(run, []Need{n}) }

// NeedsText lists needs for people; any of them may have happened.
func NeedsText(run *tracefmt.Run, needs []Need) string { return needsText(run, needs) }

// needsText lists needs in words, with "or" between them.
func needsText(run *tracefmt.Run, needs []Need) string {
	return enumerate(run, needs, text.Or, "any process")
}

// enumerate lists needs, and joins those of the same stretch: "crash or halt of n2 or n3 after seq 12". anywhere
// is the word for [AnyProcess].
func enumerate(run *tracefmt.Run, needs []Need, join func([]string) string, anywhere string) string {
	type place struct {
		process   tracefmt.ProcessID
		from, end tracefmt.Seq
		dropped   int64
	}
	names := make(map[tracefmt.Fact]string)
	places, facts := groupBy(needs, func(n Need) (place, string) {
		name, known := names[n.Fact]
		if !known {
			name = factText(n.Fact)
			names[n.Fact] = name
		}
		return place{n.Process, n.From, n.To, n.Dropped}, name
	})
	type stretchKey struct {
		facts     string
		from, end tracefmt.Seq
		dropped   int64
	}
	whats, byStretch := groupBy(places, func(p place) (stretchKey, place) {
		w := stretchKey{join(text.Few(facts[p], 8)), p.from, p.end, p.dropped}
		if p.end == 0 && p.dropped == 0 {
			// Needs up to the end of the run differ only in whether they begin at its start.
			w.from = min(p.from, 1)
		}
		return w, p
	})
	var result []string
	for _, w := range whats {
		first, later, names := byStretch[w][0].from, "", []string{}
		for _, p := range byStretch[w] {
			if p.from != first {
				first, later = min(first, p.from), " or later"
			}
			names = append(names, placeText(run, p.process, anywhere))
		}
		place := ""
		if names[0] != "" { // "" for a fact of no process
			place = " of " + join(text.Few(names, 5))
		}
		result = append(result, w.facts+place+stretchText(first, w.end)+later+droppedText(w.dropped))
	}
	return text.Some(result, 4)
}

// placeText returns the name of a process, or the word for AnyProcess.
func placeText(run *tracefmt.Run, p tracefmt.ProcessID, anywhere string) string {
	if p == AnyProcess {
		return anywhere
	}
	return text.Printable(text.Short(run.ProcessName(p), longestName))
}

// groupBy returns the keys of the list, in the order of the list, with the values of each.
func groupBy[T, V any, K comparable](list []T, split func(T) (K, V)) (keys []K, values map[K][]V) {
	values = make(map[K][]V)
	for _, t := range list {
		k, v := split(t)
		if _, known := values[k]; !known {
			keys = append(keys, k)
		}
		values[k] = append(values[k], v)
	}
	return keys, values
}

// longestName bounds the characters of a name in a need.
const longestName = 41

func factText(f tracefmt.Fact) string { return text.Printable(text.Short(f.String(), longestName)) }

// droppedText returns " (3 events dropped)"; "" for 0.
func droppedText(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s dropped)", text.Counted(n, "event", "events"))
}

// stretchText describes a stretch of seqs: " between seq 3 and 9".
func stretchText(from, end tracefmt.Seq) string {
	switch {
	case from > 0 && end > 0:
		return fmt.Sprintf(" between seq %d and %d", from, end)
	case from > 0:
		return fmt.Sprintf(" after seq %d", from)
	case end > 0:
		return fmt.Sprintf(" before seq %d", end)
	}
	return ""
}
