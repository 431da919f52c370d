package scenario

import (
	"fmt"
	"slices"
	"strings"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Attribute is an attribute of the processes with its values, such as their load: "load=3,9,1,4".
type Attribute struct {
	Name string
	// Processes are the ids of the processes of the values; nil means all processes, in the order of Scenario.IDs.
	Processes []int64
	Values    []string
}

func (a Attribute) String() string {
	values := slices.Clone(a.Values)
	for i, id := range a.Processes {
		values[i] = fmt.Sprintf("%d:%s", id, values[i])
	}
	return a.Name + "=" + strings.Join(values, ",")
}

// parseAttribute reads "load=3,9,1,4" or "load=1:3,2:9,3:1,4:4".
func parseAttribute(given string) (a Attribute, err error) {
	name, list, ok := strings.Cut(given, "=")
	a.Name = strings.TrimSpace(name)
	if !ok || a.Name == "" {
		return a, fmt.Errorf("%q: expected a name and a number for each process, such as load=3,9,1,4", given)
	}
	for part := range strings.SplitSeq(list, ",") {
		value := strings.TrimSpace(part)
		if process, owner, named := strings.Cut(value, ":"); named {
			id, err := parseID(strings.TrimSpace(process))
			if err != nil {
				return a, fmt.Errorf("%q: %w", given, err)
			}
			a.Processes, value = append(a.Processes, id), strings.TrimSpace(owner)
		}
		if _, isNumber := tracefmt.ParseNumber([]byte(value)); !isNumber || value[0] == '"' {
			return a, fmt.Errorf("%q: %q is not a number", given, value)
		}
		a.Values = append(a.Values, value)
	}
	if a.Processes != nil && len(a.Processes) != len(a.Values) {
		return a, fmt.Errorf("%q: expected a process before each value or before none", given)
	}
	return a, nil
}

// bindAttributes adds the id of its process to each value, so that a later change of the ring order does not
// affect the values.
func (s *Scenario) bindAttributes() {
	s.Attributes = slices.Clone(s.Attributes)
	for i := range s.Attributes {
		if a := &s.Attributes[i]; a.Processes == nil && len(a.Values) == len(s.IDs) {
			a.Processes = slices.Clone(s.IDs)
		}
	}
}

// values returns the values by process; ids are those of the scenario.
func (a *Attribute) values(ids []int64) map[int64]string {
	listed := a.Processes
	if listed == nil {
		listed = ids
	}
	values := make(map[int64]string, len(a.Values))
	for i, id := range listed[:min(len(listed), len(a.Values))] {
		values[id] = a.Values[i]
	}
	return values
}

// Best selects the process that an election should elect: the one with the greatest or the least value of an
// attribute, "greatest:load" or "least:load". The zero value selects the greatest id.
type Best struct {
	Attribute string
	Least     bool
}

const (
	greatestOf = "greatest:"
	bestByID   = "id"
)

// parseBest reads greatest:ATTRIBUTE, least:ATTRIBUTE or id.
func parseBest(given string) (Best, error) {
	if given == bestByID {
		return Best{}, nil
	}
	name, smallest := tracefmt.BestKey(given)
	if !smallest {
		var greatest bool
		name, greatest = strings.CutPrefix(given, greatestOf)
		if !greatest {
			name = ""
		}
	}
	if name == tracefmt.BestID {
		return Best{}, fmt.Errorf("%q: the id is not an attribute, expected id for the greatest id, or least:ATTRIBUTE", given)
	}
	if name == "" {
		return Best{}, fmt.Errorf("%q: expected greatest:ATTRIBUTE, least:ATTRIBUTE or id", given)
	}
	return Best{name, smallest}, nil
}

func (b Best) String() string {
	switch {
	case b.Attribute == "":
		return bestByID
	case b.Least:
		return tracefmt.LeastOf + b.Attribute
	}
	return greatestOf + b.Attribute
}

// headerKey returns the key in the header of the run.
func (b Best) headerKey() string { return strings.TrimPrefix(b.String(), greatestOf) }

// comparedAttribute returns the attribute by which the election compares processes, nil if it compares ids.
func (s *Scenario) comparedAttribute() *Attribute {
	i := slices.IndexFunc(s.Attributes, func(a Attribute) bool { return a.Name == s.Best.Attribute })
	if i < 0 {
		return nil
	}
	return &s.Attributes[i]
}

// Ranked returns the ids in the order of the process numbers, the best process last. Elections
// compare process numbers, so this order is the one comparison that they all share: by the
// best attribute, then by the id.
func (s *Scenario) Ranked() []int64 {
	ids := ascending(s.IDs)
	a := s.comparedAttribute()
	if a == nil {
		return ids
	}
	values := make(map[int64]tracefmt.Number, len(ids))
	for id, value := range a.values(s.IDs) {
		values[id], _ = tracefmt.ParseNumber([]byte(value))
	}
	slices.SortStableFunc(ids, func(p, q int64) int {
		order := values[p].Compare(values[q])
		if s.Best.Least {
			return -order
		}
		return order
	})
	return ids
}

// setAttributes sets the attributes of the members.
func (b *builder) setAttributes() {
	s := b.scenario
	for i, a := range s.Attributes {
		b.setPlace("attribute", i)
		switch {
		case a.Name == tracefmt.BestID || a.Name == "role" || !sim.IsFieldName(a.Name):
			b.fail(" %v: %s cannot be the name of an attribute; expected a word such as load", a, text.Quote(a.Name))
		case slices.ContainsFunc(s.Attributes[:i], func(earlier Attribute) bool { return earlier.Name == a.Name }):
			b.fail(" %v: %s is given twice", a, text.Quote(a.Name))
		case a.Processes == nil && len(a.Values) != len(s.IDs):
			b.fail(" %v: %s for %s, expected one for each", a,
				text.Counted(len(a.Values), "value", "values"), text.Counted(len(s.IDs), "process", "processes"))
		}
		seen := make(map[int64]bool, len(a.Processes))
		for _, id := range a.Processes {
			b.process(id, a.String())
			if seen[id] {
				b.fail(" %v: process %d has two values", a, id)
			}
			seen[id] = true
		}
		values := a.values(s.IDs)
		// b.fail keeps the first error, so the errors above may have left some values unset.
		for p, id := range b.ids {
			value := values[id]
			if value == "" {
				b.fail(" %v: process %d has no value", a, id)
				return
			}
			m := &b.run.Members[p]
			m.Attributes = withAttribute(m.Attributes, a.Name, []byte(value))
		}
	}
}

// withAttribute returns the attributes of a member, an object or nil, with one attribute set to the value.
func withAttribute(object []byte, name string, value []byte) []byte {
	merged := []byte("{")
	for key, former := range tracefmt.Fields(object) {
		if string(key) != name {
			merged = append(append(tracefmt.AppendString(merged, string(key)), ':'), former...)
			merged = append(merged, ',')
		}
	}
	merged = append(tracefmt.AppendString(merged, name), ':')
	return append(append(merged, value...), '}')
}

// chooseBest configures the election to compare an attribute, if the scenario names one.
func (b *builder) chooseBest(c *sim.Config, a *algorithm.Algorithm) {
	s := b.scenario
	if s.Best.Attribute == "" {
		if s.TiesByID {
			b.setPlace("attribute-ties", 0)
			b.fail(" id: no best attribute is given, expected also one such as best greatest:load")
		}
		return
	}
	b.setPlace("best", 0)
	given := s.comparedAttribute()
	var names []string
	for i := range s.Attributes {
		names = append(names, s.Attributes[i].Name)
	}
	switch {
	case given == nil && names == nil:
		b.fail(" %v: no attribute is given, expected one such as attribute %s=3,9,1,4", s.Best, s.Best.Attribute)
	case given == nil:
		b.fail(" %v: %w", s.Best, text.Unknown("attribute", s.Best.Attribute, names))
	case !slices.Contains(a.Traits, tracefmt.GreatestWins) && !slices.Contains(a.Best, tracefmt.BestID):
		b.fail(" %v: %s does not elect the process with the greatest id, so that an attribute could take its place", s.Best, a.Name)
	case c.Protocol.HasField(given.Name):
		b.fail(" %v: a message of %s has a field %s, expected an attribute of another name", s.Best, a.Name, given.Name)
	case !s.TiesByID:
		b.checkTies(given)
	}
	c.Attribute = s.Best.Attribute
}

// checkTies fails if two processes have the same value of the best attribute. Such processes have neighbouring
// numbers.
func (b *builder) checkTies(a *Attribute) {
	values := a.values(b.scenario.IDs)
	for i := 1; i < len(b.ids); i++ {
		p, q := b.ids[i-1], b.ids[i]
		x, _ := tracefmt.ParseNumber([]byte(values[p]))
		if y, _ := tracefmt.ParseNumber([]byte(values[q])); x == y {
			b.fail(" %v: processes %d and %d have the same %s, %v, expected different ones, or attribute-ties id", b.scenario.Best, p, q, a.Name, x)
			return
		}
	}
}

// bestKeys returns the keys that define the best process in an election that compares an attribute.
func (s *Scenario) bestKeys() []string {
	if s.TiesByID {
		return []string{s.Best.headerKey(), tracefmt.BestID}
	}
	return []string{s.Best.headerKey()}
}

// promiseBest sets the keys that define the best process, if it is not the one with the greatest id.
func (b *builder) promiseBest() {
	if b.scenario.Best.Attribute == "" {
		return
	}
	run := &b.run
	if i := slices.Index(run.Best, tracefmt.BestID); i >= 0 {
		run.Best = slices.Replace(run.Best, i, i+1, b.scenario.bestKeys()...)
	}
	if i := slices.Index(run.Traits, tracefmt.GreatestWins); i >= 0 {
		run.Traits, run.Best = slices.Delete(run.Traits, i, i+1), b.scenario.bestKeys()
	}
}

// Leave removes the values of the processes for which gone is true, since they have left the scenario.
func (a *Attribute) Leave(gone func(id int64) bool) {
	kept := Attribute{Name: a.Name}
	for i, id := range a.Processes {
		if !gone(id) {
			kept.Processes, kept.Values = append(kept.Processes, id), append(kept.Values, a.Values[i])
		}
	}
	*a = kept
}
