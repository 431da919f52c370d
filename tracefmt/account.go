package tracefmt

import (
	"fmt"
	"time"

	"etrace/tracefmt/text"
)

// Account says in sentences what the log itself shows to be missing from the record: members of which nothing is
// recorded, lines that could not be placed and stretches without events. It is empty for a record that says nothing such.
func (r *Run) Account() (all []string) {
	t := r.Completeness
	if t == nil {
		return nil
	}
	coverage := NewCoverage(r)
	var unread []string
	for i, m := range r.Members {
		if coverage.Untold(ProcessID(i + 1)) {
			unread = append(unread, text.Printable(text.Short(m.Name, longestFact)))
		}
	}
	if len(unread) > 0 && len(unread) < len(r.Members) {
		all = append(all, fmt.Sprintf("nothing is recorded of the %s %s", map[bool]string{true: "member", false: "members"}[len(unread) == 1], text.And(text.Few(unread, 8))))
	}
	if t.Unplaced > 0 {
		all = append(all, text.Counted(t.Unplaced, "line was recognised and could not be placed", "lines were recognised and could not be placed"))
	}
	return all
}

// Order says in a sentence on what the order of events of different processes rests, "" where the record itself has them in
// one order.
func (r *Run) Order() string {
	if r.Completeness == nil || r.Completeness.Clocks == nil {
		return ""
	}
	return fmt.Sprintf("without messages the order of processes rests on clocks that may differ by %v", time.Duration(r.Completeness.Clocks.Skew))
}
