package complexity

import "fmt"

// remarkDetails notes what was asked for and is not in the run.
func (r *Report) remarkDetails(s *Stats) {
	if s.Details == nil {
		return
	}
	for _, b := range s.Breakdowns {
		if len(b.Groups) == 0 && s.Messages.Sent > 0 {
			r.Remarks = append(r.Remarks, fmt.Sprintf("run %d: no message tells its %s, nor does its sender", s.Run, b.heads[0]))
		}
	}
	for _, p := range s.Per {
		if p.found {
			continue
		}
		remark := fmt.Sprintf("run %d: there is no %s to count by", s.Run, p.Operation)
		if p.meant != "" {
			remark += fmt.Sprintf("; did you mean %q?", p.meant)
		}
		r.Remarks = append(r.Remarks, remark)
	}
}
