package mapping

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/go-logfmt/logfmt"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/envelope"
	"etrace/tracefmt/text"
)

// form is a way to cut lines into fields.
type form struct {
	name, doc string
	// line cuts a line. It is nil for a form whose lines cannot be cut separately, such as a table.
	line func(m *Map, text string, rec *record) bool
	// inField is true if a field can be cut in this way, too.
	inField bool
}

// forms are the ways to cut lines, in the order in which they are explained.
var forms = []form{
	{name: "text", doc: "lines of text; match has a pattern whose named groups are the fields", line: (*Map).cutText},
	{name: "json", doc: "an object on each line; a field within a field is A.B", line: (*Map).cutJSON, inField: true},
	{name: "logfmt", doc: "key=value pairs on each line", line: (*Map).cutLogfmt, inField: true},
	{name: "csv", doc: "a table with the names of its columns in the first line"},
}

// anyOf returns a form for lines in several forms. The first form that fits a line is used.
func anyOf(forms []form) (*form, error) {
	for _, f := range forms {
		if f.line == nil {
			return nil, fmt.Errorf("%s is the form of all lines or of none, expected a list of some of: %s",
				f.name, strings.Join(formNames(func(f *form) bool { return f.line != nil }), ", "))
		}
	}
	names := make([]string, len(forms))
	for i := range forms {
		names[i] = forms[i].name
	}
	return &form{name: strings.Join(names, " or "), line: func(m *Map, text string, rec *record) bool {
		return slices.ContainsFunc(forms, func(f form) bool { return f.line(m, text, rec) })
	}}, nil
}

// cut returns the records of a log. A record is a line. If the mapping defines how a record begins, it is a first
// line and the lines that continue it.
func (m *Map) cut(r *interop.Reading, rec *record) iter.Seq[bool] {
	newestFirst := m.newestFirst(r, rec)
	if newestFirst {
		r.Note("the newest line of %s is its first: it is read from its end", r.Name())
	}
	if m.form.line == nil && m.parts == nil {
		return m.table(r, rec, newestFirst)
	}
	lines := m.plainLines(r)
	if m.parts != nil {
		lines = m.sliced(r, rec.had)
	}
	lines = m.joined(lines)
	if newestFirst {
		lines = backward(kept(lines))
	}
	return func(yield func(bool) bool) {
		for n, line := range lines {
			m.open(n, line, rec)
			understood := false
			if line.read != nil {
				understood = line.read.put(rec)
			} else {
				understood = m.form.line(m, line.Text, rec)
			}
			if !yield(understood) {
				return
			}
		}
	}
}

// open fills a record from a line without its envelope.
func (m *Map) open(n int, line plain, rec *record) {
	rec.clear(n, line.Text)
	rec.source = line.Source
	if line.Time != "" {
		rec.set(m.arrivalSlot, line.Time)
	}
}

// plain is a line without its envelopes.
type plain struct {
	envelope.Line
	// more is the number of lines after the first, if it is a record of several.
	more int
	// place and read are of a line in a slice of a file, see [part].
	place placement
	read  *element
}

// placement is the place of a line in its record, if that is known.
type placement uint8

const (
	unplaced placement = iota
	begins
	continues
)

// plainLines returns the lines of the current file without envelopes and colours. It counts the lines with an
// envelope.
func (m *Map) plainLines(r *interop.Reading) iter.Seq2[int, plain] {
	return func(yield func(int, plain) bool) {
		coloured, peel := 0, m.layers.Peeler()
		for n, line := range r.Lines() {
			if strings.IndexByte(line, 0x1b) >= 0 && len(envelope.Uncoloured(line)) < len(line) {
				coloured++
			}
			if out := peel(line); !out.Fence && !yield(n, plain{Line: out}) {
				break
			}
		}
		m.coloured = coloured
		noteColoured(r, coloured)
	}
}

// noteColoured notes that lines of the present file had codes of colours.
func noteColoured(r *interop.Reading, lines int) {
	if lines > 0 {
		r.Note("codes of colours for a terminal are left out of %s of %s", text.Counted(lines, "line", "lines"), r.Name())
	}
}

// joined returns the records of lines: a line that does not begin a record is appended to the line before.
func (m *Map) joined(source iter.Seq2[int, plain]) iter.Seq2[int, plain] {
	if m.begin == nil || m.form.line == nil {
		return source
	}
	return func(yield func(int, plain) bool) {
		at, first, lines := 0, plain{}, []string(nil)
		record := func() plain {
			first.Text = strings.Join(lines, "\n")
			return first
		}
		for n, line := range source {
			if at > 0 && m.continues(&line) && first.more < maxContinued-1 {
				lines = append(lines, line.Text)
				first.more, first.read = first.more+1, nil
				continue
			}
			if at > 0 && !yield(at, record()) {
				return
			}
			at, first, lines = n, line, append(lines[:0], line.Text)
		}
		if at > 0 {
			yield(at, record())
		}
	}
}

// kept yields lines that stay when the next one is read.
func kept(lines iter.Seq2[int, plain]) iter.Seq2[int, plain] {
	return func(yield func(int, plain) bool) {
		for n, line := range lines {
			line.read = line.read.clone()
			if !yield(n, line) {
				return
			}
		}
	}
}

// continues reports whether a line continues the record before it.
func (m *Map) continues(line *plain) bool {
	if line.place != unplaced {
		return line.place == continues
	}
	return !m.begins(line.Text)
}

// begins reports whether a line begins a record.
func (m *Map) begins(line string) bool {
	return m.begin.MatchString(line) || m.split != nil && m.split.re.MatchString(line)
}

// maxContinued is the greatest number of lines of a record.
const maxContinued = 10_000

// cutFields cuts fields of a record into further fields.
func (m *Map) cutFields(rec *record) {
	for _, c := range m.cuts {
		switch f := &rec.fields[c.slot]; {
		case !f.has: // a line without the field
		case c.pattern != nil:
			c.pattern.capture(f.text, rec)
		default:
			c.cut(m, f.text, rec)
		}
	}
}

// cutText cuts a line by the pattern. Without a pattern, the record only has the text.
func (m *Map) cutText(text string, rec *record) bool {
	return m.match == nil || m.match.capture(text, rec)
}

// cutJSON cuts an object.
func (m *Map) cutJSON(text string, rec *record) bool {
	line := []byte(text)
	if !tracefmt.IsObject(line) {
		return false
	}
	m.paths.take(line, rec)
	return true
}

// path is a node in the tree of the fields that a mapping names. The field a.b.c is c below b below a.
type path struct {
	// slot is the slot of the field, or -1 if the node is only a part of other fields.
	slot int
	kids map[string]*path
}

func newPath() *path { return &path{slot: -1} }

// add adds the field of a slot. A name with dots is added both as a path and as one key.
func (p *path) add(name string, slot int) {
	p.kid(name).slot = slot
	if first, path, dotted := strings.Cut(name, "."); dotted {
		p.kid(first).add(path, slot)
	}
}

// kid returns the child with this name, and creates it if necessary.
func (p *path) kid(name string) *path {
	if p.kids == nil {
		p.kids = make(map[string]*path)
	}
	if p.kids[name] == nil {
		p.kids[name] = newPath()
	}
	return p.kids[name]
}

// take stores the fields of an object in a record.
func (p *path) take(object []byte, rec *record) {
	for key, value := range tracefmt.Fields(object) {
		kid := p.kids[string(key)]
		if kid == nil {
			continue
		}
		if kid.slot >= 0 && string(value) != "null" {
			rec.setJSON(kid.slot, value)
		}
		if kid.kids != nil {
			kid.take(value, rec)
		}
	}
}

// cutLogfmt cuts key=value pairs.
func (m *Map) cutLogfmt(text string, rec *record) bool {
	if pairs, plain := m.cutPlainLogfmt(text, rec); plain {
		return pairs > 0
	}
	d := logfmt.NewDecoder(strings.NewReader(text))
	pairs := 0
	for d.ScanRecord() {
		for d.ScanKeyval() {
			if d.Value() != nil {
				pairs++
			}
			if slot, ok := m.slots.index[string(d.Key())]; ok {
				rec.set(slot, string(d.Value()))
			}
		}
	}
	return pairs > 0 && d.Err() == nil
}

// cutPlainLogfmt cuts the pairs of a line without escapes and errors. Most lines are like that, and it copies
// nothing. For other lines plain is false.
func (m *Map) cutPlainLogfmt(text string, rec *record) (pairs int, plain bool) {
	for i := 0; i < len(text); {
		if text[i] == ' ' {
			i++
			continue
		}
		begin := i
		for i < len(text) && bareByte[text[i]] {
			i++
		}
		key := text[begin:i]
		switch {
		case key == "" || i < len(text) && text[i] != '=' && text[i] != ' ':
			return 0, false
		case i == len(text) || text[i] == ' ': // a key alone
			m.setField(rec, key, "")
			continue
		}
		i++
		value := ""
		switch {
		case i < len(text) && text[i] == '"':
			i++
			begin = i
			for i < len(text) && quotedByte[text[i]] {
				i++
			}
			if i == len(text) || text[i] != '"' {
				return 0, false
			}
			value = text[begin:i]
			i++
		default:
			begin = i
			for i < len(text) && bareByte[text[i]] {
				i++
			}
			if i < len(text) && text[i] != ' ' {
				return 0, false
			}
			value = text[begin:i]
		}
		if value != "" {
			pairs++
		}
		m.setField(rec, key, value)
	}
	return pairs, true
}

func (m *Map) setField(rec *record, key, value string) {
	if slot, ok := m.slots.index[key]; ok {
		rec.set(slot, value)
	}
}

// bareByte has the bytes that need no special treatment in keys and in values without quotes. quotedByte has those
// for values in quotes.
var bareByte, quotedByte = func() (key, text [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		key[c] = c != ' ' && c != '=' && c != '"'
		text[c] = c != '"' && c != '\\'
	}
	return key, text
}()

// table yields the records of a table.
func (m *Map) table(r *interop.Reading, rec *record, newestFirst bool) iter.Seq[bool] {
	return func(yield func(bool) bool) {
		rows := m.rows(r, !newestFirst)
		if newestFirst {
			rows = backward(rows)
		}
		for row, err := range rows {
			if err != nil {
				m.failed = tableError(r, err)
				return
			}
			row.into(rec)
			rec.line = r.Line(rec.line)
			if !yield(row.full()) {
				return
			}
		}
	}
}

// row is a row of a table, with the line at which it begins. slotOfColumn has the slot of each column's field, or -1.
type row struct {
	line         int
	cells        []string
	slotOfColumn []int
}

// rows returns the rows after the first, which has the names of the columns. With reuse, a row is valid only until
// the next.
func (m *Map) rows(from io.Reader, reuse bool) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		forms := csv.NewReader(from)
		forms.FieldsPerRecord, forms.LazyQuotes, forms.ReuseRecord = -1, true, reuse
		var slots []int
		for {
			cells, err := forms.Read()
			switch {
			case err == io.EOF:
				return
			case err != nil:
				yield(row{}, err)
				return
			case slots == nil:
				m.columns, slots = slices.Clone(cells), m.slotsOf(cells)
				continue
			}
			line, _ := forms.FieldPos(0)
			if !yield(row{line, cells, slots}, nil) {
				return
			}
		}
	}
}

// slotsOf returns the slots of columns.
func (m *Map) slotsOf(names []string) []int {
	slots := make([]int, len(names))
	for i, name := range names {
		slots[i] = -1
		if slot, ok := m.slots.index[strings.TrimSpace(strings.TrimPrefix(name, "\uFEFF"))]; ok {
			slots[i] = slot
		}
	}
	return slots
}

// full reports whether the row has a value. A blank line has none.
func (w *row) full() bool { return len(w.cells) > 1 || w.cells[0] != "" }

// into stores the row in a record.
func (w row) into(rec *record) {
	rec.clear(w.line, strings.Join(w.cells, ","))
	for i, value := range w.cells[:min(len(w.cells), len(w.slotOfColumn))] {
		if slot := w.slotOfColumn[i]; slot >= 0 {
			rec.set(slot, strings.ToValidUTF8(value, "\uFFFD"))
		}
	}
}

// tableError adds the line to the error of a table.
func tableError(r *interop.Reading, err error) error {
	var mistake *csv.ParseError
	if errors.As(err, &mistake) {
		return r.Errorf(r.Line(mistake.StartLine), "%w", mistake.Err)
	}
	return fmt.Errorf("%s: %w", r.Name(), err)
}

// JSONFields returns the fields of a JSON object, or nil.
func JSONFields(line string) map[string]string {
	object := []byte(strings.TrimSpace(line))
	if len(object) == 0 || object[0] != '{' || !json.Valid(object) {
		return nil
	}
	fields := make(map[string]string)
	addFields(fields, "", object, 0)
	return fields
}

// addFields adds the texts and numbers of an object. A field in an inner object has a path as its name.
func addFields(fields map[string]string, path string, object []byte, depth int) {
	for key, value := range tracefmt.Fields(object) {
		name := path + string(key)
		switch {
		case len(value) == 0 || value[0] == '[' || string(value) == "null" || strings.ContainsAny(name, "}\n"):
		case value[0] == '{' && depth < 3:
			addFields(fields, name+".", value, depth+1)
		case value[0] != '{':
			fields[name] = interop.TextOf(value)
		}
	}
}

// LogfmtFields returns the key=value pairs of a line, or nil.
func LogfmtFields(line string) map[string]string {
	if first, _, ok := strings.Cut(line, "="); !ok || strings.ContainsAny(first, " \t") {
		return nil
	}
	if fields := LogfmtPairs(line); len(fields) > 1 {
		return fields
	}
	return nil
}

// LogfmtPairs returns the key=value pairs of a text, or nil if it has something else.
func LogfmtPairs(text string) map[string]string {
	fields := make(map[string]string)
	d := logfmt.NewDecoder(strings.NewReader(text))
	for d.ScanRecord() {
		for d.ScanKeyval() {
			if d.Value() != nil {
				fields[string(d.Key())] = string(d.Value())
			}
		}
	}
	if d.Err() != nil {
		return nil
	}
	return fields
}
