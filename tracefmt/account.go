package tracefmt

import (
	"fmt"
	"time"

	"etrace/tracefmt/text"
)

// Account describes the gaps that the log itself shows, one sentence each: members without any record, or without an
// understood line, and lines that could not be placed. It is empty without such gaps.
func (r *Run) Account() (sentences []string) {
	t := r.Completeness
	if t == nil {
		return nil
	}
	coverage := NewCoverage(r)
	var unread, unclear []string
	for i, m := range r.Members {
		name := text.Printable(text.Short(m.Name, longestFact))
		switch lines := t.NotUnderstood[m.Name]; {
		case !coverage.NothingRecorded(ProcessID(i + 1)):
		case lines > 0:
			unclear = append(unclear, fmt.Sprintf("the %s of %s", text.Counted(lines, "line", "lines"), name))
		default:
			unread = append(unread, name)
		}
	}
	if len(unclear) > 0 {
		sentences = append(sentences,
			fmt.Sprintf("no rule of the mapping takes %s; etrace import --suggest drafts a mapping", text.And(text.Few(unclear, 8))))
	}
	if len(unread) > 0 && len(unread) < len(r.Members) {
		noun := "members"
		if len(unread) == 1 {
			noun = "member"
		}
		sentences = append(sentences, fmt.Sprintf("nothing is recorded of the %s %s", noun, text.And(text.Few(unread, 8))))
	}
	if t.Unplaced > 0 {
		sentences = append(
			sentences,
			text.Counted(t.Unplaced, "line was recognised and could not be placed", "lines were recognised and could not be placed"),
		)
	}
	return sentences
}

// Order describes the basis of the order of events of different processes, "" if the record itself orders them.
func (r *Run) Order() string {
	if r.Completeness == nil || r.Completeness.Clocks == nil {
		return ""
	}
	return fmt.Sprintf(
		"without messages the order of processes rests on clocks that may differ by %v",
		time.Duration(r.Completeness.Clocks.Skew),
	)
}
