package tracefmt

// Writer takes the events of one run in order. The caller reuses the event, so a writer must copy what it
// keeps. It is the part of a [Sink] that a recorder, a simulation or a count needs.
type Writer interface {
	Write(*Event) error
}

// Sink takes runs, one after another: Begin with a description, the events, and Finish with the end of the run.
// A sink that numbers its runs sets the Number of the description at Begin, and some set End and Events at
// Finish. The caller may change and reuse the description only after Finish. After an error a sink accepts no
// more calls.
//
// [Memory], [Collector] and [Encoder] are sinks, and so are the writers of packages tracedb and tracefile.
type Sink interface {
	Begin(*Run) error
	Writer
	Finish(End) error
}

// Copy copies a recording to a sink, with another description unless it is nil.
func Copy(sink Sink, rec Recording, description *Run) error {
	if description == nil {
		run := *rec.Run()
		description = &run
	}
	end := rec.Run().End // before Begin, since the sink may change the description
	if err := sink.Begin(description); err != nil {
		return err
	}
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		if err := sink.Write(e); err != nil {
			return err
		}
	}
	if end == Open {
		end = rec.Run().End // known only at the end of a stream
	}
	return sink.Finish(end)
}

// Tee returns a writer that passes each event to all writers in turn, up to the first that fails.
func Tee(writers ...Writer) Writer { return tee(writers) }

// tee is a [Writer] that passes each event to all its writers.
type tee []Writer

// Write implements [Writer]: it stops at the first writer that fails.
func (t tee) Write(e *Event) error {
	for _, w := range t {
		if err := w.Write(e); err != nil {
			return err
		}
	}
	return nil
}

// Discard is a sink that keeps nothing, to validate runs or to measure time.
type Discard struct{}

// Begin implements [Sink].
func (Discard) Begin(*Run) error { return nil }

// Write implements [Sink].
func (Discard) Write(*Event) error { return nil }

// Finish implements [Sink].
func (Discard) Finish(End) error { return nil }

// Collector is a sink that keeps all runs in memory.
type Collector struct {
	Runs []*Memory
}

// Begin implements [Sink].
func (c *Collector) Begin(run *Run) error {
	c.Runs = append(c.Runs, NewMemory(*run))
	return nil
}

// Write implements [Sink].
func (c *Collector) Write(e *Event) error { return c.last().Write(e) }

// Finish implements [Sink].
func (c *Collector) Finish(end End) error { return c.last().Finish(end) }

// last returns the run of the last Begin.
func (c *Collector) last() *Memory { return c.Runs[len(c.Runs)-1] }

// Recordings returns the runs as recordings.
func (c *Collector) Recordings() []Recording {
	recordings := make([]Recording, len(c.Runs))
	for i, run := range c.Runs {
		recordings[i] = run
	}
	return recordings
}
