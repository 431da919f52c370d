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

// split says how the examination of a run for a rule can be split.
type split struct {
	// whole says why it cannot, "" if it can.
	whole string
	// sides are the patterns with what of their events is the key; the first is that of what
	// is examined.
	sides []side
	key   string // in words
	timed bool   // it bounds a time
	sends bool   // it looks at sends that others show
}

// side is a pattern of which the events have a key.
type side struct {
	kinds   kindSet
	matches func(*frame) bool // nil: all of these kinds
	key     keyer             // nil: each event is apart
	// all: those without a key are examined, too, by whoever owns the hash 0.
	all bool
	// shared: they have no key, and all parts see all of them.
	shared bool
}

// whole is that of a rule that cannot be split.
func whole(why string) *split { return &split{whole: why} }

// rare are the events of which all parts of a run can have all.
var rare = setOf([]tracefmt.Kind{
	tracefmt.Start, tracefmt.Crash, tracefmt.Recover, tracefmt.Halt, tracefmt.State,
	tracefmt.Partition, tracefmt.Heal, tracefmt.Suspect, tracefmt.Trust, tracefmt.Note,
})

// share is how a base examines a part of a run.
type share struct {
	*split
	owns   func(hash uint64) bool
	mine   []bool // by side: the event at hand is owned
	owned  bool   // by some
	hashes []uint64
}

// Split implements [analyze.Splitting].
func (b *base) Split() analyze.Split {
	p := &b.share
	if p.whole != "" {
		return analyze.Split{Whole: p.whole}
	}
	split := analyze.Split{Key: p.key, Timed: p.timed, Complete: p.sends, Rests: b.rests}
	var kinds kindSet
	looks := b.program.looks
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
	if len(split.Reads) == 0 && slices.ContainsFunc(b.program.fluents, func(f *fluentDef) bool { return f.while != nil }) {
		return analyze.Split{Whole: "a fluent of it holds from the first event on, whatever happens"}
	}
	if b.program.leans {
		split.Leans = []tracefmt.Fact{tracefmt.StateOf(termField), comingUp}
	}
	return split
}

// Survey implements [analyze.Splitting].
func (b *base) Survey(s *replay.State, e *tracefmt.Event) []uint64 {
	b.share.hashes = b.share.hashes[:0]
	if !b.looksAt(s, e) {
		b.frame.first = false
		return nil
	}
	for _, side := range b.share.sides {
		if b.occurred = b.occurred || side.all && side.kinds.has(e.Kind); !side.has(b.frame) {
			continue
		}
		if !b.frame.scanned && len(b.frame.fields) > 0 { // as an examination does, which notes who has which fields
			b.frame.scan()
		}
		b.frame.lean()
		if hash, ok := side.hash(b.frame); ok && !side.shared {
			b.share.hashes = append(b.share.hashes, hash)
		}
	}
	return b.share.hashes
}

// takes asks of which sides the event at hand is owned, and reports whether it is to be
// examined.
func (p *share) takes(f *frame) (looked bool) {
	p.owned = false
	for i, side := range p.sides {
		hash, ok := uint64(0), side.has(f)
		if ok && !side.shared {
			hash, ok = side.hash(f)
		}
		p.mine[i] = ok && (side.shared || p.owns(hash))
		p.owned = p.owned || p.mine[i] && !side.shared
		looked = looked || p.mine[i]
	}
	return looked
}

// The sides of a rule on pairs of events.
const (
	asked  = iota // that of the events that are examined
	answer        // of those that come before or after
)

// has reports whether the event at hand is to be taken for one of that side: where the whole run
// is examined, it is.
func (p *share) has(side int) bool { return p.owns == nil || p.mine[side] }

func (s *side) has(f *frame) bool {
	return s.kinds.has(f.event.Kind) && (s.matches == nil || s.matches(f))
}

// hash is that of the key of the event at hand, false if it has none that counts.
func (s *side) hash(f *frame) (hash uint64, ok bool) {
	if s.key == nil {
		return analyze.SeqHash(f.event.Seq), true
	}
	if hash, ok = s.key.hash(f); ok {
		return hash, true
	}
	return 0, s.all
}

// hash is the same one for the same key, on every machine.
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

// hashOf is that of a key of one value.
func hashOf(v value) uint64 { return analyze.Spread(v.addTo(fnvOffset)) }

// The numbers of the hash FNV-1a of 64 bits.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// addTo adds the value to a hash, by its sort, its number and its text.
func (v value) addTo(hash uint64) uint64 {
	hash = (hash ^ uint64(v.sort)) * fnvPrime
	for i := range 8 {
		hash = (hash ^ uint64(byte(v.n>>(8*i)))) * fnvPrime
	}
	for i := range len(v.s) {
		hash = (hash ^ uint64(v.s[i])) * fnvPrime
	}
	return (hash ^ uint64(len(v.s))) * fnvPrime
}

// lean asks for the term of the event at hand if the rule does: not all that asks for it is
// evaluated in a survey.
func (f *frame) lean() {
	for i := range f.fields {
		if !f.leant && f.fields[i].term {
			f.term(i)
		}
	}
}

// Begins implements [analyze.Splitting]: with the first event fluents begin to hold.
func (b *base) Begins() bool {
	return b.frame.first && slices.ContainsFunc(b.program.fluents, func(f *fluentDef) bool { return f.while != nil })
}

// Leans implements [analyze.Splitting].
func (b *base) Leans() bool { return b.frame.leant }

// Owned implements [analyze.Splitting].
func (b *base) Owned() bool { return b.share.owned }

// surveyed is what is known of a whole run.
type surveyed struct {
	// Vague is the first event that should count and does not say for what, 0 for none.
	Vague tracefmt.Seq `json:"vague,omitempty"`
	// Lacking is what the run has nothing of, though the rule asks for it.
	Lacking string   `json:"lacking,omitempty"`
	Unheld  []string `json:"unheld,omitempty"`
	// Unseen are fields, by their places in the rule, that no event has, and Untold such
	// names as may be meant as texts.
	Unseen []int `json:"unseen,omitempty"`
	Untold []int `json:"untold,omitempty"`
	// Fields are by place the events that first had the fields.
	Fields   []tracefmt.Seq `json:"fields,omitempty"`
	Occurred bool           `json:"occurred,omitempty"`
	// Unmet are the events that there must be for the rule to apply, and that the run has none of.
	Unmet []unmet `json:"unmet,omitempty"`
	// Strange is a constant that no event has, with the nearest value, in words.
	Strange string `json:"strange,omitempty"`
	// Unrecorded: the run may have had what it lacks.
	Unrecorded bool `json:"unrecorded,omitempty"`
}

// unmet says that there is no such event, and whether they are recorded completely.
type unmet struct {
	Lacks    string `json:"lacks"`
	Complete bool   `json:"complete,omitempty"`
}

// Surveyed implements [analyze.Splitting].
func (b *base) Surveyed(s *replay.State) json.RawMessage {
	found := b.survey(s)
	for i := range b.frame.fields {
		found.Fields = append(found.Fields, b.frame.fields[i].seenAt)
	}
	text, err := json.Marshal(found)
	if err != nil {
		panic(err) // these are numbers and texts
	}
	return text
}

// survey is what the monitor that has seen the whole run knows of it.
func (b *base) survey(s *replay.State) surveyed {
	found := surveyed{
		Lacking: b.lackingState(s), Unheld: b.frame.unheld, Unseen: b.frame.unseen, Occurred: b.occurred,
		Vague: b.vague, Strange: b.frame.strange(b.program),
	}
	for _, t := range b.frame.untold {
		found.Untold = append(found.Untold, t.field)
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
func (b *base) Own(survey json.RawMessage, owns func(hash uint64) bool) error {
	_, err := b.know(survey)
	b.share.owns, b.share.mine = owns, make([]bool, len(b.share.sides))
	return err
}

// know takes in what was surveyed.
func (b *base) know(survey json.RawMessage) (found surveyed, err error) {
	if err := sealed.Unmarshal(survey, &found); err != nil {
		return found, fmt.Errorf("what was surveyed of the rule: %w", err)
	}
	if len(found.Fields) != len(b.frame.fields) {
		return found, fmt.Errorf("the survey has %d fields of the rule, expected %d", len(found.Fields), len(b.frame.fields))
	}
	for i, seq := range found.Fields {
		b.frame.fields[i].seenAt = seq
	}
	for _, list := range [][]int{found.Unseen, found.Untold} {
		for _, field := range list {
			if field < 0 || field >= len(b.frame.fields) {
				return found, fmt.Errorf("the survey names field %d of a rule with %d", field, len(b.frame.fields))
			}
		}
	}
	b.frame.unseen, b.frame.untold, b.vague = nil, nil, found.Vague
	return found, nil
}

// Part implements [analyze.Splitting]: a rule of which nothing is left to be decided at the
// end.
func (b *base) Part(*analyze.Result, *replay.State, analyze.Overall) {}

// Join implements [analyze.Splitting].
func (b *base) Join(survey json.RawMessage, r *analyze.Result, _ analyze.Ending, _ analyze.Late) error {
	texts := b.frame.untold
	found, err := b.know(survey)
	if err != nil {
		return err
	}
	for _, t := range texts {
		for _, field := range found.Untold {
			if t.field == field {
				b.frame.untold = append(b.frame.untold, t)
				break
			}
		}
	}
	b.conclude(r, found)
	return nil
}
