package mapping

import (
	"fmt"
	"maps"
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

// mention is a place in a mapping that names a field.
type mention struct {
	slot  int
	rule  int // the number of the rule; of a place outside of rules it does not matter
	place string
	// when is true in the conditions of a rule, and outside of rules.
	when bool
}

// unused finds the parts of a mapping that no line has used. They may be misspelt. They are not errors, because
// another log may use them.
type unused struct {
	m     *Map
	took  []bool   // by rule: it has taken a line
	lines []string // the first ones, for the fields that they have
}

// maxKeyed is how many lines are searched for the names of fields.
const maxKeyed = 100

func newUnused(m *Map) *unused { return &unused{m: m, took: make([]bool, len(m.rules))} }

// see stores the first lines.
func (u *unused) see(line string) {
	if len(u.lines) < maxKeyed {
		u.lines = append(u.lines, line)
	}
}

// report notes the unused parts. For a ready mapping it notes less, because most logs use only a part of it.
func (u *unused) report(r *interop.Reading, had []bool) {
	if u.m.ready {
		return
	}
	for _, said := range u.missing(had) {
		r.Note("%s", said.text)
	}
	u.reportRules(r)
	u.reportCompleteness(r)
	u.reportVariables(r)
}

// absence is a field that no line has.
type absence struct {
	mention
	text string
}

// missing returns the fields that no line has although a line should.
func (u *unused) missing(had []bool) (absences []absence) {
	known := u.known(had)
	said := make(map[int]bool)
	for _, at := range u.m.mentions {
		// A rule that has taken no line is reported as a whole; its conditions may be the cause.
		ofIdleRule := !at.when && at.rule < len(u.took) && !u.took[at.rule]
		if had[at.slot] || said[at.slot] || ofIdleRule {
			continue
		}
		said[at.slot] = true
		name := u.m.slots.names[at.slot]
		absences = append(absences, absence{at, fmt.Sprintf("%s: no line has a field %s%s", at.place, text.Quote(name), meant(name, known))})
	}
	return absences
}

// lacked describes which fields a ready mapping reads, and which of them no line has. It returns "" if all exist.
func (u *unused) lacked(had []bool) string {
	var asked, lacking []string
	for _, rule := range u.m.rules {
		for _, c := range rule.when {
			name := u.m.slots.names[c.slot]
			if c.absent || slices.Contains(asked, name) {
				continue
			}
			asked = append(asked, name)
			if !had[c.slot] {
				lacking = append(lacking, u.m.slots.named(c.slot))
			}
		}
	}
	if lacking == nil {
		return ""
	}
	return fmt.Sprintf(
		"no rule takes a line: those of the ready map %s ask for the fields %s, and no line has %s", u.m.Name,
		text.And(asked), text.Or(lacking),
	)
}

// reportRules notes the rules without lines.
func (u *unused) reportRules(r *interop.Reading) {
	var places []string
	for i, took := range u.took {
		if !took {
			places = append(places, u.m.rules[i].place)
		}
	}
	if len(places) > 0 {
		rules := "the rules"
		if len(places) == 1 {
			rules = "the rule"
		}
		r.Note("no line is one for %s at %s", rules, text.And(text.Few(places, 5)))
	}
}

// reportCompleteness notes variables in run.complete whose names are similar to variables in the lines.
func (u *unused) reportCompleteness(r *interop.Reading) {
	if u.m.run.Completeness == nil {
		return
	}
	assigned := u.assigned()
	keys := maps.Clone(u.m.run.Completeness.Kinds)
	if keys == nil {
		keys = make(map[string]tracefmt.Level)
	}
	for _, rule := range u.m.run.Completeness.Processes {
		maps.Copy(keys, rule.Kinds)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		facts, err := tracefmt.ParseFacts(key)
		if err != nil || len(facts) != 1 || facts[0].Variable == "" || slices.Contains(assigned, facts[0].Variable) {
			continue
		}
		if near := text.Nearest(facts[0].Variable, assigned); near != "" && keys[key] != tracefmt.None {
			r.Note("%s: no line assigns the variable %s%s", u.m.completePlace, text.Quote(facts[0].Variable), meant(facts[0].Variable, assigned))
		}
	}
}

// vocabulary are the variables that properties read.
var vocabulary = []string{"elected", "role", "term", "epoch", "zxid", "votedFor", "log", "commit", "proposed", "decided"}

// reportVariables notes variables that no property reads, but whose names are similar to a name in the vocabulary. If
// the lines assign both, they are different variables.
func (u *unused) reportVariables(r *interop.Reading) {
	assigned := u.assigned()
	for _, name := range assigned {
		if meant := text.Misspelt(name, vocabulary); meant != "" && !slices.Contains(assigned, meant) {
			r.Note("%s: no property reads the variable %s, did you mean %q?", u.placeOf(name), text.Quote(name), meant)
		}
	}
}

// placeOf returns the place in the file of the first rule that assigns the variable.
func (u *unused) placeOf(variable string) string {
	i := slices.IndexFunc(u.m.rules, func(rule rule) bool { return slices.Contains(rule.variables(), variable) })
	return u.m.rules[i].place
}

// assigned returns the variables that the used rules assign.
func (u *unused) assigned() (names []string) {
	for i, took := range u.took {
		if took {
			names = append(names, u.m.rules[i].variables()...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// variables returns the variables that the events of the rule assign.
func (rule *rule) variables() (names []string) {
	for _, h := range rule.events {
		for _, a := range h.fields {
			names = append(names, tracefmt.ListName(a.name))
		}
	}
	return names
}

// known returns the names of all fields in the lines, also of fields that the mapping does not read.
func (u *unused) known(had []bool) (names []string) {
	for slot, name := range u.m.slots.names {
		if had[slot] {
			names = append(names, name)
		}
	}
	for _, line := range u.lines {
		for _, cut := range []func(string) map[string]string{JSONFields, LogfmtFields} {
			names = append(names, slices.Collect(maps.Keys(cut(line)))...)
		}
	}
	names = append(names, u.m.columns...)
	slices.Sort(names)
	return slices.Compact(names)
}

// meant returns a question whether the most similar of the known names was meant, or "".
func meant(name string, known []string) string {
	if near := text.Nearest(name, known); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}
