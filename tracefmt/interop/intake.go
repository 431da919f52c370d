package interop

import "etrace/tracefmt"

// intake stands between a reader and its caller's sink: it lets through only
// what is well-formed, and counts it.
type intake struct {
	sink   tracefmt.Sink
	check  *tracefmt.Validator
	report *RunReport
	acted  []bool // by ProcessID, whether it has events
}

// begin starts a run whose counts go to report.
func (t *intake) begin(run *tracefmt.Run, report *RunReport) error {
	if err := run.Validate(); err != nil {
		return err
	}
	t.check, t.report = tracefmt.NewValidator(run), report
	t.acted = make([]bool, len(run.Members)+1)
	report.Name = run.Name
	return t.sink.Begin(run)
}

func (t *intake) write(e *tracefmt.Event) error {
	if err := t.check.Check(e); err != nil {
		return err
	}
	t.count(e)
	return t.sink.Write(e)
}

func (t *intake) count(e *tracefmt.Event) {
	t.report.Events++
	if e.Process != 0 && !t.acted[e.Process] {
		t.acted[e.Process] = true
		t.report.Processes++
	}
	switch e.Kind {
	case tracefmt.Send:
		t.report.Messages++
	case tracefmt.Receive:
		t.report.Receives++
	}
	if e.Cause != 0 && e.Peer != e.Process {
		t.report.Edges++
	}
}
