package tracefmt

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"etrace/tracefmt/text"
)

// UnmarshalJSON rejects keys and values without meaning.
func (t *Completeness) UnmarshalJSON(data []byte) error {
	err := t.unmarshal(data)
	if wrong := new(json.UnmarshalTypeError); err == nil || errors.As(err, &wrong) {
		return err
	}
	return fmt.Errorf(`"complete": %w`, err)
}

// unmarshal sets t from the JSON object of a header. It fails if the value is no object, or has an unknown or
// repeated key.
func (t *Completeness) unmarshal(data []byte) error {
	if level := new(Level); json.Unmarshal(data, level) == nil {
		return fmt.Errorf(`expected an object, {"default":"%s"}`, level)
	}
	type fields struct {
		Default   Level                     `json:"default"`
		Kinds     strict[map[string]Level]  `json:"kinds"`
		Processes strict[map[string]Levels] `json:"processes"`
		Gaps      []Gap                     `json:"gaps"`
		Suspected []Gap                     `json:"suspected"`
		Unplaced  int64                     `json:"unplaced"`
		Lines     strict[map[string]int64]  `json:"not_understood"`
		Clocks    *Clocks                   `json:"clocks"`
	}
	var read fields
	if err := unmarshalKeys(data, &read, completenessKeys); err != nil {
		return err
	}
	*t = Completeness{
		Levels: Levels{read.Default, read.Kinds.v}, Processes: read.Processes.v, Gaps: read.Gaps,
		Suspected: read.Suspected, Unplaced: read.Unplaced, NotUnderstood: read.Lines.v, Clocks: read.Clocks,
	}
	return nil
}

// UnmarshalJSON rejects keys and values without meaning.
func (t *Levels) UnmarshalJSON(data []byte) error {
	var read struct {
		Default Level                    `json:"default"`
		Kinds   strict[map[string]Level] `json:"kinds"`
	}
	if err := unmarshalKeys(data, &read, levelKeys); err != nil {
		return err
	}
	*t = Levels{read.Default, read.Kinds.v}
	return nil
}

// UnmarshalJSON rejects unknown keys.
func (g *Gap) UnmarshalJSON(data []byte) error {
	type fields Gap
	return unmarshalKeys(data, (*fields)(g), gapKeys)
}

// UnmarshalJSON rejects unknown keys.
func (c *Clocks) UnmarshalJSON(data []byte) error {
	type fields Clocks
	return unmarshalKeys(data, (*fields)(c), clocksKeys)
}

// strict decodes a JSON object into v, and rejects repeated keys, which encoding/json accepts.
type strict[T any] struct{ v T }

// UnmarshalJSON rejects repeated keys.
func (s *strict[T]) UnmarshalJSON(data []byte) error {
	seen := make(map[string]bool)
	for key := range Fields(data) {
		if seen[string(key)] {
			return fmt.Errorf("the key %q is given twice", key)
		}
		seen[string(key)] = true
	}
	return json.Unmarshal(data, &s.v)
}

// The limits of a declaration: the keys of one object, and of all.
const (
	maxLevels    = 4096
	maxAllLevels = 16 * maxLevels
)

// validateCompleteness returns the first mistake in the declaration of the run.
func (r *Run) validateCompleteness() error {
	if r.Completeness == nil {
		return nil
	}
	if err := r.Completeness.validate(); err != nil {
		return fmt.Errorf(`"complete": %w`, err)
	}
	var names []string
	for name := range r.Completeness.Processes {
		names = append(names, name)
	}
	for _, g := range slices.Concat(r.Completeness.Gaps, r.Completeness.Suspected) {
		names = append(names, g.Process)
	}
	if c := r.Completeness.Clocks; c != nil {
		names = slices.Concat(append(c.Shared, names)...)
	}
	slices.Sort(names)
	for _, name := range names {
		if _, ok := r.Process(name); !ok {
			return fmt.Errorf(`"complete": %w`, r.unknownProcess(name))
		}
	}
	return nil
}

// unknownProcess returns the error for an unknown process.
func (r *Run) unknownProcess(name string) error {
	var members []string
	for _, m := range r.Members {
		members = append(members, m.Name)
	}
	return text.Unknown("process", name, members)
}

// validate returns the first mistake that the declaration has regardless of its run: too many keys, a key that
// is no fact, or a number or gap out of range. [Run.validateCompleteness] also checks the names of processes.
func (t *Completeness) validate() error {
	// The sizes are checked first: the header may be hostile.
	keys := len(t.Kinds) + len(t.Processes) + len(t.Gaps) + len(t.Suspected)
	if t.Clocks != nil {
		keys += len(t.Clocks.Shared)
	}
	if keys > maxLevels {
		return fmt.Errorf("%d keys, expected at most %d", keys, maxLevels)
	}
	for _, declared := range t.Processes {
		keys += len(declared.Kinds)
	}
	if keys > maxAllLevels {
		return fmt.Errorf("%d keys in all, expected at most %d", keys, maxAllLevels)
	}
	if err := t.Levels.validate(); err != nil {
		return err
	}
	for name, declared := range t.Processes {
		if err := declared.validate(); err != nil {
			return fmt.Errorf("process %s: %w", text.Quote(name), err)
		}
	}
	if t.Unplaced < 0 || t.Clocks != nil && t.Clocks.Skew < 0 {
		return errors.New("a number below 0")
	}
	for name, lines := range t.NotUnderstood {
		if lines < 1 {
			return fmt.Errorf("not_understood: process %s: %d lines, expected at least 1", text.Quote(name), lines)
		}
	}
	for i, g := range slices.Concat(t.Gaps, t.Suspected) {
		switch {
		case g.From < 0 || g.To < 0 || g.Dropped < 0:
			return fmt.Errorf("gap %d: a number below 0", i+1)
		case g.To != 0 && g.From-1 > g.To:
			// From = To+1 is a gap between two consecutive events.
			return fmt.Errorf("gap %d is from seq %d to seq %d, expected it the other way round", i+1, g.From, g.To)
		}
	}
	return nil
}

// validate returns an error if there are too many keys, or if a key is neither a kind, a group of kinds nor a
// variable.
func (t *Levels) validate() error {
	if len(t.Kinds) > maxLevels {
		return fmt.Errorf("%d kinds, expected at most %d", len(t.Kinds), maxLevels)
	}
	for key := range t.Kinds {
		if _, err := ParseFacts(key); err != nil {
			return err
		}
	}
	return nil
}
