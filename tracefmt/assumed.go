package tracefmt

import (
	"fmt"
	"maps"
	"slices"

	"etrace/tracefmt/text"
)

// Assume is the recording as one that declares what [Coverage] assumes: where it is silent,
// that of each kind of event and each variable that occurs all is recorded, and of others
// nothing. It reads all events. assumption says that in words, see [Coverage.Assumption]; a
// recording that says everything is returned as it is, with "".
func Assume(rec Recording) (declared Recording, assumption string, err error) {
	c := NewCoverage(rec.Run())
	if !c.Silent() {
		return rec, "", nil
	}
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, "", err
		}
		c.Show(e)
	}
	facts, _ := c.Assumed()
	under := &Completeness{Levels: Levels{Default: None, Kinds: make(map[string]Level, len(facts))}}
	for _, f := range facts {
		if f != (Fact{Kind: State}) { // its variables say more
			under.Kinds[f.String()] = All
		}
	}
	run := *rec.Run()
	run.Completeness = run.Completeness.Over(under)
	return Described(rec, &run), c.Assumption(), nil
}

// Assumed returns what was taken for recorded, and all else was not, since the run does not
// say it: the kinds and variables that occur. ok is false where the run says everything.
func (c *Coverage) Assumed() (occurring []Fact, ok bool) {
	if !c.silent {
		return nil, false
	}
	for _, k := range Kinds() {
		if f := (Fact{Kind: k}); c.occurs(f) && !c.saidOfAll(f) {
			occurring = append(occurring, f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.seen)) {
		if f := StateOf(name); !c.saidOfAll(f) {
			occurring = append(occurring, f)
		}
	}
	return occurring, true
}

// saidOfAll reports whether the run says of each process how much of the fact is recorded.
func (c *Coverage) saidOfAll(f Fact) bool {
	if c.said.all.of(f) != Unsaid {
		return len(c.run.Members) > 0
	}
	for i := range c.run.Members {
		if c.Said(ProcessID(i+1), f) == Unsaid {
			return false
		}
	}
	return len(c.run.Members) > 0
}

// Assumption says in words what was assumed, "" for nothing: "every send and receive is
// recorded, and nothing else; say otherwise with --complete".
func (c *Coverage) Assumption() string {
	facts, silent := c.Assumed()
	if !silent {
		return ""
	}
	var all []string
	for _, f := range facts {
		if f != (Fact{Kind: State}) {
			all = append(all, text.Printable(text.Short(f.String(), longestFact)))
		}
	}
	what := "nothing is recorded"
	if len(all) > 0 {
		what = fmt.Sprintf("every %s is recorded, and nothing else", text.And(text.Few(all, 16)))
	}
	if c.run.Completeness != nil {
		what = "beside what the run declares, " + what
	}
	return what + "; say otherwise with --complete"
}

// longestFact is how many characters of a fact an assumption shows.
const longestFact = 41
