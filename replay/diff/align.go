package diff

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"etrace/tracefmt"
)

// alignment reads two runs side by side, and compares each process of one with the process of the same name
// in the other.
type alignment struct {
	ignore *ignored
	sides  [2]*side
	lanes  []*lane // 0 is the network; then the processes of the first run, then those of the second run only

	events int64 // number of events compared, one of each run
	order  *Reordering
	times  *Shift
	fields *FieldShift

	// lost is the place of losses in the recorded order, and no lane of steps.
	lost   lane
	losses losses
}

// side is one of the two runs.
type side struct {
	rec    tracefmt.Recording
	digest *Digest
	lanes  []int           // by ProcessID, the index in alignment.lanes
	events int64           // number of steps and losses so far
	seq    tracefmt.Seq    // the seq of the last of these steps
	watch  tracefmt.Writer // gets every event; nil for none
}

// lane is a process in both runs.
type lane struct {
	name string
	has  [2]bool // whether each run has the process
	// ahead holds, from head on, the steps of the run that is ahead of the other; leader is that run.
	ahead  []step
	head   int
	leader int
	// compared counts the steps that both runs share; diverged: the next differs.
	compared int64
	diverged bool
}

// step is a step of a process. prefix is the hash of all steps of the process up to this one, beside the hash
// of the fields that a log has beside its text.
type step struct {
	prefix    uint64
	time, due tracefmt.Time
	beside    uint64
}

// newAlignment returns the alignment of two runs; processes of equal names share a lane.
func newAlignment(recs [2]tracefmt.Recording, ignore *ignored) *alignment {
	x := &alignment{
		ignore: ignore, losses: losses{waiting: map[uint64][]waitingLoss{}},
		lanes: []*lane{{has: [2]bool{true, true}}},
	}
	known := map[string]int{}
	for i, rec := range recs {
		s := &side{rec: rec, digest: newDigest(rec.Run(), ignore), lanes: []int{0}}
		for _, m := range rec.Run().Members {
			laneIndex, ok := known[m.Name]
			if !ok {
				laneIndex = len(x.lanes)
				known[m.Name] = laneIndex
				x.lanes = append(x.lanes, &lane{name: m.Name})
			}
			x.lanes[laneIndex].has[i] = true
			s.lanes = append(s.lanes, laneIndex)
		}
		x.sides[i] = s
	}
	return x
}

// align reads both runs to their ends, one event of each in turn, and compares their steps.
func (x *alignment) align() error {
	var next [2]func() (*tracefmt.Event, error, bool)
	for i, s := range x.sides {
		pull, stop := iter.Pull2(s.rec.Events(1))
		defer stop()
		next[i] = pull
	}
	open := [2]bool{true, true}
	for open[0] || open[1] {
		var lanes [2]*lane
		var steps [2]step
		for i, s := range x.sides {
			if !open[i] {
				continue
			}
			var err error
			lanes[i], steps[i], err = s.nextStep(x, next[i])
			if err != nil {
				return err
			}
			open[i] = lanes[i] != nil
			if open[i] {
				s.events++
				x.compareStep(lanes[i], i, steps[i])
			}
		}
		x.compareOrder(lanes, steps)
	}
	for _, l := range x.lanes {
		l.diverged = l.diverged || len(l.ahead) > l.head
	}
	return nil
}

// nextStep returns the next step or loss of a run that is not ignored, and its lane; a nil lane at the end.
func (s *side) nextStep(x *alignment, pull func() (*tracefmt.Event, error, bool)) (*lane, step, error) {
	for {
		e, err, ok := pull()
		if err != nil || !ok {
			return nil, step{}, err
		}
		if s.watch != nil {
			if err := s.watch.Write(e); err != nil {
				return nil, step{}, err
			}
		}
		// A loss is no step of a process, but counts in the digest.
		lost := s.digest.lost
		if s.digest.add(e) {
			s.seq = e.Seq
			return x.lanes[s.lanes[e.Process]], step{s.digest.prefix[e.Process], e.Time, timerDue(e), s.digest.beside}, nil
		}
		if s.digest.lost > lost {
			s.seq = e.Seq
			return &x.lost, step{prefix: s.digest.lastLoss, time: e.Time}, nil
		}
	}
}

// timerDue returns when the timer of the event is due; 0 if it is not recorded.
func timerDue(e *tracefmt.Event) tracefmt.Time {
	if e.Kind != tracefmt.SetTimer && e.Kind != tracefmt.Timeout {
		return 0
	}
	text, _ := e.Field("due")
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return 0
	}
	return tracefmt.Time(n)
}

// oneSided returns the run, 1 or 2, that alone has texts; 0 if both or neither has, or if texts are ignored.
func (x *alignment) oneSided() int {
	a, b := x.sides[0].digest.texts > 0, x.sides[1].digest.texts > 0
	switch {
	case a == b || x.ignore.parts[logTexts]:
		return 0
	case a:
		return 1
	}
	return 2
}

// compareStep compares a step of one run with the step of the same number in the other. It stores the step if
// the other run has not got that far.
func (x *alignment) compareStep(l *lane, side int, s step) {
	switch {
	case l == &x.lost:
		x.compareLosses(side, s)
		return
	case l.diverged:
		return
	// No step waits for its partner, so this run takes the lead.
	case l.head == len(l.ahead):
		l.ahead, l.head, l.leader = append(l.ahead[:0], s), 0, side
		return
	case l.leader == side:
		l.ahead = append(l.ahead, s)
		return
	}
	partner := l.ahead[l.head]
	l.head++
	if partner.prefix != s.prefix {
		l.diverged, l.ahead, l.head = true, nil, 0
		return
	}
	l.compared++
	// Partners that were compared are dropped once they are half of the list, so that the cost of copying is linear.
	if l.head > 1024 && l.head > len(l.ahead)/2 {
		l.ahead, l.head = append(l.ahead[:0], l.ahead[l.head:]...), 0
	}
	x.compareTimes(l, side, s, partner)
	x.compareFields(l, s, partner)
}

// compareTimes counts steps that differ in their times or in the due times of their timers.
func (x *alignment) compareTimes(l *lane, side int, s, partner step) {
	if s.time == partner.time && s.due == partner.due || x.ignore.parts[times] {
		return
	}
	if x.times == nil {
		t := [2]tracefmt.Time{s.time, partner.time}
		if s.time == partner.time {
			t = [2]tracefmt.Time{s.due, partner.due}
		}
		x.times = &Shift{Process: l.name, Step: l.compared, Times: [2]tracefmt.Time{t[side], t[1-side]}}
	}
	x.times.Steps++
}

// compareFields counts steps for which logs record other fields beside their texts.
func (x *alignment) compareFields(l *lane, s, partner step) {
	if s.beside == partner.beside || x.ignore.parts[fields] {
		return
	}
	if x.fields == nil {
		x.fields = &FieldShift{Process: l.name, Step: l.compared}
	}
	x.fields.Steps++
}

// compareOrder finds the first place in the recorded order at which the two runs have different events.
func (x *alignment) compareOrder(lanes [2]*lane, steps [2]step) {
	x.events++
	if x.order != nil || x.ignore.parts[order] || lanes[0] == lanes[1] && steps[0].prefix == steps[1].prefix {
		return
	}
	x.order = &Reordering{Event: x.events, At: [2]tracefmt.Seq{x.sides[0].seq, x.sides[1].seq}}
}

// report returns the result of the alignment. If the runs are different, addDetails completes it.
func (x *alignment) report() *Report {
	r := &Report{
		Outcome: Equal, Order: x.order, Times: x.times, Fields: x.fields, LossTimes: x.losses.shift,
		Omitted: x.ignore.omissions(),
	}
	if x.order != nil || x.times != nil || x.fields != nil || x.losses.shift != nil {
		r.Outcome = Reordered
	}
	for i, s := range x.sides {
		r.Runs[i], r.Events[i] = s.rec.Run(), s.events
	}
	// Other counts of messages need no look: a send and a receive are steps, whose difference is a divergence.
	if x.ignore.gaps.ends(r.Runs) || x.sides[0].digest.losses != x.sides[1].digest.losses {
		r.Outcome = Different
	}
	// A process that only one run has is a difference, even if it has no event.
	for _, l := range x.lanes {
		if l.diverged {
			r.Outcome = Different
		}
		for i := range l.has {
			if !l.has[i] {
				r.Outcome = Different
				r.Missing[i] = append(r.Missing[i], l.name)
			}
		}
	}
	return r
}

// messages lists the counts of messages that differ, by type, sender and receiver.
func (x *alignment) messages() []MessageCount {
	type row struct {
		typ            string
		from, receiver int
	}
	counts := map[row]*[2]fates{}
	for i, s := range x.sides {
		for _, f := range s.digest.channels[1:] {
			key := row{f.typ, s.lanes[f.from], s.lanes[f.receiver]}
			if counts[key] == nil {
				counts[key] = &[2]fates{}
			}
			counts[key][i] = f
		}
	}
	var list []MessageCount
	for key, f := range counts {
		for _, fate := range messageFates {
			a, b := fate.count(&f[0]), fate.count(&f[1])
			if *a != *b {
				list = append(list, MessageCount{
					From: x.lanes[key.from].name, To: x.lanes[key.receiver].name, Type: key.typ, Fate: fate.name,
					Count: [2]int64{*a, *b},
				})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b MessageCount) int { // the fates stay in their order
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return list
}

// messageFates are the counts kept of the messages of a channel.
var messageFates = []struct {
	name  string
	kind  tracefmt.Kind
	count func(*fates) *int64
}{
	{"sent", tracefmt.Send, func(f *fates) *int64 { return &f.sent }},
	{"received", tracefmt.Receive, func(f *fates) *int64 { return &f.received }},
	{"lost", tracefmt.Lose, func(f *fates) *int64 { return &f.lost }},
}
