package complexity

import (
	"fmt"
	"maps"
	"slices"

	"etrace/tracefmt/text"
)

// remarkDetails notes what was asked for and is not in the run.
func (r *Report) remarkDetails(s *Stats) {
	if s.Details == nil {
		return
	}
	for _, b := range s.Breakdowns {
		if len(b.Groups) == 0 && s.Messages.Sent > 0 {
			r.Remarks = append(r.Remarks, fmt.Sprintf("run %d: no message tells its %s, nor does its sender%s", s.Run, text.Printable(b.heads[0]), didYouMean(b.meant)))
		}
	}
	for _, p := range s.Per {
		if p.found {
			continue
		}
		r.Remarks = append(r.Remarks, fmt.Sprintf("run %d: there is no %s to count by%s", s.Run, p.Operation, didYouMean(p.meant)))
	}
}

// didYouMean ends a remark with the name that was probably meant, unless it is "".
func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", name)
}

// seenNames are names that occur in a run, for who has misspelt one.
type seenNames map[string]bool

// mostNames bounds how many are kept.
const mostNames = 256

func (n seenNames) add(name string) {
	if !n[name] && len(n) < mostNames {
		n[name] = true
	}
}

// meant is the one that a name is but for a slip of the pen, "" for none.
func (n seenNames) meant(name string) string {
	return text.Misspelt(name, slices.Sorted(maps.Keys(n)))
}
