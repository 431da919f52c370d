package tracefmt

// ShowsGap reports whether an event is inferred and shows that events of its process are missing: a complete record
// would contain it.
func (c *Coverage) ShowsGap(e *Event) bool { return e.Inferred() && e.Process > 0 && !c.Guess(e) }

// WithInferredGaps returns the recording with the gaps that its inferred events show, each from the previous step of the
// process to its next one. [Coverage] knows these gaps from the beginning, so that an event in between can be judged
// when it is read. WithInferredGaps reads all events; it fails if reading fails.
func WithInferredGaps(rec Recording) (Recording, error) {
	run := rec.Run()
	coverage := NewCoverage(run)
	last, open := make([]Seq, len(run.Members)+1), make([]int, len(run.Members)+1)
	gaps := []Gap{{}} // the first one makes index 0 that of no gap
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		if e.Kind == Lose || int(e.Process) >= len(last) || coverage.Guess(e) {
			continue
		}
		if i := open[e.Process]; i != 0 {
			gaps[i].To, open[e.Process] = e.Seq-1, 0
		}
		if coverage.ShowsGap(e) {
			open[e.Process] = len(gaps)
			gaps = append(gaps, Gap{Process: run.ProcessName(e.Process), From: last[e.Process] + 1})
		}
		last[e.Process] = e.Seq
	}
	described := *rec.Run() // the description of a stream is complete only now
	described.InferredGaps = gaps[1:]
	return Described(rec, &described), nil
}
