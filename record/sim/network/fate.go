package network

import (
	"etrace/record"
	"etrace/tracefmt"
)

// channel is a pair of sender and receiver.
type channel struct{ from, receiver tracefmt.ProcessID }

// fates decides the fates of messages.
type fates struct {
	config      *Config
	delay       Delay
	random      random
	processes   int
	lastArrival map[channel]tracefmt.Time // nil if delays let no message overtake another, or if messages may
	seen        []int                     // by rule, the number of matching messages
	met         []bool                    // by rule, whether it dropped or delayed a message
	edited      []bool                    // by edit, whether it was applied
	edits       int                       // the number of edits that have not been applied
	partitions  map[int][]int             // the active partitions: the group of each process
}

// restart resets the fates for another run, and keeps their memory.
func (f *fates) restart(c *Config, processes int) {
	last := f.lastArrival
	clear(last)
	*f = fates{
		config: c, delay: c.Delay, random: newRandom(c.Seed), processes: processes,
		seen: make([]int, len(c.Rules)), met: make([]bool, len(c.Rules)), edited: make([]bool, len(c.Edits)), edits: len(c.Edits),
	}
	if f.delay == (Delay{}) {
		f.delay.A = tracefmt.Unit
	}
	if c.Reorder || !c.overtaking() {
		return
	}
	f.lastArrival = last
	if last == nil {
		f.lastArrival = make(map[channel]tracefmt.Time)
	}
}

// fate is the fate of a message: it is lost for a reason, or it arrives after a delay. A copy of it arrives
// after another delay, -1 for no copy. The compiler keeps these four words in registers.
type fate struct {
	lost        string
	delay, copy tracefmt.Time
}

// decide returns the fate of a message before edits. It makes all the random draws, so that edits leave the
// draws of other messages unchanged.
func (f *fates) decide(m *record.Sent) fate {
	c := f.config
	drop, delay := false, tracefmt.Time(-1)
	if len(c.Rules) > 0 {
		drop, delay = f.applyRules(m)
	}
	switch {
	case drop || c.Loss > 0 && f.random.chance(c.Loss):
		return fate{lost: "dropped"}
	case len(f.partitions) > 0 && f.partitioned(m):
		return fate{lost: "partitioned"}
	}
	if delay < 0 {
		delay = f.random.delay(f.delay)
	}
	decided := fate{delay: delay, copy: -1}
	if c.Duplicate > 0 && f.random.chance(c.Duplicate) {
		decided.copy = f.random.delay(f.delay)
	}
	return decided
}

// applyRules counts the message at every rule that it matches. drop is true if a rule drops it. delay is that of
// the first rule that delays it, -1 if no rule does.
func (f *fates) applyRules(m *record.Sent) (drop bool, delay tracefmt.Time) {
	delay = -1
	for i := range f.config.Rules {
		r := &f.config.Rules[i]
		// The zero value of a part of the rule matches every message.
		if r.Type != "" && r.Type != m.Type || r.From != 0 && r.From != m.From || r.To != 0 && r.To != m.To {
			continue
		}
		if r.Occurrence > 0 {
			if f.seen[i] >= r.Occurrence {
				continue // the rule applied to an earlier message
			}
			f.seen[i]++
			if f.seen[i] != r.Occurrence {
				continue
			}
		}
		f.met[i] = true
		if r.Drop {
			drop = true
		} else if delay < 0 {
			delay = r.Delay
		}
	}
	return drop, delay
}

// arrivalTime returns the time of arrival: at, or later if the message would overtake its predecessor on a FIFO
// channel.
func (f *fates) arrivalTime(m *record.Sent, at tracefmt.Time) tracefmt.Time {
	c := channel{m.From, m.To}
	at = max(at, f.lastArrival[c])
	f.lastArrival[c] = at
	return at
}

// split begins a partition into groups.
func (f *fates) split(id int, groups [][]tracefmt.ProcessID) {
	group := make([]int, f.processes+1)
	for i, g := range groups {
		for _, p := range g {
			group[p] = i + 1
		}
	}
	if f.partitions == nil {
		f.partitions = make(map[int][]int)
	}
	f.partitions[id] = group
}

// partitioned reports whether a partition separates sender and receiver.
func (f *fates) partitioned(m *record.Sent) bool {
	for _, group := range f.partitions {
		if group[m.From] != group[m.To] {
			return true
		}
	}
	return false
}
