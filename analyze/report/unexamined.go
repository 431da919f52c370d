package report

import "fmt"

// Unexamined lists the traces in which nothing was examined, and the runs without an event: a recording that was
// cut off at its beginning must not pass for a good one. Traces are in the order of the report.
func (r *Report) Unexamined() (list []string) {
	examined := make(map[string]bool)
	for _, run := range r.Runs {
		examined[run.Trace] = examined[run.Trace] || run.Examined()
	}
	// A trace is listed once, whatever its number of runs.
	listed := make(map[string]bool)
	for _, run := range r.Runs {
		switch {
		case !examined[run.Trace] && !listed[run.Trace]:
			listed[run.Trace] = true
			list = append(list, r.traceName(run.Trace)+": every verdict is vacuous or not applicable")
		case run.Run.Events == 0 && examined[run.Trace]:
			list = append(list, fmt.Sprintf("%s: run %d has no event", r.traceName(run.Trace), run.Run.Number))
		}
	}
	return list
}
