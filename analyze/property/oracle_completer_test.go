package property_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt"
)

// completer makes the completions of a recording.
type completer struct {
	theme *theme
	steps []happening
	// begins are the steps that may be missing at a process after a number of recorded events.
	begins    [][][]tracefmt.Event
	run       tracefmt.Run
	recorded  []tracefmt.Event
	coverage  *tracefmt.Coverage
	variables map[string]bool // that there are
	// terms is set if some recorded event has a term. A recording without terms is of a system without terms.
	terms bool
	// orphans are the sends that are missing, by what arrives of them.
	orphans []tracefmt.Event
	// truncates: the recording leaves it to Raft that an entry which takes the place of one of
	// another term ends a log. In a complete record an event names the entries that it deletes.
	truncates bool
	// lacks are the facts that random completions mostly hide.
	lacks []analyze.Need
	// yield takes the next completion, until it returns false.
	yield func(*tracefmt.Memory) bool
	done  bool
}

func newCompleter(th *theme, rec *tracefmt.Memory) *completer {
	known, err := tracefmt.WithInferredGaps(rec)
	if err != nil {
		panic(err) // a Memory has no error
	}
	c := &completer{
		theme: th, steps: th.hidden(), run: *rec.Run(), coverage: tracefmt.NewCoverage(known.Run()),
		variables: map[string]bool{},
	}
	sent := map[tracefmt.MessageID]bool{}
	for e := range rec.Events(1) {
		c.coverage.Show(e)
		c.recorded = append(c.recorded, *e.Clone())
		c.terms = c.terms || e.Term != 0
		for name := range tracefmt.Fields(e.Payload) {
			c.variables[variable(name)] = true
		}
		switch {
		case e.Kind == tracefmt.Send:
			sent[e.Message] = true
		case e.Kind == tracefmt.Receive && !sent[e.Message]:
			c.orphans = append(c.orphans, tracefmt.Event{
				Kind: tracefmt.Send, Process: e.Peer, Peer: e.Process,
				Type: e.Type, Message: e.Message, Payload: slices.Clone(e.Payload),
			})
		}
	}
	if rec.Run().Completeness != nil {
		for key := range rec.Run().Completeness.Kinds {
			if facts, _ := tracefmt.ParseFacts(key); facts[0].Variable != "" {
				c.variables[facts[0].Variable] = true
			}
		}
	}
	c.truncates = th.name == "raft" && c.coverage.Declared(1, tracefmt.StateOf("log")) != tracefmt.All
	c.run.Completeness = &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All}}
	return c
}

// variable is the name of a variable without the place in a list.
func variable(name []byte) string {
	text, _, _ := strings.Cut(string(name), "[")
	return text
}

// each yields the completions with a given number of hidden events.
func (c *completer) each(hidden int, yield func(*tracefmt.Memory) bool) {
	c.yield = yield
	if !c.done {
		c.extend(new(course), nil, 0, hidden)
	}
}

// extend goes on after the first at events that are recorded, with some hidden ones left
// to be placed.
func (c *completer) extend(w *course, variant []tracefmt.Event, at, hidden int) {
	if c.done {
		return
	}
	if hidden > 0 {
		c.hide(w, variant, at, hidden)
	}
	switch {
	case at < len(c.recorded):
		c.record(w, variant, at, hidden)
	case hidden == 0:
		c.done = !c.yield(c.recording(variant))
	}
}

// record goes on with the next recorded event, and with variables that it may lack.
func (c *completer) record(w *course, variant []tracefmt.Event, at, hidden int) {
	e := c.recorded[at]
	if e.Inferred() {
		c.extend(w, variant, at+1, hidden)
		e = sure(e)
	}
	follow := func(e tracefmt.Event, hidden int) {
		if next := w.after(&e); next != nil {
			c.extend(next, append(variant[:len(variant):len(variant)], e), at+1, hidden)
		}
	}
	if hidden > 0 && (e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover) {
		for _, payload := range c.theme.values() {
			name, _ := firstField(payload)
			if _, has := e.Field(name); !has && c.variables[variable([]byte(name))] &&
				c.coverage.Level(e.Process, tracefmt.StateOf(name)) != tracefmt.All {
				more := e
				more.Payload = joined(e.Payload, payload)
				follow(more, hidden-1)
			}
		}
	}
	follow(e, hidden)
}

// sure is an inferred event as an event that happened.
func sure(e tracefmt.Event) tracefmt.Event {
	var left [][]byte
	for name, value := range tracefmt.Fields(e.Payload) {
		if !tracefmt.IsMark(e.Kind, name) {
			left = append(left, slices.Concat(tracefmt.AppendString(nil, string(name)), []byte(":"), value))
		}
	}
	e.Payload = nil
	if left != nil {
		e.Payload = slices.Concat([]byte("{"), bytes.Join(left, []byte(",")), []byte("}"))
	}
	return e
}

// hide goes on with each event that may have happened here without being recorded.
func (c *completer) hide(w *course, variant []tracefmt.Event, at, hidden int) {
	c.candidates(w, at, func(e *tracefmt.Event) {
		if c.done {
			return
		}
		if next := w.after(e); next != nil {
			c.extend(next, append(variant[:len(variant):len(variant)], *e), at, hidden-1)
		}
	})
}

// candidates yields the events that may have happened after the first at events that are
// recorded and before the next one. Whether they keep the rules is not asked.
func (c *completer) candidates(w *course, at int, yield func(*tracefmt.Event)) {
	timed := func(e *tracefmt.Event) {
		for _, e.Time = range c.times(e.Kind, at) {
			yield(e)
		}
	}
	try := func(e *tracefmt.Event) {
		if c.missing(e, at) {
			timed(e)
		}
	}
	for p := range tracefmt.ProcessID(c.theme.n) {
		for _, e := range c.beginning(at, p+1) {
			if e.Kind == tracefmt.Start && w.processes[p+1].stepped &&
				!c.coverage.DeclaredMissing(p+1, tracefmt.Fact{Kind: e.Kind}, tracefmt.Seq(at), c.before(at)) {
				continue // only recoveries bring a process up in a run without starts
			}
			if (e.Kind == tracefmt.Recover || e.Kind == tracefmt.Start) && w.processes[p+1].inside && c.exits(p+1, at) {
				continue
			}
			if e.Kind == tracefmt.Send {
				e.Message = tracefmt.MessageID(1000 + len(w.messages))
			}
			timed(&e)
		}
		w.follows(p+1, try)
	}
	for _, send := range c.orphans {
		if !slices.ContainsFunc(w.messages, func(m message) bool { return m.Message == send.Message }) {
			try(&send)
		}
	}
}

// times are when a hidden event of the kind may have been after the first at events that are recorded: by
// the clock of its process, unless such are in no word of the recording. Of these none is missed.
func (c *completer) times(k tracefmt.Kind, at int) []tracefmt.Time {
	when := tracefmt.Time(0)
	if at > 0 {
		when = c.recorded[at-1].Time
	}
	if c.theme.late == 0 || !c.coverage.Occurs(k) && c.coverage.Nowhere(tracefmt.Fact{Kind: k}) {
		return []tracefmt.Time{when}
	}
	return []tracefmt.Time{when, when + c.theme.late}
}

// exits reports whether the next that a process is recorded to note, after the first at
// events, is an exit: if it has entered, it is still inside, and has not come up anew since.
func (c *completer) exits(p tracefmt.ProcessID, at int) bool {
	for _, e := range c.recorded[at:] {
		if e.Process == p && e.Kind == tracefmt.Note && (e.Type == "enter" || e.Type == "exit") {
			return e.Type == "exit"
		}
	}
	return false
}

// beginning are the steps of p that may be missing after the first at events.
func (c *completer) beginning(at int, p tracefmt.ProcessID) []tracefmt.Event {
	if c.begins == nil {
		c.begins = make([][][]tracefmt.Event, len(c.recorded)+1)
	}
	if c.begins[at] == nil {
		for q := range tracefmt.ProcessID(c.theme.n) {
			c.begins[at] = append(c.begins[at], slices.DeleteFunc(began(c.steps, c.theme.n, q+1),
				func(e tracefmt.Event) bool { return !c.missing(&e, at) }))
		}
	}
	return c.begins[at][p-1]
}

// random returns a completion with about that number of hidden events at random places, beside the necessary ones;
// nil if the drawn run breaks the rules.
func (c *completer) random(random *rand.Rand, hidden int) *tracefmt.Memory {
	at := make([]int, len(c.recorded)+1)
	within := c.within()
	for range hidden {
		if len(within) > 0 && random.IntN(4) > 0 {
			at[within[random.IntN(len(within))]]++
			continue
		}
		at[random.IntN(len(at))]++
	}
	w := new(course)
	var variant []tracefmt.Event
	add := func(e tracefmt.Event) {
		w.step(&e)
		variant = append(variant, e)
	}
	for i := range at {
		for range at[i] {
			if e, ok := c.draw(random, w, i); ok {
				add(e)
			}
		}
		if i == len(c.recorded) {
			break
		}
		next := c.recorded[i]
		if next.Inferred() {
			if random.IntN(2) == 0 {
				continue
			}
			next = sure(next)
		}
		if !w.keeps(&next) {
			for _, e := range c.forced(w, i) {
				add(e)
			}
		}
		if !w.keeps(&next) {
			return nil
		}
		add(next)
	}
	for _, e := range c.settling(random, w) {
		add(e)
	}
	return c.recording(variant)
}

// within are the places of what is lacking, by how many recorded events are before them.
func (c *completer) within() (list []int) {
	for i := range len(c.recorded) + 1 {
		after, before := tracefmt.Seq(i), tracefmt.Seq(i+1)
		if slices.ContainsFunc(c.lacks, func(n analyze.Need) bool {
			return n.From <= after && (n.To == 0 || before <= n.To) && c.coverage.Missing(max(n.Process, 1), n.Fact, after, before)
		}) {
			list = append(list, i)
		}
	}
	return list
}

// draw returns an event that may have happened here, mostly a lacking one.
func (c *completer) draw(random *rand.Rand, w *course, at int) (e tracefmt.Event, ok bool) {
	var list, lacking []tracefmt.Event
	c.candidates(w, at, func(e *tracefmt.Event) {
		if w.keeps(e) {
			list = append(list, *e)
			if c.lacking(e) {
				lacking = append(lacking, *e)
			}
		}
	})
	if len(lacking) > 0 && random.IntN(4) > 0 {
		list = lacking
	}
	if len(list) == 0 {
		return e, false
	}
	return list[random.IntN(len(list))], true
}

// lacking reports whether an event is of what is lacking.
func (c *completer) lacking(e *tracefmt.Event) bool {
	return slices.ContainsFunc(c.lacks, func(n analyze.Need) bool {
		if n.Process > 0 && n.Process != e.Process {
			return false
		}
		_, has := e.Field(n.Fact.Variable)
		return has || n.Fact == tracefmt.Fact{Kind: e.Kind} || n.Anew && (e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt)
	})
}

// forced are hidden events that let the next recorded one happen: the send of what arrives,
// a recovery of who was down, a request of what is answered.
func (c *completer) forced(w *course, at int) (list []tracefmt.Event) {
	next := w.clone()
	for range 2 {
		c.candidates(next, at, func(e *tracefmt.Event) {
			if len(list) == 2 {
				return
			}
			if after := next.after(e); after != nil && (after.keeps(&c.recorded[at]) ||
				(e.Kind == tracefmt.Recover || e.Kind == tracefmt.Start) && e.Process == c.recorded[at].Process) {
				next = after
				list = append(list, *e)
			}
		})
		if next.keeps(&c.recorded[at]) {
			break
		}
	}
	return list
}

// settling are hidden events at the end by which messages arrive or are lost, and timers end.
func (c *completer) settling(random *rand.Rand, w *course) (list []tracefmt.Event) {
	if random.IntN(4) == 0 {
		return nil
	}
	next := w.clone()
	for {
		var ends []tracefmt.Event
		c.candidates(next, len(c.recorded), func(e *tracefmt.Event) {
			switch e.Kind {
			case tracefmt.Receive, tracefmt.Lose, tracefmt.CancelTimer, tracefmt.Timeout:
				if next.keeps(e) {
					ends = append(ends, *e)
				}
			}
		})
		if len(ends) == 0 {
			return list
		}
		e := ends[random.IntN(len(ends))]
		next.step(&e)
		list = append(list, e)
	}
}

// widen lets hidden events have values that the recording has not.
func (c *completer) widen() {
	c.begins = nil
	c.steps = append(slices.Clone(c.steps), c.theme.furtherSteps...)
	if c.theme.further != "" {
		c.steps = append(slices.Clone(c.steps), happening{1, tracefmt.State, "", c.theme.further})
	}
}

// before is the event before which something happened after the first at events, 0 for none.
func (c *completer) before(at int) tracefmt.Seq {
	if at == len(c.recorded) {
		return 0
	}
	return tracefmt.Seq(at + 1)
}

// missing reports whether the event may have happened after the first at events that are
// recorded and before the next one, in the words of the run.
func (c *completer) missing(e *tracefmt.Event, at int) bool {
	after, before := tracefmt.Seq(at), c.before(at)
	if e.Term != 0 && !c.terms {
		return false
	}
	if e.Kind != tracefmt.State && !c.coverage.Missing(e.Process, tracefmt.Fact{Kind: e.Kind}, after, before) {
		return false
	}
	if !slices.Contains([]tracefmt.Kind{tracefmt.State, tracefmt.Start, tracefmt.Recover}, e.Kind) {
		return true
	}
	for name := range tracefmt.Fields(e.Payload) {
		if !c.variables[variable(name)] || !c.coverage.Missing(e.Process, tracefmt.StateOf(string(name)), after, before) {
			return false
		}
	}
	return true
}

// recordingOf returns the events of a run as a completion; nil if the run has terms and the recording has none.
func (c *completer) recordingOf(rec *tracefmt.Memory) *tracefmt.Memory {
	var list []tracefmt.Event
	for e := range rec.Events(1) {
		if e.Term != 0 && !c.terms {
			return nil
		}
		list = append(list, *e.Clone())
	}
	return c.recording(list)
}

// recording is a completion as a complete run.
func (c *completer) recording(variant []tracefmt.Event) *tracefmt.Memory {
	rec := tracefmt.NewMemory(c.run)
	sent := map[tracefmt.MessageID]tracefmt.Seq{}
	if c.truncates {
		variant = truncated(variant)
	}
	for i, e := range variant {
		e.Seq, e.Cause = tracefmt.Seq(i+1), 0
		switch e.Kind {
		case tracefmt.Send:
			sent[e.Message] = e.Seq
		case tracefmt.Receive, tracefmt.Lose:
			e.Cause = sent[e.Message]
		}
		_ = rec.Write(&e) // a Memory takes every event
	}
	_ = rec.Finish(c.run.End)
	return rec
}

// truncated are the events with the entries that they delete from logs of at most two entries without naming them:
// log[2], where log[1] becomes one of another term.
func truncated(variant []tracefmt.Event) []tracefmt.Event {
	type entries struct{ first, second string }
	logs := map[tracefmt.ProcessID]entries{}
	variant = slices.Clone(variant)
	for i, e := range variant {
		log := logs[e.Process]
		if e.Kind == tracefmt.Recover {
			log = entries{}
		}
		first, names := e.Field("log[1]")
		second, namesSecond := e.Field("log[2]")
		switch {
		case namesSecond:
			log.second = entryTerm(second)
		case names && log.second != "" && log.first != "" && entryTerm(first) != "" && entryTerm(first) != log.first:
			log.second = ""
			variant[i].Payload = joined(e.Payload, []byte(`{"log[2]":null}`))
		}
		if names {
			log.first = entryTerm(first)
		}
		logs[e.Process] = log
	}
	return variant
}

// entryTerm is the term of an entry, "" for null.
func entryTerm(entry []byte) string {
	term, _ := (&tracefmt.Event{Payload: entry}).Field("term")
	return string(term)
}

func firstField(object []byte) (name string, value []byte) {
	for n, v := range tracefmt.Fields(object) {
		return string(n), v
	}
	return "", nil
}

// joined is an object with the fields of both.
func joined(a, b []byte) []byte {
	if len(a) <= len("{}") {
		return b
	}
	return append(append(slices.Clone(a[:len(a)-1]), ','), b[1:]...)
}
