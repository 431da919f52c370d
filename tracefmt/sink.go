package tracefmt

// Writer takes the events of one run by ascending seq. The caller reuses the
// event: a writer keeps a copy or nothing. It is the part of a [Sink] that a
// recorder, a simulation or a count needs.
type Writer interface {
	Write(*Event) error
}

// Sink takes runs, one after another: Begin with a description, the events,
// Finish with how the run ended. A sink that numbers its runs sets the Number
// of the description at Begin, and some set its End and Events at Finish. The
// description is the caller's to change and to reuse after Finish, not before.
// After an error a sink takes nothing more.
//
// [Memory], [Collector] and [Encoder] are sinks, and so is every place where a
// trace can be written (packages tracedb and tracefile).
type Sink interface {
	Begin(*Run) error
	Writer
	Finish(End) error
}

// Copy hands a recording to a sink, under another description unless as is nil.
func Copy(to Sink, rec Recording, as *Run) error {
	if as == nil {
		run := *rec.Run()
		as = &run
	}
	end := rec.Run().End // the sink may change it in the description
	if err := to.Begin(as); err != nil {
		return err
	}
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		if err := to.Write(e); err != nil {
			return err
		}
	}
	if end == Open {
		end = rec.Run().End // of a stream it is known now
	}
	return to.Finish(end)
}

// Tee returns a writer that passes each event to all of them in turn, up to the
// first that refuses it.
func Tee(to ...Writer) Writer { return tee(to) }

type tee []Writer

func (t tee) Write(e *Event) error {
	for _, w := range t {
		if err := w.Write(e); err != nil {
			return err
		}
	}
	return nil
}

// Discard is a sink that keeps nothing, for who wants to know only whether the runs are
// well-formed, or how long they take.
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

func (c *Collector) last() *Memory { return c.Runs[len(c.Runs)-1] }

// Recordings returns the runs as recordings.
func (c *Collector) Recordings() []Recording {
	all := make([]Recording, len(c.Runs))
	for i, run := range c.Runs {
		all[i] = run
	}
	return all
}
