package mapping

import (
	"bytes"
	"iter"
	"slices"
)

// The meaning of a line may depend on the lines before it: on fields that hold until changed, other names of processes,
// the execution. A part of an import reads some lines alone, and finds what each means by itself; the join reads these
// elements in order, and does the rest. So both are one program, and a part does its first half.

// element is a record with what it means alone.
type element struct {
	line int // the number of the line in its slice, from 1
	plain
	unended bool // the file ends within the record
	// isUncut is true if the join cuts the record: a line that continues a record in another slice, or a record whose
	// values have line ends.
	isUncut    bool
	understood bool // the record has the form of the lines
	// fields are the fields of the form. The mapping cuts the fields in cuts out of them, and conditions of rules the fields
	// in found. If nothing but templates reads the fields, other fields are left out.
	fields, cuts, found []slotField
	rule                int  // the index of the rule that takes the record, or -1
	ignored             bool // no rule takes the record, and a condition ignores it
	// failed has the first condition of each rule that does not hold, for the first records that no rule takes.
	failed []int
	// members are the lists of members in the record. omission is true if it marks omitted lines, and gap if it meets a
	// condition of the mapping for missing lines.
	members       [][]string
	omission, gap bool
}

// slotField is a field with its slot.
type slotField struct {
	slot int
	field
}

// independence has the findings about a record that a part can make alone.
type independence struct {
	cuts    bool // further fields
	rules   bool // the rule
	ignores bool // that no rule takes the record and it is ignored
}

// independent returns what a record means whatever is before it. Headings give fields to the lines after them; the name
// of a file is only known beside the names of all others; the number of a line in a slice, beside the slices before.
func (m *Map) independent() (found independence) {
	if m.heading != nil {
		return found
	}
	outer := []int{m.lineSlot, m.fileSlot}
	if m.file != nil {
		outer = append(outer, m.file.groups...)
	}
	found.cuts = !slices.ContainsFunc(m.cuts, func(c cutting) bool { return slices.Contains(outer, c.slot) })
	// The conditions of rules may also read fields that earlier lines set.
	outer = slices.Concat(outer, m.carry, []int{m.processSlot})
	alone := func(conditions []condition) bool {
		return !slices.ContainsFunc(conditions, func(c condition) bool {
			return slices.Contains(outer, c.slot) || c.same != nil || c.pattern != nil && slices.Contains(c.pattern.groups, m.processSlot)
		})
	}
	found.rules = found.cuts
	for i := range m.rules {
		found.rules = found.rules && alone(m.rules[i].when)
	}
	for _, conditions := range m.gaps {
		found.rules = found.rules && alone(conditions)
	}
	found.ignores = found.rules
	for _, conditions := range m.ignore {
		cuts := func(c condition) bool { return c.pattern != nil && c.pattern.named() }
		found.ignores = found.ignores && alone(conditions) && !slices.ContainsFunc(conditions, cuts)
	}
	return found
}

// named reports whether the pattern has named groups.
func (p *pattern) named() bool {
	return slices.ContainsFunc(p.groups, func(slot int) bool { return slot >= 0 })
}

// reader finds what records mean alone.
type reader struct {
	log    // which only knows the mapping and the record
	finds  independence
	read   []bool  // by slot: a template reads the field
	before []field // scratch memory
	tries  int     // records so far, up to maxTried
}

// newReader returns the reader of a mapping.
func newReader(m *Map) *reader {
	return &reader{
		log:   log{Map: m, rec: m.newRecord()},
		finds: m.independent(), read: m.readByTemplates(), before: make([]field, len(m.slots.names)),
	}
}

// readByTemplates returns the slots whose fields templates read, by slot.
func (m *Map) readByTemplates() []bool {
	read := make([]bool, len(m.slots.names))
	var see func(t *template)
	assign := func(list []assignment) {
		for _, a := range list {
			see(a.key)
			see(a.value)
		}
	}
	see = func(t *template) {
		for ; t != nil; t = t.alternative {
			for _, p := range t.parts {
				if p.slot >= 0 {
					read[p.slot] = true
				}
			}
			assign(t.object)
		}
	}
	for _, t := range slices.Concat([]*template{m.process, m.clock, m.sequence.number, m.runs, m.cluster}, m.aliases, m.otherMembers) {
		see(t)
	}
	if m.time != nil {
		see(m.time.from)
	}
	for i := range m.rules {
		r := &m.rules[i]
		for _, t := range slices.Concat([]*template{r.process, r.peer, r.term, r.role, r.message, r.content, r.key, r.ownID}, r.after) {
			see(t)
		}
		assign(r.fields)
		for _, h := range r.events {
			see(h.typ)
			assign(h.fields)
		}
	}
	for _, slot := range m.carry {
		read[slot] = true
	}
	return read
}

// element returns what a line means alone. tableRow is nil unless the line is a row of a table.
func (r *reader) element(n int, line plain, tableRow *row) *element {
	e := &element{line: n, plain: line, rule: -1}
	if e.place == continues {
		e.isUncut = true
		return e
	}
	rec := r.rec
	if tableRow != nil {
		tableRow.into(rec)
		e.Text = rec.text
		clear(r.before)
		e.understood = tableRow.full()
	} else {
		r.Map.open(n, line, rec)
		copy(r.before, rec.fields)
		e.understood = r.form.line(r.Map, line.Text, rec)
	}
	e.fields = r.changed()
	e.isUncut = slices.ContainsFunc(e.fields, func(f slotField) bool { return bytes.IndexByte(f.raw, '\n') >= 0 })
	e.omission = omits(e.Text)
	if e.understood && !e.isUncut && (r.split == nil || !r.split.re.MatchString(rec.text)) {
		r.judge(e)
	}
	return e
}

// judge finds the further fields, the rule and the members of the current record.
func (r *reader) judge(e *element) {
	rec := r.rec
	for names := range memberLists(rec.text) {
		e.members = append(e.members, names)
	}
	if !r.finds.cuts {
		return
	}
	rec.set(r.textSlot, rec.text)
	rec.set(r.lineSlot, "?") // no line has this number
	copy(r.before, rec.fields)
	r.cutFields(rec)
	e.cuts = r.changed()
	if !r.finds.rules {
		return
	}
	copy(r.before, rec.fields)
	e.gap = r.among(r.gaps, false)
	e.rule = r.rule()
	e.found = r.changed()
	if !r.finds.ignores {
		return
	}
	if e.rule < 0 {
		e.ignored = r.among(r.ignore, false)
		if r.tries++; r.tries <= maxTried {
			for i := range r.rules {
				e.failed = append(e.failed, slices.IndexFunc(r.rules[i].when, func(c condition) bool { return !c.holds(rec) }))
			}
		}
	}
	for _, fields := range []*[]slotField{&e.fields, &e.cuts, &e.found} {
		*fields = slices.DeleteFunc(*fields, func(f slotField) bool { return !r.read[f.slot] })
	}
}

// changed returns the fields of the record that differ from before.
func (r *reader) changed() (changed []slotField) {
	for slot, f := range r.rec.fields {
		if f.has && !f.equals(&r.before[slot]) {
			changed = append(changed, slotField{slot, f})
		}
	}
	return changed
}

// equals reports whether two fields are the same.
func (f *field) equals(o *field) bool {
	return f.has == o.has && f.text == o.text && (f.raw == nil) == (o.raw == nil) && bytes.Equal(f.raw, o.raw)
}

// put sets the fields of the form in a record, and reports whether the record has the form of the lines.
func (e *element) put(rec *record) (understood bool) {
	rec.read = e
	rec.putAll(e.fields)
	return e.understood
}

// putAll sets fields.
func (r *record) putAll(fields []slotField) {
	for _, f := range fields {
		r.fields[f.slot] = f.field
		r.had[f.slot] = true
	}
}

// alone returns what a part has found in the current record, or nil. Only such an element is complete.
func (l *log) alone(found bool) *element {
	if e := l.rec.read; e != nil && found {
		return e
	}
	return nil
}

// cutRecord cuts fields of the current record into further fields.
func (l *log) cutRecord() {
	if e := l.alone(l.found.cuts); e != nil {
		l.rec.putAll(e.cuts)
		return
	}
	l.cutFields(l.rec)
}

// rule returns the index of the first rule whose conditions hold for the current record, or -1. The record gets the
// fields that conditions cut out.
func (l *log) rule() int {
	if e := l.alone(l.found.rules); e != nil {
		l.rec.putAll(e.found)
		return e.rule
	}
	for i := range l.rules {
		if hold(l.rules[i].when, l.rec) {
			return i
		}
	}
	return -1
}

// ignores reports whether the mapping ignores the current record, which no rule takes.
func (l *log) ignores() bool {
	if e := l.alone(l.found.ignores); e != nil {
		return e.ignored
	}
	return l.among(l.ignore, false)
}

// hasGap reports whether the current record meets a condition of the mapping for missing lines.
func (l *log) hasGap(formless bool) bool {
	if e := l.alone(l.found.rules); e != nil && !formless {
		return e.gap
	}
	return l.among(l.gaps, formless)
}

// memberLists returns the lists of members in the current record.
func (l *log) memberLists() iter.Seq[[]string] {
	if e := l.rec.read; e != nil {
		return slices.Values(e.members)
	}
	return memberLists(l.rec.text)
}

// marksOmission reports whether the current record marks omitted lines.
func (l *log) marksOmission() bool {
	if e := l.rec.read; e != nil {
		return e.omission
	}
	return omits(l.rec.text)
}
