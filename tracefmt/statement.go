package tracefmt

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Statement is additional knowledge of the user about a run. The zero Statement states nothing.
type Statement struct {
	Crashes []StatedCrash
	// End is the end of the run, "" for the recorded end.
	End End
}

// StatedCrash is the crash of a process at a time, both as written.
type StatedCrash struct{ Process, Time string }

// Empty reports whether nothing is stated.
func (s Statement) Empty() bool { return len(s.Crashes) == 0 && s.End == "" }

// StatedCrashForm describes the syntax of a stated crash, see [ParseStatedCrash].
const StatedCrashForm = "PROCESS@TIME, where the time is a number in the unit of the run, such as 3.5, a " +
	"duration, a time of day such as 10:00:00.5, or a time such as 2026-05-01T10:00:00.5Z"

// ParseStatedCrash reads PROCESS@TIME. The run determines the meaning of the time.
func ParseStatedCrash(s string) (StatedCrash, error) {
	i := strings.LastIndexByte(s, '@')
	if i < 1 {
		return StatedCrash{}, fmt.Errorf("expected %s", StatedCrashForm)
	}
	c := StatedCrash{s[:i], s[i+1:]}
	_, err := c.when(Nanoseconds)
	return c, err
}

// when returns the time of the crash in a run of the given unit. It fails if the text is no time of that unit.
func (c StatedCrash) when(unit TimeUnit) (Time, error) {
	if t, err := ParseTime(c.Time); err == nil {
		return t, nil
	}
	if d, err := time.ParseDuration(c.Time); err == nil {
		return Time(d), nil
	}
	if sinceMidnight, ok := c.ofDay(); ok && unit == Nanoseconds {
		return sinceMidnight, nil
	}
	t, err := time.Parse(time.RFC3339Nano, c.Time)
	switch year := t.Year(); {
	case err != nil:
		return 0, fmt.Errorf("%q is not a time, expected %s", c.Time, StatedCrashForm)
	case unit != Nanoseconds:
		return 0, fmt.Errorf("%s: the run has no times of day, expected a number in its unit, %s", c.Time, unit)
	case year < 1678 || year > 2261:
		return 0, fmt.Errorf("%s: expected a year from 1678 to 2261", c.Time)
	}
	return Time(t.UnixNano()), nil
}

// ofDay returns a time of day as the time since midnight, where times without a date begin.
func (c StatedCrash) ofDay() (Time, bool) {
	t, err := time.Parse("15:04:05", c.Time)
	midnight := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	return Time(t.Sub(midnight)), err == nil
}

// onDayOf returns a time of day as a time of a run with dates. More than half a day before its beginning, the time is of the next
// day.
func (t Time) onDayOf(began Time) Time {
	t += began - began%Time(24*time.Hour)
	if began-t > Time(12*time.Hour) {
		t += Time(24 * time.Hour)
	}
	return t
}

// statedEvent is the event of a stated crash, to be inserted after a recorded event.
type statedEvent struct {
	after Seq
	event Event
}

// placed has the stated crashes at their positions, and the inferred events that they replace.
type placed struct {
	crashes []statedEvent // the crashes in the order of the run
	guesses []Seq         // inferred crashes and halts that a stated crash replaces, in order
}

// place finds the positions of the crashes: before the first later event, but after all earlier events of the
// process.
func (s Statement) place(rec Recording) (*placed, error) {
	run := rec.Run()
	crashes, err := s.events(run)
	if err != nil {
		return nil, err
	}
	times := make([]Time, len(crashes))
	passed := make([]bool, len(crashes)) // an event after the time of the crash was read
	falls := make(map[ProcessID]*inferredFalls)
	for i := range crashes {
		times[i] = crashes[i].event.Time
		falls[crashes[i].event.Process] = new(inferredFalls)
	}
	begun := false
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		for i := range crashes {
			if _, ok := s.Crashes[i].ofDay(); ok && !begun && run.SinceEpoch(e.Time) {
				times[i] = times[i].onDayOf(e.Time)
				crashes[i].event.Time = times[i]
			}
		}
		begun = true
		if f := falls[e.Process]; f != nil {
			f.addStep(e)
		}
		now := run.TimeUnit.Units(e.Time)
		for i := range crashes {
			c := &crashes[i]
			passed[i] = passed[i] || now > times[i]
			if now <= times[i] && (!passed[i] || e.Process == c.event.Process) {
				c.after = e.Seq
				if run.TimeUnit == Logical {
					c.event.Time = e.Time
				}
			}
		}
	}
	p := &placed{crashes: crashes}
	for i, c := range crashes {
		if c.after == 0 {
			return nil, fmt.Errorf(
				"%s@%s: the run begins later, expected a time from that of its first event on",
				s.Crashes[i].Process, s.Crashes[i].Time,
			)
		}
		p.guesses = append(p.guesses, falls[c.event.Process].at(c.after)...)
	}
	slices.SortStableFunc(p.crashes, func(a, b statedEvent) int { return int(a.after - b.after) })
	slices.Sort(p.guesses)
	p.guesses = slices.Compact(p.guesses)
	return p, nil
}

// events returns the events of the stated crashes, without positions. It fails for an unknown process, a time of another unit,
// and a crash that is stated twice.
func (s Statement) events(run *Run) ([]statedEvent, error) {
	if run.Slice {
		// An inserted event would change the seqs, which a slice shares with the whole run.
		return nil, fmt.Errorf("%w; what is stated is of the run", ErrSlice)
	}
	crashes := make([]statedEvent, len(s.Crashes))
	for i, c := range s.Crashes {
		p, ok := run.Process(c.Process)
		if !ok {
			return nil, run.unknownProcess(c.Process)
		}
		t, err := c.when(run.TimeUnit)
		if err != nil {
			return nil, err
		}
		isSame := func(c statedEvent) bool { return c.event.Process == p && c.event.Time == t }
		if slices.ContainsFunc(crashes[:i], isSame) {
			return nil, fmt.Errorf("%s@%s is stated twice", c.Process, c.Time)
		}
		crashes[i].event = Event{Process: p, Kind: Crash, Time: t, Payload: []byte(`{"` + StatedKey + `":true}`)}
	}
	return crashes, nil
}

// inferredFalls collects the inferred crashes and halts of a process.
type inferredFalls struct {
	last  Seq // the last recorded step of the process
	falls []inferredFall
}

// inferredFall is an inferred crash or halt. It happened between two recorded steps of its process, after and before; 0
// for before means that no step follows.
type inferredFall struct{ seq, after, before Seq }

// addStep adds the next event of the process.
func (f *inferredFalls) addStep(e *Event) {
	switch {
	case e.Kind == Lose: // an event of the network, not of the process
	case e.Inferred() && (e.Kind == Crash || e.Kind == Halt):
		f.falls = append(f.falls, inferredFall{e.Seq, f.last, 0})
	default:
		for i := len(f.falls) - 1; i >= 0 && f.falls[i].before == 0; i-- {
			f.falls[i].before = e.Seq
		}
		f.last = e.Seq
	}
}

// at returns the inferred crashes and halts that may be the event directly after the given one.
func (f *inferredFalls) at(seq Seq) (matching []Seq) {
	for _, fall := range f.falls {
		if fall.after <= seq && (fall.before == 0 || seq < fall.before) {
			matching = append(matching, fall.seq)
		}
	}
	return matching
}

// over returns the description of the run with the statement. A process whose crashes are not declared recorded
// now has them recorded in part.
func (s Statement) over(run *Run) *Run {
	changed := *run
	if s.End != "" {
		changed.End = s.End
	}
	crash, coverage := Fact{Kind: Crash}, NewCoverage(run)
	some := map[string]Level{Crash.String(): Some}
	for _, c := range s.Crashes {
		p, _ := run.Process(c.Process)
		if l := coverage.Declared(p, crash); l == Undeclared || l == None {
			changed.Completeness = (&Completeness{Processes: map[string]Levels{c.Process: {Kinds: some}}}).Over(changed.Completeness)
		}
	}
	return &changed
}

// Over returns the recording with the statement. A stated crash has the seq of the event after which it comes,
// so that all other seqs are unchanged. It replaces inferred crashes or halts of its process at this position.
func (s Statement) Over(rec Recording) (Recording, error) {
	if s.Empty() {
		return rec, nil
	}
	placed, err := s.place(rec)
	if err != nil {
		return nil, err
	}
	return &overlaid{relabelled{rec, s.over(rec.Run())}, *placed}, nil
}

// overlaid is a recording with additional events between the recorded ones.
type overlaid struct {
	relabelled
	placed
}

// Events implements [Recording].
func (o *overlaid) Events(from Seq) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		next, _ := slices.BinarySearchFunc(o.crashes, from, func(c statedEvent, from Seq) int { return int(c.after - from) })
		for e, err := range o.Recording.Events(from) {
			if err != nil {
				yield(e, err)
				return
			}
			if _, left := slices.BinarySearch(o.guesses, e.Seq); !left && !yield(e, nil) {
				return
			}
			for seq := e.Seq; next < len(o.crashes) && o.crashes[next].after == seq; next++ {
				c := o.crashes[next].event
				c.Seq = seq
				if !yield(&c, nil) {
					return
				}
			}
		}
	}
}

// Replaces returns the seqs of the inferred crashes and halts that the statement replaces: [Statement.Over] and
// [Statement.Write] omit them.
func (s Statement) Replaces(rec Recording) ([]Seq, error) {
	placed, err := s.place(rec)
	if err != nil {
		return nil, err
	}
	return placed.guesses, nil
}

// Write copies the recording with the statement to a sink. The crashes get their own seqs, so later events are
// renumbered.
func (s Statement) Write(sink Sink, rec Recording) error {
	placed, err := s.place(rec)
	if err != nil {
		return err
	}
	run := s.over(rec.Run())
	end := run.End
	if run.Completeness != nil {
		declared := *run.Completeness
		declared.Gaps = slices.Clone(declared.Gaps)
		for i := range declared.Gaps {
			g := &declared.Gaps[i]
			g.From = placed.newSeq(g.From)
			if g.To != 0 {
				g.To = placed.newSeq(g.To+1) - 1 // including the crashes directly after it
			}
		}
		run.Completeness = &declared
	}
	if err := sink.Begin(run); err != nil {
		return err
	}
	next := 0
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		if _, left := slices.BinarySearch(placed.guesses, e.Seq); !left {
			moved := e.renumbered(placed.newSeq)
			if err := sink.Write(&moved); err != nil {
				return err
			}
		}
		for ; next < len(placed.crashes) && placed.crashes[next].after == e.Seq; next++ {
			c := placed.crashes[next].event
			// The crashes after e directly precede the new place of the event e.Seq+1.
			c.Seq = placed.newSeq(e.Seq+1) - Seq(placed.inserted(e.Seq+1)-next)
			if err := sink.Write(&c); err != nil {
				return err
			}
		}
	}
	return sink.Finish(end)
}

// newSeq returns the seq of an event after the insertion of the crashes and the removal of the guesses.
func (p *placed) newSeq(seq Seq) Seq {
	left, _ := slices.BinarySearch(p.guesses, seq)
	return seq + Seq(p.inserted(seq)-left)
}

// inserted returns the number of crashes before the event with the given old seq.
func (p *placed) inserted(seq Seq) int {
	before, _ := slices.BinarySearchFunc(p.crashes, seq, func(c statedEvent, seq Seq) int { return int(c.after - seq) })
	return before
}

// renumbered returns the event with new seqs, also in its payload.
func (e *Event) renumbered(newSeq func(Seq) Seq) Event {
	moved := *e
	moved.Seq = newSeq(e.Seq)
	if e.Cause != 0 {
		moved.Cause = newSeq(e.Cause)
	}
	var keys []string
	if loop := e.Kind == Note && e.Type == LoopNote; loop {
		keys = []string{"from", "to"}
	} else if _, has := e.Field(CausesKey); has {
		keys = []string{CausesKey}
	}
	if keys == nil {
		return moved
	}
	b := []byte{'{'}
	for key, value := range Fields(e.Payload) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(AppendString(b, string(key)), ':')
		if slices.Contains(keys, string(key)) {
			value = renumberedList(value, newSeq)
		}
		b = append(b, value...)
	}
	moved.Payload = append(b, '}')
	return moved
}

// renumberedList replaces the seqs in a JSON number or list of numbers.
func renumberedList(value []byte, newSeq func(Seq) Seq) []byte {
	parts := strings.Split(strings.Trim(string(value), "[]"), ",")
	for i, part := range parts {
		if n, err := strconv.ParseInt(part, 10, 64); err == nil {
			parts[i] = strconv.FormatInt(int64(newSeq(Seq(n))), 10)
		}
	}
	list := strings.Join(parts, ",")
	if strings.HasPrefix(string(value), "[") {
		list = "[" + list + "]"
	}
	return []byte(list)
}
