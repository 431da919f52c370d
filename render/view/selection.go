package view

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Selection is the part of a run that a user asks for. The zero value is the whole run. A place is a seq, t=TIME, end
// or a pattern, see [replay.ParsePosition].
type Selection struct {
	// From and To are the places at which the window begins and ends; "" is the beginning, or the end, of the run. A
	// pattern for To is looked for from the beginning of the window on.
	From, To string
	// Around is a place: the window is the event there with its neighbours.
	Around string
	// Past is a place: the events that happened before the event there are shown, and that event.
	Past string
	// Processes are the names of those whose events are shown, Types those of the messages shown; nil is all.
	Processes, Types []string
	// Label is the field of the payload that the labels of messages show; "" for the first fields.
	Label string
	// Hide are patterns of events that are left out.
	Hide []string
	// Group is the attribute of the members, such as role or site, by which the processes are grouped; "" for no groups.
	Group string
	// MaxEvents is the greatest number of events shown; 0 is the default.
	MaxEvents int
}

// neighbours is how many events before and after an event surround it.
const neighbours = 10

// Resolve finds the events that a selection means in a run.
func (s *Selection) Resolve(ctx context.Context, rec tracefmt.Recording) (v View, err error) {
	v.MaxEvents = s.MaxEvents
	if s.Around != "" && s.From+s.To != "" || s.Past != "" && s.Around != "" {
		return v, errors.New("two windows are asked for, expected from and to, around, or past")
	}
	if err := s.window(ctx, rec, &v); err != nil {
		return v, err
	}
	v.Processes, err = s.processes(rec.Run())
	if err != nil {
		return v, err
	}
	v.Group = s.Group
	v.Groups, err = s.groups(rec.Run())
	if err != nil {
		return v, err
	}
	v.Types, v.Label = s.Types, s.Label
	if err := s.checkNames(ctx, rec); err != nil {
		return v, err
	}
	for _, hidden := range s.Hide {
		p, err := replay.ParsePattern(hidden, rec.Run())
		if err == nil { // a misspelt name would hide nothing
			err = replay.Misspelt(rec, p)
		}
		if err != nil {
			return v, fmt.Errorf("hide: %w", err)
		}
		v.Hide = append(v.Hide, p)
	}
	return v, nil
}

// window resolves the places.
func (s *Selection) window(ctx context.Context, rec tracefmt.Recording, v *View) (err error) {
	for _, place := range [...]struct {
		flag, text string
		found      func(seq tracefmt.Seq) error
		edge       edge
	}{
		{"from", s.From, func(seq tracefmt.Seq) error { v.From = seq; return nil }, first},
		{"to", s.To, func(seq tracefmt.Seq) error { v.To = seq; return nil }, last},
		{"around", s.Around, func(seq tracefmt.Seq) error {
			v.From, v.To = max(seq-neighbours, 1), seq+neighbours
			return nil
		}, first},
		{"past", s.Past, func(seq tracefmt.Seq) error {
			v.To = seq
			v.Past, err = replay.PastOf(ctx, rec, seq)
			return err
		}, last},
	} {
		if place.text == "" {
			continue
		}
		seq, err := findEvent(ctx, rec, place.text, v.From, place.edge)
		if err == nil {
			err = place.found(seq)
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", place.flag, text.Quote(place.text), err)
		}
	}
	if v.To > 0 && v.From > v.To {
		return fmt.Errorf("the window begins at %d, after its end at %d", v.From, v.To)
	}
	return nil
}

// edge selects the first or the last of several events at one time.
type edge uint8

const (
	first edge = iota
	last
)

// findEvent returns the event at a place, looked for from an event on.
func findEvent(
	ctx context.Context, rec tracefmt.Recording, place string, from tracefmt.Seq, side edge,
) (tracefmt.Seq, error) {
	run := rec.Run()
	at, err := replay.ParsePosition(place, run)
	switch {
	case err != nil:
		return 0, err
	case at.Pattern != nil:
		return findPattern(rec, at.Pattern, from)
	case at.Time == nil && !at.End:
		if at.Seq < 1 {
			return 0, errors.New("expected the seq of an event, from 1 on")
		}
		return at.Seq, nil
	}
	found := tracefmt.Seq(0)
	for e, err := range tracefmt.Until(ctx, rec, 1) {
		if err != nil {
			return 0, err
		}
		late := at.Time != nil && run.TimeUnit.Units(e.Time) > *at.Time
		early := at.Time != nil && run.TimeUnit.Units(e.Time) < *at.Time
		switch {
		case side == first && at.Time != nil && !early:
			return e.Seq, nil
		case late && side == last && run.TimeUnit != tracefmt.Nanoseconds:
			// No later event is within the window, since these times never go back.
			return seqOrError(found, "every event is later")
		case !late:
			found = e.Seq
		}
	}
	if side == first && at.Time != nil {
		return 0, errors.New("every event is earlier")
	}
	return seqOrError(found, "every event is later")
}

// seqOrError returns the seq, or an error with the other text if it is 0.
func seqOrError(seq tracefmt.Seq, otherwise string) (tracefmt.Seq, error) {
	if seq == 0 {
		return 0, errors.New(otherwise)
	}
	return seq, nil
}

// findPattern returns the first event from a seq on that matches a pattern. Without a match the error suggests a
// correction.
func findPattern(rec tracefmt.Recording, p *replay.Pattern, from tracefmt.Seq) (tracefmt.Seq, error) {
	seq, err := p.Next(rec, max(from-1, 0))
	if err != nil || seq != 0 {
		return seq, err
	}
	if err := replay.Misspelt(rec, p); err != nil {
		return 0, err
	}
	return 0, replay.ErrNoMatch
}

// processes returns by process whether it is selected, nil for all.
func (s *Selection) processes(run *tracefmt.Run) ([]bool, error) {
	if s.Processes == nil {
		return nil, nil
	}
	shown := make([]bool, len(run.Members)+1)
	for _, name := range s.Processes {
		p, ok := run.Process(name)
		if !ok {
			var names []string
			for i := range run.Members {
				names = append(names, run.Members[i].Name)
			}
			return nil, text.Unknown("process", name, names)
		}
		shown[p] = true
	}
	return shown, nil
}

// groups returns the group of each process, by process.
func (s *Selection) groups(run *tracefmt.Run) ([]string, error) {
	if s.Group == "" {
		return nil, nil
	}
	var known []string
	groups, found := make([]string, len(run.Members)+1), false
	for i := range run.Members {
		groups[i+1] = "no " + s.Group
		for key, value := range tracefmt.Fields(run.Members[i].Attributes) {
			if name := string(key); !slices.Contains(known, name) {
				known = append(known, name)
			}
			if string(key) == s.Group {
				groups[i+1], found = groupName(s.Group, value), true
			}
		}
	}
	switch {
	case !found && known == nil:
		return nil, fmt.Errorf("group %s: the members of this run have no attributes, expected some in its header", text.Quote(s.Group))
	case !found:
		return nil, text.Unknown("attribute of the members", s.Group, known)
	}
	return groups, nil
}

// groupName returns the name of the processes with a value of an attribute: the value, with the name of the attribute
// before a number, since a process may be called 1, too.
func groupName(attribute string, value []byte) string {
	var plain string
	if json.Unmarshal(value, &plain) == nil && strings.ContainsFunc(plain, unicode.IsLetter) {
		return text.Printable(plain)
	}
	return text.Printable(attribute + " " + cmp.Or(plain, string(value)))
}

// checkNames checks that the run has messages of the types, and one with the field of the label.
func (s *Selection) checkNames(ctx context.Context, rec tracefmt.Recording) error {
	if s.Types == nil && s.Label == "" {
		return nil
	}
	const limit = 1000
	var types, fields []string
	add := func(known []string, name string) []string {
		if len(known) < limit && !slices.Contains(known, name) {
			return append(known, name)
		}
		return known
	}
	for e, err := range tracefmt.Until(ctx, rec, 1) {
		if err != nil {
			return err
		}
		if !isMessage(e.Kind) {
			continue
		}
		types = add(types, e.Type)
		if e.Kind == tracefmt.Lose { // its payload is the reason
			continue
		}
		for field := range tracefmt.Fields(e.Payload) {
			if name := string(field); name != tracefmt.CausesKey && name != tracefmt.LogKey {
				fields = add(fields, name)
			}
		}
	}
	for _, typ := range s.Types {
		if !slices.Contains(types, typ) && len(types) < limit {
			return text.Unknown("type of messages", typ, types)
		}
	}
	if s.Label != "" && !slices.Contains(fields, s.Label) && len(fields) < limit {
		return text.Unknown("field of messages", s.Label, fields)
	}
	return nil
}
