package record

import (
	"slices"
	"time"

	"etrace/tracefmt"
)

// Dump writes the kept events to a sink, as a run that ended with end: [tracefmt.Quiescent] if nothing more can
// happen, usually [tracefmt.Stopped]. The program may continue to record, and dump again.
func (r *Live) Dump(sink tracefmt.Sink, end tracefmt.End) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	run, members, kept, now, err := r.description(), r.members(), r.events.since(0), r.now(), r.err
	r.mu.Unlock()
	if err != nil {
		return err
	}
	kept.survey(r.limit, now) // without the lock, so that the program can record meanwhile
	run.Completeness = r.declared(members, kept)
	if err := sink.Begin(&run); err != nil {
		return err
	}
	if err := kept.write(sink); err != nil {
		return err
	}
	return sink.Finish(end)
}

// Run returns the description of the run so far, which a check needs beside [Live.Watch].
func (r *Live) Run() *tracefmt.Run {
	if r == nil {
		return new(tracefmt.Run)
	}
	r.mu.Lock()
	run, members, kept := r.description(), r.members(), r.events.since(0)
	r.mu.Unlock()
	kept.survey(Limit{}, 0)
	run.Completeness = r.declared(members, kept)
	return &run
}

// members returns the known facts about the processes.
func (r *Live) members() []member {
	members := make([]member, len(r.procs))
	for i, p := range r.procs {
		members[i] = *p
	}
	return members
}

// description returns the description of the run so far.
func (r *Live) description() tracefmt.Run {
	run := r.run
	run.Members = slices.Clone(run.Members)
	run.StartedAt = r.began.UTC().Format(time.RFC3339Nano)
	return run
}

// declared returns the completeness of the run. Members whose events the program does not record are declared
// unrecorded. Each process has a gap from the beginning of the run to its first kept event.
func (r *Live) declared(members []member, kept *snapshot) *tracefmt.Completeness {
	c := r.complete
	c.Processes, c.Gaps = map[string]tracefmt.Levels{}, slices.Clone(c.Gaps)
	for name, levels := range r.complete.Processes {
		c.Processes[name] = levels
	}
	for _, p := range members {
		if _, said := c.Processes[p.name]; !p.local && !said {
			levels := tracefmt.Levels{Default: tracefmt.None}
			if p.count > 0 { // messages to it are lost
				levels.Kinds = map[string]tracefmt.Level{tracefmt.Lose.String(): tracefmt.Some}
			}
			c.Processes[p.name] = levels
		}
		first, count := kept.eventsOf(p.number)
		if lost := p.count - count; lost > 0 {
			c.Gaps = append(c.Gaps, tracefmt.Gap{Process: p.name, To: first, Dropped: lost})
		}
	}
	if len(c.Processes) == 0 {
		c.Processes = nil
	}
	return &c
}
