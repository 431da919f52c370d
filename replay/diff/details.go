package diff

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// addDetails reads both runs again and adds the differences to the report: divergences, and unless o.Brief is
// set messages, losses and final states.
func (x *alignment) addDetails(r *Report, o Options) error {
	if !o.Brief {
		r.Messages = x.messages()
	}
	var found [2]*details
	for i := range x.sides {
		found[i] = newDetails(x, i, r.Messages)
		if err := found[i].read(o.Brief); err != nil {
			return err
		}
	}
	x.divergences(r, found)
	if o.Brief {
		return nil
	}
	for i, m := range r.Messages {
		// The first further message is in the run that has more of them.
		more := 0
		if m.Count[1] > m.Count[0] {
			more = 1
		}
		r.Messages[i].First = found[more].firsts[i]
	}
	for i, c := range found {
		r.Losses[i] = c.lostBeyond(found[1-i])
		if o.Apart {
			r.Apart[i] = slices.Sorted(slices.Values(c.unmatched))
		}
	}
	x.states(r, found)
	return nil
}

// read reads the run. If brief is true, it stops after the last divergence.
func (c *details) read(brief bool) error {
	remaining := 0 // divergences that are still to come
	for _, l := range c.x.lanes {
		if l.diverged {
			remaining++
		}
	}
	for e, err := range c.x.sides[c.side].rec.Events(1) {
		switch {
		case err != nil:
			return err
		case brief && remaining == 0:
			return nil
		}
		if c.step(e) {
			remaining--
		}
		if !brief {
			c.add(e)
		}
	}
	return nil
}

// details collects the differences of one run for the report.
type details struct {
	x      *alignment
	side   int
	run    *tracefmt.Run
	words  *replay.Sentences
	digest *Digest
	state  *replay.State
	lanes  []detailsLane // one for each lane of the alignment
	// influenced marks the events that a divergence happened before.
	influenced causes[bool]
	// soughtMessages are, by channel, the rows of Report.Messages that look for the first message beyond the count of
	// the other run; firsts are the seqs found, by row.
	soughtMessages map[channel][]soughtMessage
	firsts         []tracefmt.Seq
	// losses counts the losses by their hashes, and has the first of each.
	losses map[uint64]*Lost
	// unmatched is Report.Apart of this run.
	unmatched []tracefmt.Seq
}

// detailsLane is a process of the run: the events at and before its divergence.
type detailsLane struct {
	divergence, beforeDivergence Place
	steps                        int64 // the number of steps so far
	// influenced is true if some divergence happened before the last step. follows is true if the divergence of
	// another process happened before the divergence of this one.
	influenced, follows bool
}

// soughtMessage looks for the first message of a kind that the other run does not have: message otherCount+1.
type soughtMessage struct {
	row        int // the index in Report.Messages
	kind       tracefmt.Kind
	otherCount int64 // the count of the other run
	count      int64
}

// newDetails prepares to read one run. It looks for the first surplus message of each row in which this run
// has the greater count.
func newDetails(x *alignment, side int, messages []MessageCount) *details {
	run := x.sides[side].rec.Run()
	c := &details{
		x: x, side: side, run: run, words: replay.NewSentences(run), digest: newDigest(run, x.ignore),
		state: replay.NewState(run),
		lanes: make([]detailsLane, len(x.lanes)), influenced: newCauses[bool](run),
		soughtMessages: map[channel][]soughtMessage{}, firsts: make([]tracefmt.Seq, len(messages)),
		losses: map[uint64]*Lost{},
	}
	for row, m := range messages {
		if m.Count[side] < m.Count[1-side] {
			continue
		}
		from, _ := run.Process(m.From)
		receiver, _ := run.Process(m.To)
		for _, fate := range messageFates {
			if fate.name == m.Fate {
				at := channel{from, receiver, m.Type}
				c.soughtMessages[at] = append(c.soughtMessages[at],
					soughtMessage{row: row, kind: fate.kind, otherCount: m.Count[1-side]})
			}
		}
	}
	return c
}

// add adds an event to the counts of messages, the losses, and the final state.
func (c *details) add(e *tracefmt.Event) {
	c.state.Apply(e)
	if !c.digest.counts(e) {
		return
	}
	c.digest.add(e)
	switch e.Kind {
	case tracefmt.Send:
		c.countMessage(channel{e.Process, e.Peer, e.Type}, e)
	case tracefmt.Receive:
		c.countMessage(channel{e.Peer, e.Process, e.Type}, e)
	case tracefmt.Lose:
		c.countMessage(channel{e.Peer, e.Process, e.Type}, e)
		c.lose(e)
	}
}

// step counts a step of a process, and notes the events at and before its divergence and what these
// influence. It reports whether the event is the divergence.
func (c *details) step(e *tracefmt.Event) bool {
	if e.Kind == tracefmt.Lose || !c.digest.counts(e) {
		return false
	}
	laneIndex := c.x.sides[c.side].lanes[e.Process]
	l, common := &c.lanes[laneIndex], c.x.lanes[laneIndex]
	l.steps++
	number := l.steps
	c.influenced.each(e, func(bool) { l.influenced = true })
	if common.diverged {
		switch number {
		// The first pass counted the equal steps of the process, so the next one is its divergence.
		case common.compared:
			l.beforeDivergence = c.place(e)
		case common.compared + 1:
			l.divergence, l.follows = c.place(e), l.influenced
		}
		if number > common.compared {
			l.influenced = true
			if len(c.unmatched) < maxApart {
				c.unmatched = append(c.unmatched, e.Seq)
			}
		}
	}
	if l.influenced {
		c.influenced.store(e, true)
	}
	return common.diverged && number == common.compared+1
}

// place describes an event. Events of equal sentences may differ in their message or cause, so the text names
// the seq of the cause.
func (c *details) place(e *tracefmt.Event) Place {
	p := Place{Seq: e.Seq, Time: c.run.TimeUnit.Units(e.Time), Text: c.sentence(e)}
	switch {
	case e.Cause == 0: // the send is not recorded
	case e.Kind == tracefmt.Receive:
		p.Text += fmt.Sprintf(", sent at seq %d", e.Cause)
	default:
		p.Text += fmt.Sprintf(", after seq %d", e.Cause)
	}
	return p
}

// sentence describes an event, with the text of the log if texts are compared.
func (c *details) sentence(e *tracefmt.Event) string {
	sentence, words := c.words.Of(e), replay.LogText(e)
	switch {
	case words == "" || c.x.ignore.parts[logTexts] || strings.Contains(sentence, words):
		return sentence
	case e.Kind == tracefmt.Note && e.Type == "":
		// The sentence has the beginning of the log text, so the whole text replaces the sentence.
		return text.Printable(c.run.ProcessName(e.Process)) + ": " + words
	}
	return sentence + ": " + words
}

// countMessage counts a message, and notes the event if it is the first beyond the other run's count.
func (c *details) countMessage(at channel, e *tracefmt.Event) {
	for i := range c.soughtMessages[at] {
		w := &c.soughtMessages[at][i]
		if w.kind != e.Kind {
			continue
		}
		if w.count++; w.count == w.otherCount+1 {
			c.firsts[w.row] = e.Seq
		}
	}
}

// lose counts a loss, if the runs differ in their losses.
func (c *details) lose(e *tracefmt.Event) {
	if c.x.sides[0].digest.losses == c.x.sides[1].digest.losses {
		return
	}
	h := c.digest.loss(e)
	if c.losses[h] == nil {
		c.losses[h] = &Lost{First: e.Seq}
	}
	c.losses[h].Count++
}

// lostBeyond returns the number of losses that the other run does not have, and the first of them. It adds
// them to apart.
func (c *details) lostBeyond(counterpart *details) (lost Lost) {
	for h, l := range c.losses {
		had := int64(0)
		if o := counterpart.losses[h]; o != nil {
			had = o.Count
		}
		if l.Count <= had {
			continue
		}
		c.unmatched = append(c.unmatched, l.First)
		lost.Count += l.Count - had
		if lost.First == 0 || l.First < lost.First {
			lost.First = l.First
		}
	}
	return lost
}

// divergences lists the first step of each process that differs, causes before their consequences.
func (x *alignment) divergences(r *Report, found [2]*details) {
	causes := false
	// independent[i] is true if divergence i follows from no other one in some run.
	var independent []bool
	for i, l := range x.lanes {
		if !l.diverged || !l.has[0] || !l.has[1] {
			continue
		}
		a, b := &found[0].lanes[i], &found[1].lanes[i]
		d := Divergence{
			Process: l.name, Step: l.compared + 1, At: [2]Place{a.divergence, b.divergence},
			Before: [2]Place{a.beforeDivergence, b.beforeDivergence},
			Of:     [2]int64{found[0].stepsOf(i), found[1].stepsOf(i)}, Follows: a.follows || b.follows,
		}
		r.Divergences = append(r.Divergences, d)
		independent = append(independent, a.divergence.Seq != 0 && !a.follows || b.divergence.Seq != 0 && !b.follows)
		causes = causes || !d.Follows
	}
	// Two processes may each be the first in one run. Then all follow; but the
	// first of them in the recorded order of a run follows none in that run.
	for i := range r.Divergences {
		if d := &r.Divergences[i]; !causes {
			d.Follows = !independent[i]
		}
	}
	slices.SortStableFunc(r.Divergences, func(a, b Divergence) int {
		return cmp.Or(compareBool(a.Follows, b.Follows), cmp.Compare(a.rank(), b.rank()))
	})
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// rank is the smaller of the two seqs, for sorting.
func (d *Divergence) rank() tracefmt.Seq {
	a, b := d.At[0].Seq, d.At[1].Seq
	return min(cmp.Or(a, b), cmp.Or(b, a))
}

// stepsOf returns the number of steps of the process in a lane; 0 if the run does not have it.
func (c *details) stepsOf(lane int) int64 {
	for p, at := range c.x.sides[c.side].lanes {
		if at == lane {
			return c.x.sides[c.side].digest.steps[p]
		}
	}
	return 0
}

// states lists the variables and statuses that differ at the end of the runs.
func (x *alignment) states(r *Report, found [2]*details) {
	for i, l := range x.lanes {
		// Lane 0 is the network, which has no state.
		if i == 0 || !l.has[0] || !l.has[1] || x.ignore.parts[states] || x.ignore.gaps.process(l.name) {
			continue
		}
		a, b := found[0].values(l.name), found[1].values(l.name)
		names := maps.Clone(a)
		maps.Copy(names, b)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if a[name] != b[name] && !x.ignore.fields[name] && !x.notCompared(name) {
				r.States = append(r.States, Value{
					l.name, name,
					[2]string{replay.Plain([]byte(a[name])), replay.Plain([]byte(b[name]))},
				})
			}
		}
	}
}

// notCompared reports whether a variable, or the status, is left out because a run records it incompletely.
func (x *alignment) notCompared(name string) bool {
	if name == statusName {
		return x.ignore.gaps.status()
	}
	return x.ignore.gaps.variable(name)
}

// statusName is the name of the status of a process among its variables.
const statusName = "(status)"

// values are the status and the variables of a process at the end, as JSON.
func (c *details) values(process string) map[string]string {
	p, _ := c.run.Process(process)
	values := map[string]string{statusName: c.state.Process(p).Shown().String()}
	for _, name := range c.state.Variables(p) {
		value, _ := c.state.Variable(p, name)
		values[name] = string(value)
	}
	return values
}
