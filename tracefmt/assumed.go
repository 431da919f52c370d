package tracefmt

import (
	"fmt"
	"maps"
	"slices"

	"etrace/tracefmt/text"
)

// Assume returns the recording with a declaration of the assumptions of [Coverage]. If the run declares nothing,
// every kind of event and every variable that occurs is assumed to be recorded completely, and all others not
// at all. Assume reads all events. assumption describes the assumptions, see [Coverage.Assumption]; it is ""
// for a recording that declares everything, which is returned unchanged.
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
		// The variables of state events are more precise.
		if f != (Fact{Kind: State}) {
			under.Kinds[f.String()] = All
		}
	}
	run := *rec.Run()
	run.Completeness = run.Completeness.Over(under)
	return Described(rec, &run), c.Assumption(), nil
}

// Assumed returns the kinds and variables that occur, and are assumed to be recorded completely because the run
// declares nothing about them. All others are assumed to be unrecorded. ok is false if the run declares
// everything.
func (c *Coverage) Assumed() (occurring []Fact, ok bool) {
	if !c.silent {
		return nil, false
	}
	for _, k := range Kinds() {
		if f := (Fact{Kind: k}); c.occurs(f) && !c.declaredOfAll(f) {
			occurring = append(occurring, f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.seen)) {
		if f := StateOf(name); !c.declaredOfAll(f) {
			occurring = append(occurring, f)
		}
	}
	return occurring, true
}

// declaredOfAll reports whether the run declares the completeness of the fact for each process.
func (c *Coverage) declaredOfAll(f Fact) bool {
	if c.declared.general.level(f) != Undeclared {
		return len(c.run.Members) > 0
	}
	for i := range c.run.Members {
		if c.Declared(ProcessID(i+1), f) == Undeclared {
			return false
		}
	}
	return len(c.run.Members) > 0
}

// Assumption describes the assumptions, "" without any: "every send and receive is recorded, and nothing
// else; say otherwise with --complete".
func (c *Coverage) Assumption() string {
	facts, silent := c.Assumed()
	if !silent {
		return ""
	}
	var words []string
	for _, f := range facts {
		if f != (Fact{Kind: State}) {
			words = append(words, text.Printable(text.Short(f.String(), longestFact)))
		}
	}
	assumption := "nothing is recorded"
	if len(words) > 0 {
		assumption = fmt.Sprintf("every %s is recorded, and nothing else", text.And(text.Few(words, 16)))
	}
	if c.run.Completeness != nil {
		assumption = "beside what the run declares, " + assumption
	}
	return assumption + "; say otherwise with --complete"
}

// longestFact is the limit for the characters of a fact in an assumption.
const longestFact = 41
