package spec

import (
	"encoding/json"
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
)

// split describes how the examination of a run for a rule can be divided.
type split struct {
	// unsplittable is the reason why it cannot, "" if it can.
	unsplittable string
	// sides are the patterns with the keys of their events; the first side has the examined events.
	sides []side
	key   string // the key in words
	timed bool   // the rule bounds a time
	sends bool   // the rule examines sends that other events show
}

// side is a pattern whose events have a key.
type side struct {
	kinds   kindSet
	matches func(*frame) bool // nil: all events of these kinds
	key     keyer             // nil: each event is its own group
	// allEvents is set if events without a key are examined, too; the owner of hash 0 does.
	allEvents bool
	// shared is set if the events have no key, and all parts receive them all.
	shared bool
}

// noSplit returns the split of a rule that cannot be divided.
func noSplit(reason string) *split { return &split{unsplittable: reason} }

// rare are the kinds of events that every part of a run can afford to receive.
var rare = setOf([]tracefmt.Kind{
	tracefmt.Start, tracefmt.Crash, tracefmt.Recover, tracefmt.Halt, tracefmt.State,
	tracefmt.Partition, tracefmt.Heal, tracefmt.Suspect, tracefmt.Trust, tracefmt.Note,
})

// share describes the part of a run that a monitor examines, by the owned hashes of keys.
type share struct {
	*split
	owns       func(hash uint64) bool
	ownedSides []bool // by side: the part owns the current event
	hashes     []uint64
	// news is set if the last surveyed event was the first in some respect, such as the first with a field.
	news bool
}

// Split implements [analyze.Splitting].
func (b *base) Split() analyze.Split {
	p := &b.share
	if p.unsplittable != "" {
		return analyze.Split{Whole: p.unsplittable}
	}
	split := analyze.Split{Key: p.key, Timed: p.timed, Complete: p.sends, Rests: b.allFacts}
	var kinds kindSet
	looks := b.program.stateFacts
	for _, s := range p.sides {
		if s.shared {
			looks = slices.Concat(looks, s.kinds.facts())
		} else {
			kinds |= s.kinds
		}
	}
	for _, f := range kinds.facts() {
		split.Kinds = append(split.Kinds, f.Kind)
	}
	for _, f := range distinct(looks) {
		if !rare.has(f.Kind) {
			return analyze.Split{Whole: fmt.Sprintf("it asks of the state what all %s events decide", f.Kind)}
		}
		split.Reads = append(split.Reads, f)
	}
	if len(split.Reads) == 0 && slices.ContainsFunc(b.program.fluents,
		func(f *fluentDef) bool { return f.while != nil }) {
		return analyze.Split{Whole: "a fluent of it holds from the first event on, whatever happens"}
	}
	if p.timed { // any later step would show that a deadline has passed
		split.Rests = setOf(tracefmt.Kinds()).facts()
	}
	if b.frame.incomplete { // needs of a process that is down end with its crash
		split.Reads = distinct(split.Reads, statusFacts)
	}
	split.Open = b.unsplitReason(looks)
	if b.program.termFromState {
		split.Leans = []tracefmt.Fact{tracefmt.StateOf(termField), comingUp}
	}
	return split
}

// unsplitReason returns why a rule that reads these facts of the state cannot be divided if facts may be missing; "" if
// it can be.
func (b *base) unsplitReason(looks []tracefmt.Fact) string {
	switch {
	case b.share.timed:
		return "the rule bounds a time"
	case len(b.share.sides) > 1 && len(b.program.facts) > 0:
		return "each event may have had the key of another"
	case len(b.program.fluents) > 0:
		return "the rule has fluents"
	case slices.ContainsFunc(looks, func(f tracefmt.Fact) bool {
		return f.Kind == tracefmt.Crash ||
			f.Kind == tracefmt.Halt
	}):
		return "the rule reads who is up"
	}
	return ""
}

// Survey implements [analyze.Splitting].
func (b *base) Survey(s *replay.State, e *tracefmt.Event) []uint64 {
	b.share.hashes = b.share.hashes[:0]
	// An event from which the survey learns something must reach all parts.
	knowledgeBefore := b.knowledge()
	if !b.beginIfRelevant(s, e) {
		b.share.news, b.frame.first = b.fluentsBegin() || b.knowledge() != knowledgeBefore, false
		return nil
	}
	b.share.news = b.fluentsBegin()
	for _, side := range b.share.sides {
		b.occurred = b.occurred || side.allEvents && side.kinds.has(e.Kind)
		if !side.matchesEvent(b.frame) {
			continue
		}
		b.share.news = b.frame.findUnseen() || b.share.news
		b.frame.readOwnTerm()
		if hash, ok := side.hash(b.frame); ok && !side.shared {
			b.share.hashes = append(b.share.hashes, hash)
		}
	}
	b.share.news = b.share.news || b.knowledge() != knowledgeBefore
	return b.share.hashes
}

// knowledge counts what a survey has learnt from events: it grows with each event that matters to the survey.
func (b *base) knowledge() int {
	n := -len(b.frame.unseenFields) - len(b.frame.possibleTexts) - len(b.frame.unsetVariables) - len(b.demands)
	for _, c := range b.frame.unseenTexts {
		n += len(c.seenValues) - 2*maxValues // which is less than without it
	}
	if b.occurred {
		n++
	}
	return n
}

// fluentsBegin reports whether fluents with a condition begin to hold at the current event, the first one.
func (b *base) fluentsBegin() bool {
	return b.frame.first && slices.ContainsFunc(b.program.fluents, func(f *fluentDef) bool { return f.while != nil })
}

// findUnseen looks in the current event for fields that no event had so far, and reports whether it has one.
func (f *frame) findUnseen() (found bool) {
	for i := range f.fields {
		if field := &f.fields[i]; field.seenAt == 0 && !f.scanned {
			f.scan()
		}
		found = found || f.fields[i].seenAt == f.event.Seq
	}
	return found
}

// ownsAny determines the sides on which the part owns the current event, and reports whether there is one. The first
// event with a field counts for each part.
func (p *share) ownsAny(f *frame) (looked bool) {
	for i, side := range p.sides {
		hash, ok := uint64(0), side.matchesEvent(f)
		if ok {
			f.findUnseen()
		}
		if ok && !side.shared {
			hash, ok = side.hash(f)
		}
		p.ownedSides[i] = ok && (side.shared || p.owns(hash))
		looked = looked || p.ownedSides[i]
	}
	f.missingField, f.inexact, f.unorderedOperand = "", nil, nil // the rule itself has read nothing yet
	return looked
}

// The sides of a rule on pairs of events.
const (
	triggerSide = iota // the side of the examined events
	answerSide         // the side of the events before or after them
)

// ownsSide reports whether the current event counts on that side. It always does if the whole run is examined.
func (p *share) ownsSide(side int) bool { return p.owns == nil || p.ownedSides[side] }

// matchesEvent reports whether the current event is of the side's kinds and matches.
func (s *side) matchesEvent(f *frame) bool {
	return s.kinds.has(f.event.Kind) && (s.matches == nil || s.matches(f))
}

// hash returns the hash of the current event's key, false if it has no key and does not count.
func (s *side) hash(f *frame) (hash uint64, ok bool) {
	if s.key == nil {
		return analyze.SeqHash(f.event.Seq), true
	}
	hash, ok = s.key.hash(f)
	if ok {
		return hash, true
	}
	return 0, s.allEvents
}

// hash returns the same number for the same key, on every machine.
func (k keyer) hash(f *frame) (uint64, bool) {
	hash := uint64(fnvOffset)
	for _, part := range k {
		v := f.canonical(part(f))
		if v.sort == absent {
			return 0, false
		}
		hash = v.addTo(hash)
	}
	return analyze.Spread(hash), true
}

// hashOf returns the hash of a key of one value.
func hashOf(v value) uint64 { return analyze.Spread(v.addTo(fnvOffset)) }

// The constants of the 64-bit hash FNV-1a.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// addTo adds the value to a hash: its sort, its number and its text.
func (v value) addTo(hash uint64) uint64 {
	hash = analyze.Spread(hash ^ uint64(v.sort) ^ uint64(v.n))
	for i := range len(v.s) {
		hash = (hash ^ uint64(v.s[i])) * fnvPrime
	}
	return (hash ^ uint64(len(v.s))) * fnvPrime
}

// readOwnTerm reads the term of the current event if the rule does: a survey does not evaluate every expression that
// reads it.
func (f *frame) readOwnTerm() {
	for i := range f.fields {
		if !f.termInferred && f.fields[i].term {
			f.term(i)
		}
	}
}

// News implements [analyze.Splitting].
func (b *base) News() bool { return b.share.news }

// surveyed is what is known of a whole run. A check of one part receives it.
type surveyed struct {
	// Vague is the first event that counts but lacks its key, 0 for none.
	Vague tracefmt.Seq `json:"vague,omitempty"`
	// Lacking is the part of the state that the rule reads and the run lacks.
	Lacking string   `json:"lacking,omitempty"`
	Unheld  []string `json:"unheld,omitempty"`
	// Unseen are fields, by their places in the rule, that no event has. Ambiguous are fields that may be meant as
	// texts.
	Unseen    []int `json:"unseen,omitempty"`
	Ambiguous []int `json:"ambiguous,omitempty"`
	Occurred  bool  `json:"occurred,omitempty"`
	// Unmet are the demands of the rule that no event meets.
	Unmet []unmet `json:"unmet,omitempty"`
	// Strange is a constant that no event has, with the nearest value, in words.
	Strange string `json:"strange,omitempty"`
	// Unrecorded is set if the missing event may have happened without being recorded.
	Unrecorded bool `json:"unrecorded,omitempty"`
}

// unmet is a demand that no event meets; Complete is set if such events are recorded completely.
type unmet struct {
	Lacks    string `json:"lacks"`
	Complete bool   `json:"complete,omitempty"`
}

// Surveyed implements [analyze.Splitting].
func (b *base) Surveyed(s *replay.State) json.RawMessage {
	text, err := json.Marshal(b.survey(s))
	if err != nil {
		panic(err) // numbers and texts can always be encoded
	}
	return text
}

// survey returns what a monitor that has seen the whole run knows of it.
func (b *base) survey(s *replay.State) surveyed {
	found := surveyed{
		Lacking: b.lackingState(s), Unheld: b.frame.unsetVariables, Unseen: b.frame.unseenFields, Occurred: b.occurred,
		Vague: b.firstKeyless, Strange: b.frame.unseenConstant(b.program),
	}
	for _, t := range b.frame.possibleTexts {
		found.Ambiguous = append(found.Ambiguous, t.field)
	}
	if lacking := b.lackingFacts(s); lacking != nil {
		found.Unrecorded = !s.Coverage().Whole(lacking...)
	}
	for _, d := range b.demands {
		found.Unmet = append(found.Unmet, unmet{d.lacks, s.Coverage().Whole(d.events...)})
	}
	return found
}

// Own implements [analyze.Splitting].
func (b *base) Own(owns func(hash uint64) bool) {
	b.share.owns, b.share.ownedSides = owns, make([]bool, len(b.share.sides))
}

// loadSurvey stores the result of the survey. It fails if the survey does not fit the rule.
func (b *base) loadSurvey(survey json.RawMessage) (found surveyed, err error) {
	if err := sealed.Unmarshal(survey, &found); err != nil {
		return found, fmt.Errorf("what was surveyed of the rule: %w", err)
	}
	for _, list := range [][]int{found.Unseen, found.Ambiguous} {
		for _, field := range list {
			if field < 0 || field >= len(b.frame.fields) {
				return found, fmt.Errorf("the survey names field %d of a rule with %d", field, len(b.frame.fields))
			}
		}
	}
	b.frame.unseenFields, b.frame.possibleTexts, b.firstKeyless = nil, nil, found.Vague
	return found, nil
}

// Part implements [analyze.Splitting] for a rule that decides nothing at the end.
func (b *base) Part(*analyze.Result, *replay.State, analyze.Overall, json.RawMessage) error {
	return nil
}

// Join implements [analyze.Splitting].
func (b *base) Join(survey json.RawMessage, r *analyze.Result, _ analyze.Ending, _ analyze.Late) error {
	texts := b.frame.possibleTexts
	found, err := b.loadSurvey(survey)
	if err != nil {
		return err
	}
	for _, t := range texts {
		for _, field := range found.Ambiguous {
			if t.field == field {
				b.frame.possibleTexts = append(b.frame.possibleTexts, t)
				break
			}
		}
	}
	b.reportLacking(r, found)
	return nil
}
