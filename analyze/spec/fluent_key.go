package spec

import (
	"slices"

	"etrace/tracefmt"
)

// A fluent with a key holds at a process for values, such as the locks that the process holds. The key is a field of the
// events that begin and end the fluent.

// keyedTurns has the turns of a fluent with a key in a run.
type keyedTurns struct {
	turns []map[value]*keyedTurn // by process and key
	kept  int                    // the number of turns
	// over are turns that ended with an event.
	over []keyHolder
	// full is set once there was no room for a turn, so that the fluent is undecided for keys without one.
	full bool
}

// keyedTurn is the turn of a key, and the one before the event that changed it last.
type keyedTurn struct {
	turn
	former    turn
	changedAt tracefmt.Seq
}

// change replaces the turn at an event.
func (t *keyedTurn) change(at tracefmt.Seq, next turn) {
	t.former, t.changedAt, t.turn = t.turn, at, next
}

// keyHolder is a process with a key.
type keyHolder struct {
	process tracefmt.ProcessID
	key     value
}

// compileKeys compiles the key of each pattern of a fluent. A key that a start or a state event may lack may be unrecorded.
func (s *scope) compileKeys(def *fluentDef, item *fluentItem) error {
	keys := func(patterns []*pattern, facts *relied) (keys []eval, err error) {
		for _, p := range patterns {
			inner, err := s.scopeOf(p)
			if err != nil {
				return nil, err
			}
			if !inner.hasColumn(item.Key) {
				keys = append(keys, nil)
				continue
			}
			mark := len(s.program.facts)
			key, err := inner.ownField(&node{op: "field", tokens: item.Tokens, name: item.Key})
			if err != nil {
				return nil, err
			}
			facts.reads = distinct(facts.reads, s.program.factsSince(mark))
			keys = append(keys, key.eval)
		}
		return keys, nil
	}
	var err error
	def.beginKeys, err = keys(item.From, &def.beginFacts)
	if err == nil && !slices.ContainsFunc(def.beginKeys, func(key eval) bool { return key != nil }) {
		err = errorf(item.Pos, "no event that begins the fluent %s has a %s", item.Name, item.Key)
	}
	if err == nil {
		def.endKeys, err = keys(item.To, &def.endFacts)
	}
	return err
}

// hasColumn reports whether the events of the scope may have a field of that name: it is a column of theirs, or no column.
func (s *scope) hasColumn(name string) bool {
	i := slices.IndexFunc(columns, func(c column) bool { return c.name == name })
	return i < 0 || columns[i].need == nil ||
		slices.ContainsFunc(s.kinds, func(k tracefmt.Kind) bool { return columns[i].need(k.Info()) != tracefmt.Absent })
}

// keyBy returns the key of the current event, absent if it has none.
func (f *frame) keyBy(key eval) value {
	if key == nil {
		return value{}
	}
	missing := f.missingField
	v := f.canonical(key(f))
	f.missingField = missing // the rule itself has not read the field
	return v
}

// turn returns the turn of p for a key.
func (k *keyedTurns) turn(f *frame, p tracefmt.ProcessID, key value) turn {
	t := k.turns[p][key]
	switch {
	case t == nil:
		return turn{}
	case f.readingFormer && t.changedAt == f.event.Seq:
		return t.former
	}
	return t.turn
}

// begin begins the fluent at p for a key, and reports whether it did not hold before. Without a key nothing begins.
func (k *keyedTurns) begin(f *frame, p tracefmt.ProcessID, key value) bool {
	t := k.turns[p][key]
	switch {
	case key.sort == absent || t != nil && t.since != 0:
		return false
	case t == nil && k.kept >= maxPast:
		k.full = true
		return false
	case t == nil:
		if k.turns[p] == nil {
			k.turns[p] = make(map[value]*keyedTurn)
		}
		t = new(keyedTurn)
		k.turns[p][key] = t
		k.kept++
	}
	t.change(f.event.Seq, turn{f.event.Seq, t.ended})
	return true
}

// end ends the fluent at p for a key, or for all keys if the event has none.
func (k *keyedTurns) end(f *frame, p tracefmt.ProcessID, key value) {
	if key.sort == absent {
		for every := range k.turns[p] {
			k.end(f, p, every)
		}
		return
	}
	if t := k.turns[p][key]; t != nil {
		t.change(f.event.Seq, turn{0, f.event.Seq})
		k.over = append(k.over, keyHolder{p, key})
	}
}

// holding adds the processes and keys for which the fluent holds.
func (k *keyedTurns) holding(holds map[keyHolder]bool) {
	for p, turns := range k.turns {
		for key, t := range turns {
			if t.since != 0 {
				holds[keyHolder{tracefmt.ProcessID(p), key}] = true
			}
		}
	}
}

// prune drops the turns that an earlier event ended. In an incomplete recording it keeps them: they show until when an
// unrecorded beginning changes nothing.
func (k *keyedTurns) prune(f *frame) {
	if !f.partial() {
		for _, h := range k.over {
			if t := k.turns[h.process][h.key]; t != nil && t.since == 0 {
				delete(k.turns[h.process], h.key)
				k.kept--
			}
		}
	}
	k.over = k.over[:0]
}

// truthsOfKeys returns the possible truths of the fluent at p for the possible keys.
func (s *fluentState) truthsOfKeys(f *frame, p tracefmt.ProcessID, keys choices) (results truths) {
	if keys.anyValue || keys.ranged {
		return anyTruth
	}
	keys.each(func(v value) {
		switch key := f.canonical(v); {
		case key.sort == absent || s.keyed.full:
			results |= mayBeUnknown
		default:
			results |= s.holdsTruths(f, p, key)
		}
	})
	return results
}
