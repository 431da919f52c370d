package tracefmt

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Statement is what somebody who knows it states of a run beside its record. The zero
// Statement states nothing.
type Statement struct {
	Crashes []StatedCrash
	// End is how the run ended, "" as it is recorded.
	End End
}

// StatedCrash is the crash of a process at a time, both as they were written.
type StatedCrash struct{ Process, Time string }

// Empty reports whether nothing is stated.
func (s Statement) Empty() bool { return len(s.Crashes) == 0 && s.End == "" }

// StatedCrashForm says how a crash is stated, see [ParseStatedCrash].
const StatedCrashForm = "PROCESS@TIME, where the time is a number in the unit of the run, such as 3.5, a duration, or a time such as 2026-05-01T10:00:00.5Z"

// ParseStatedCrash reads PROCESS@TIME. What the time means is for the run to say.
func ParseStatedCrash(s string) (StatedCrash, error) {
	i := strings.LastIndexByte(s, '@')
	if i < 1 {
		return StatedCrash{}, fmt.Errorf("expected %s", StatedCrashForm)
	}
	c := StatedCrash{s[:i], s[i+1:]}
	_, err := c.when(Nanoseconds)
	return c, err
}

// when is the time in a run of that unit.
func (c StatedCrash) when(unit TimeUnit) (Time, error) {
	if t, err := ParseTime(c.Time); err == nil {
		return t, nil
	}
	if d, err := time.ParseDuration(c.Time); err == nil {
		return Time(d), nil
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

// stated is an event that comes after another of the run.
type stated struct {
	after Seq
	event Event
}

// placed is where what is stated comes, in order, and which events it takes the place of.
type placed struct {
	crashes []stated
	// guesses are the crashes and halts that were inferred and were one of these.
	guesses []Seq
}

// place finds where the crashes are: before the first event that is later, but after the
// events of the process that are not.
func (s Statement) place(rec Recording) (*placed, error) {
	run := rec.Run()
	if run.Slice {
		return nil, fmt.Errorf("%w; what is stated is of the run", ErrSlice) // and moves its seqs
	}
	all := make([]stated, len(s.Crashes))
	times := make([]Time, len(s.Crashes))
	for i, c := range s.Crashes {
		p, ok := run.Process(c.Process)
		if !ok {
			return nil, run.unknownProcess(c.Process)
		}
		t, err := c.when(run.TimeUnit)
		if err != nil {
			return nil, err
		}
		for j := range i {
			if all[j].event.Process == p && times[j] == t {
				return nil, fmt.Errorf("%s@%s is stated twice", c.Process, c.Time)
			}
		}
		all[i].event, times[i] = Event{Process: p, Kind: Crash, Time: t, Payload: []byte(`{"` + StatedKey + `":true}`)}, t
	}
	passed, falls := make([]bool, len(all)), make(map[ProcessID]*guessed)
	for i := range all {
		falls[all[i].event.Process] = new(guessed)
	}
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		if g := falls[e.Process]; g != nil {
			g.step(e)
		}
		now := run.TimeUnit.Units(e.Time)
		for i := range all {
			c := &all[i]
			passed[i] = passed[i] || now > times[i]
			if now <= times[i] && (!passed[i] || e.Process == c.event.Process) {
				c.after = e.Seq
				if run.TimeUnit == Logical {
					c.event.Time = e.Time
				}
			}
		}
	}
	for i, c := range all {
		if c.after == 0 {
			return nil, fmt.Errorf("%s@%s: the run begins later, expected a time from that of its first event on", s.Crashes[i].Process, s.Crashes[i].Time)
		}
	}
	slices.SortStableFunc(all, func(a, b stated) int { return int(a.after - b.after) })
	p := &placed{crashes: all}
	for _, c := range all {
		p.guesses = append(p.guesses, falls[c.event.Process].at(c.after)...)
	}
	slices.Sort(p.guesses)
	p.guesses = slices.Compact(p.guesses)
	return p, nil
}

// guessed are the crashes and halts of a process that were inferred.
type guessed struct {
	last Seq // its last step that was recorded
	all  []guess
}

// guess happened after one step of its process and before another, 0 for none.
type guess struct{ seq, after, before Seq }

func (g *guessed) step(e *Event) {
	switch {
	case e.Kind == Lose:
	case e.Inferred() && (e.Kind == Crash || e.Kind == Halt):
		g.all = append(g.all, guess{e.Seq, g.last, 0})
	default:
		for i := len(g.all) - 1; i >= 0 && g.all[i].before == 0; i-- {
			g.all[i].before = e.Seq
		}
		g.last = e.Seq
	}
}

// at returns those that may have been what happened right after an event.
func (g *guessed) at(seq Seq) (all []Seq) {
	for _, one := range g.all {
		if one.after <= seq && (one.before == 0 || seq < one.before) {
			all = append(all, one.seq)
		}
	}
	return all
}

// over is the description of the run with what is stated. Of a process that does not say to
// record its crashes, some are recorded now.
func (s Statement) over(run *Run) *Run {
	with := *run
	if s.End != "" {
		with.End = s.End
	}
	crash, said := Fact{Kind: Crash}, NewCoverage(run)
	some := map[string]Level{Crash.String(): Some}
	for _, c := range s.Crashes {
		p, _ := run.Process(c.Process)
		if l := said.Said(p, crash); l == Unsaid || l == None {
			with.Completeness = (&Completeness{Processes: map[string]Levels{c.Process: {Kinds: some}}}).Over(with.Completeness)
		}
	}
	return &with
}

// Over returns the recording with what is stated. A crash that is stated has the seq of the
// event after which it comes, so that the seqs of all others stay those of the record. A crash
// or halt of its process that was inferred there, since it had to be, is left out.
func (s Statement) Over(rec Recording) (Recording, error) {
	if s.Empty() {
		return rec, nil
	}
	placed, err := s.place(rec)
	if err != nil {
		return nil, err
	}
	return &overlaid{retold{rec, s.over(rec.Run())}, *placed}, nil
}

// overlaid is a recording with events between those that are recorded.
type overlaid struct {
	retold
	placed
}

// Events implements [Recording].
func (o *overlaid) Events(from Seq) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		next, _ := slices.BinarySearchFunc(o.crashes, from, func(c stated, from Seq) int { return int(c.after - from) })
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
				if c.Seq = seq; !yield(&c, nil) {
					return
				}
			}
		}
	}
}

// Replaces returns the seqs of the crashes and halts of a recording that were inferred, and are what is
// stated: [Statement.Over] and [Statement.Write] leave them out.
func (s Statement) Replaces(rec Recording) ([]Seq, error) {
	placed, err := s.place(rec)
	if err != nil {
		return nil, err
	}
	return placed.guesses, nil
}

// Write copies the recording with what is stated to a sink, where the crashes have seqs of
// their own and the events after them other ones.
func (s Statement) Write(to Sink, rec Recording) error {
	placed, err := s.place(rec)
	if err != nil {
		return err
	}
	run := s.over(rec.Run())
	end := run.End
	if run.Completeness != nil {
		tells := *run.Completeness
		tells.Gaps = slices.Clone(tells.Gaps)
		for i := range tells.Gaps {
			g := &tells.Gaps[i]
			if g.From = placed.now(g.From); g.To != 0 {
				g.To = placed.now(g.To+1) - 1 // with the crashes right after it
			}
		}
		run.Completeness = &tells
	}
	if err := to.Begin(run); err != nil {
		return err
	}
	next := 0
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		if _, left := slices.BinarySearch(placed.guesses, e.Seq); !left {
			moved := e.renumbered(placed.now)
			if err := to.Write(&moved); err != nil {
				return err
			}
		}
		for ; next < len(placed.crashes) && placed.crashes[next].after == e.Seq; next++ {
			c := placed.crashes[next].event
			c.Seq = placed.now(e.Seq+1) - Seq(placed.from(e.Seq+1)-next)
			if err := to.Write(&c); err != nil {
				return err
			}
		}
	}
	return to.Finish(end)
}

// now is the seq of the event that had that one.
func (p *placed) now(seq Seq) Seq {
	left, _ := slices.BinarySearch(p.guesses, seq)
	return seq + Seq(p.from(seq)-left)
}

// from is how many crashes come before the event that had that seq.
func (p *placed) from(seq Seq) int {
	before, _ := slices.BinarySearchFunc(p.crashes, seq, func(c stated, seq Seq) int { return int(c.after - seq) })
	return before
}

// renumbered is the event with other seqs, also in its payload.
func (e *Event) renumbered(now func(Seq) Seq) Event {
	moved := *e
	moved.Seq = now(e.Seq)
	if e.Cause != 0 {
		moved.Cause = now(e.Cause)
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
			value = renumberedList(value, now)
		}
		b = append(b, value...)
	}
	moved.Payload = append(b, '}')
	return moved
}

// renumberedList replaces the seqs in a JSON number, or list of numbers.
func renumberedList(value []byte, now func(Seq) Seq) []byte {
	parts := strings.Split(strings.Trim(string(value), "[]"), ",")
	for i, part := range parts {
		if n, err := strconv.ParseInt(part, 10, 64); err == nil {
			parts[i] = strconv.FormatInt(int64(now(Seq(n))), 10)
		}
	}
	list := strings.Join(parts, ",")
	if strings.HasPrefix(string(value), "[") {
		list = "[" + list + "]"
	}
	return []byte(list)
}
