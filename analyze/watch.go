package analyze

import "etrace/tracefmt"

// Watch returns a writer that examines a run while it goes on, and calls broken at the first violation of each
// property. The result has no verdict yet, since unrecorded facts may explain the violation at the end. The run
// has all its members. A property that is decided at the end, such as linearizability, is not broken before: [Check] decides it.
func Watch(run *tracefmt.Run, properties []*Property, broken func(*Result)) tracefmt.Writer {
	w := &watch{Checker: newChecker(run, loop{}, properties, Options{Named: true}), broken: broken}
	w.seen = make([]bool, len(w.results))
	return w
}

type watch struct {
	*Checker
	broken func(*Result)
	seen   []bool
}

func (w *watch) Write(e *tracefmt.Event) error {
	if err := w.Checker.Write(e); err != nil {
		return err
	}
	for i, r := range w.results {
		if !w.seen[i] && r.Violations > 0 {
			w.seen[i] = true
			w.broken(r)
		}
	}
	return nil
}
