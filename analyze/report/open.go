package report

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// counts reports whether a result is open and had to be decided.
func (s Style) counts(p *analyze.Result) bool {
	return outcomes[p.Verdict] == open && !s.AllowOpen && (p.Counts || s.Strict)
}

// Open reports whether something stayed open that had to be decided or, in the strict style, anything.
func (r *Report) Open(s Style) bool {
	return slices.ContainsFunc(r.Runs, func(run Run) bool { return slices.ContainsFunc(run.Results, s.counts) })
}

// openLine says what stayed open, and what to record so that most of it is decided; "" if nothing is open.
func (r *Report) openLine() string {
	var names []string
	lacking := make(map[tracefmt.Fact]int) // of how many results
	results := 0
	for _, run := range r.Runs {
		for _, p := range run.Results {
			if outcomes[p.Verdict] != open {
				continue
			}
			results++
			if name := plain(p.Property.Name); !slices.Contains(names, name) {
				names = append(names, name)
			}
			for _, f := range p.NotRecorded {
				lacking[f]++
			}
		}
	}
	if len(names) == 0 || len(names) == 1 && len(lacking) == 0 { // a single one has been shown
		return ""
	}
	line := "open: " + text.Some(names, 6)
	if most, n := mostLacking(lacking); n > 0 {
		who := "it needs"
		if results > 1 {
			who = fmt.Sprintf("%d of %d need", n, results)
		}
		line += fmt.Sprintf("; %s %s: record it", who, most)
		if slices.Contains(lifeKinds, most.Kind) {
			line += fmt.Sprintf(", or state --complete %s if there was none", most)
		}
	}
	return line
}

// lifeKinds are events of which a user may know that there was none.
var lifeKinds = []tracefmt.Kind{tracefmt.Crash, tracefmt.Halt, tracefmt.Recover, tracefmt.Start}

// mostLacking is the fact that most results lack, by name among equals.
func mostLacking(lacking map[tracefmt.Fact]int) (most tracefmt.Fact, n int) {
	for f, count := range lacking {
		if count > n || count == n && f.String() < most.String() {
			most, n = f, count
		}
	}
	return most, n
}
