package mapping

import (
	"encoding/csv"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/go-logfmt/logfmt"

	"etrace/tracefmt"
)

// lineLayout is how the lines of a log are written: their form and, of text, the pattern of
// the head that they have in common.
type lineLayout struct {
	form  string
	match string
	// odd is how many lines are not of the form, or lack the head.
	odd int
	// groups are the fields of the head, in their order.
	groups []string
	// msg is the field with the words for people, "" for none.
	msg string
	// fixed is the layout of the time of text, which its place in the head shows.
	fixed string
}

// cut finds out how the lines are written, and cuts them.
func (s *sample) cut() {
	for _, form := range []struct {
		name string
		cut  func(string) map[string]string
	}{{"json", jsonFields}, {"logfmt", logfmtFields}} {
		if fits := s.cutBy(form.cut); 2*fits > len(s.records) {
			s.layout = lineLayout{form: form.name, odd: len(s.records) - fits}
			s.layout.msg = s.named(messageKeys)
			return
		}
	}
	if s.cutTable() {
		s.layout = lineLayout{form: "csv"}
		s.layout.msg = s.named(messageKeys)
		return
	}
	s.cutText()
}

// messageKeys are fields that hold the words for people.
var messageKeys = []string{"msg", "message", "@message", "fields.message", "text", "event"}

// cutBy cuts each line, and returns how many have fields.
func (s *sample) cutBy(cut func(string) map[string]string) (fits int) {
	for _, r := range s.records {
		if r.fields = cut(r.text); r.fields != nil {
			fits++
		}
	}
	return fits
}

// named returns the first of the fields that more than half of the lines have, "" for none.
func (s *sample) named(keys []string) string {
	for _, key := range keys {
		if have := s.having(key); 2*have > len(s.records) {
			return key
		}
	}
	return ""
}

// having counts the lines that have a field.
func (s *sample) having(key string) (have int) {
	for _, r := range s.records {
		if _, ok := r.fields[key]; ok {
			have++
		}
	}
	return have
}

func jsonFields(line string) map[string]string {
	object := []byte(strings.TrimSpace(line))
	if len(object) == 0 || object[0] != '{' || !json.Valid(object) {
		return nil
	}
	fields := make(map[string]string)
	addFields(fields, "", object, 0)
	return fields
}

// addFields adds the words and numbers of an object, those of objects within by path.
func addFields(fields map[string]string, path string, object []byte, depth int) {
	for key, value := range tracefmt.Fields(object) {
		name := path + string(key)
		switch {
		case len(value) == 0 || value[0] == '[' || string(value) == "null" || strings.ContainsAny(name, "}\n"):
		case value[0] == '{' && depth < 3:
			addFields(fields, name+".", value, depth+1)
		case value[0] != '{':
			fields[name] = textOf(value)
		}
	}
}

func logfmtFields(line string) map[string]string {
	if first, _, ok := strings.Cut(line, "="); !ok || strings.ContainsAny(first, " \t") {
		return nil
	}
	fields := make(map[string]string)
	d := logfmt.NewDecoder(strings.NewReader(line))
	for d.ScanRecord() {
		for d.ScanKeyval() {
			if d.Value() != nil {
				fields[string(d.Key())] = string(d.Value())
			}
		}
	}
	if d.Err() != nil || len(fields) < 2 {
		return nil
	}
	return fields
}

// cutTable cuts the lines as a table, where they are one: a first line of names, and as many
// columns in nearly all of the others.
func (s *sample) cutTable() bool {
	header, err := csv.NewReader(strings.NewReader(s.records[0].text)).Read()
	if err != nil || len(header) < 3 || len(s.files) > 1 || s.records[0].line != 1 || slices.ContainsFunc(header, func(name string) bool { return !columnName.MatchString(name) }) {
		return false
	}
	rows := make([]*sampled, 0, len(s.records)-1)
	for _, r := range s.records[1:] {
		row, err := csv.NewReader(strings.NewReader(r.text)).Read()
		if err != nil || len(row) != len(header) {
			return false
		}
		cut := &sampled{file: r.file, line: r.line, text: strings.Join(row, ","), fields: make(map[string]string)}
		for i, name := range header {
			cut.fields[strings.TrimSpace(name)] = row[i]
		}
		rows = append(rows, cut)
	}
	if len(rows) == 0 {
		return false
	}
	s.records = rows
	return true
}

var columnName = regexp.MustCompile(`^\s*[A-Za-z_][\w .-]*$`)

// cutText finds the head that most lines of text begin with, such as time, level and name, and
// cuts them by it.
func (s *sample) cutText() {
	h := newHead(s.records)
	s.layout = lineLayout{form: "text", groups: h.groups, msg: "msg", fixed: h.layout}
	s.layout.match = "^" + h.pattern() + "(?<msg>.*)$"
	re := regexp.MustCompile(s.layout.match)
	if s.layout.odd = len(s.records) - s.cutBy(byGroups(re)); s.layout.odd == 0 {
		return
	}
	s.layout.match = "^(?:" + h.pattern() + ")?(?<msg>.*)$"
	s.cutBy(byGroups(regexp.MustCompile(s.layout.match)))
}

// byGroups cuts a line by the named groups of a pattern.
func byGroups(re *regexp.Regexp) func(string) map[string]string {
	names := re.SubexpNames()
	return func(line string) map[string]string {
		at := re.FindStringSubmatchIndex(line)
		if at == nil {
			return nil
		}
		fields := make(map[string]string)
		for i, name := range names {
			if name != "" && at[2*i] >= 0 {
				fields[name] = line[at[2*i]:at[2*i+1]]
			}
		}
		return fields
	}
}
