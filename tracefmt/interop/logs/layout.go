package logs

import (
	"cmp"
	"encoding/csv"
	"maps"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt/interop/mapping"
	"etrace/tracefmt/text"
)

// lineLayout is how the lines of a log are written: their form, and for text, the pattern of their head.
type lineLayout struct {
	form  string
	match string
	// within is the field that match cuts, or "" for the whole line.
	within string
	// inner is the form of the part after the head, or "" if it is a sentence.
	inner string
	// begin is a pattern for lines that begin a record, or "" if each line does.
	begin string
	// twoLines is true if each record has a line with the time and a line with the text.
	twoLines bool
	// odd is the number of lines without this form or head.
	odd int
	// groups are the fields of the head, in their order.
	groups []string
	// keys are the names of the fields in the lines.
	keys []string
	// msg is the field with the sentence, or "".
	msg string
	// fixed is the layout of a time in the head.
	fixed string
	wording
	// shared is a name that the lines of several files have, which is therefore not taken for a process, or "".
	shared string
	// attempts is true if acquire(lock) may only be the attempt to enter.
	attempts bool
}

// keyedForms are the forms in which each line has its fields by name.
var keyedForms = []struct {
	name string
	cut  func(string) map[string]string
}{{"json", mapping.JSONFields}, {"logfmt", mapping.LogfmtFields}}

// cut finds the layout of the lines, and cuts them into fields.
func (s *sample) cut() {
	s.cutLines()
	s.findWording()
	s.findAttempts()
}

// cutLines finds the form of the lines, and cuts them by it.
func (s *sample) cutLines() {
	for _, form := range keyedForms {
		if fits := s.cutBy(form.cut); 2*fits > len(s.records) {
			s.shape = lineLayout{form: form.name, odd: len(s.records) - fits}
			s.nameKeys()
			s.cutMessage()
			return
		}
	}
	if s.cutTable() {
		s.shape = lineLayout{form: "csv"}
		s.nameKeys()
		return
	}
	s.joinLines()
	s.cutText()
	s.cutInner()
	s.cutTail()
}

// cutMessage cuts the head of the sentences, such as "n1: became leader", if no field names the process.
func (s *sample) cutMessage() {
	if process, _ := s.processField(s.peers()); process != "file" || s.shape.msg == "" || len(s.files) > 1 {
		return
	}
	messages := sample{files: s.files, records: make([]*sampled, len(s.records))}
	for i, r := range s.records {
		messages.records[i] = &sampled{file: r.file, line: r.line, text: r.fields[s.shape.msg]}
	}
	messages.cutText()
	if process, _ := messages.processField(messages.peers()); process == "file" || messages.shape.begin != "" {
		return
	}
	for i, r := range messages.records {
		maps.Copy(s.records[i].fields, r.fields)
	}
	s.shape.within, s.shape.match = s.shape.msg, messages.shape.match
	s.shape.groups, s.shape.msg = messages.shape.groups, "msg"
}

// nameKeys collects the names of the fields, and finds the field with the sentence.
func (s *sample) nameKeys() {
	seen := make(map[string]bool)
	for _, r := range s.records {
		for key := range r.fields {
			seen[key] = true
		}
	}
	s.shape.keys = slices.Sorted(maps.Keys(seen))
	s.shape.msg = ""
	for _, key := range s.ranked(messageFields) {
		if 2*s.having(key) > len(s.records) {
			s.shape.msg = key
			return
		}
	}
	s.findEvents()
}

// ranked returns the fields with one of the names, the most likely first.
func (s *sample) ranked(names []string) []string {
	found := slices.DeleteFunc(slices.Clone(s.shape.keys), func(key string) bool { return rank(key, names) < 0 })
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(rank(a, names), rank(b, names)) })
	return found
}

// cutBy cuts each line, and returns for how many lines this succeeds.
func (s *sample) cutBy(cut func(string) map[string]string) (fits int) {
	for _, r := range s.records {
		r.fields = cut(r.text)
		if r.fields != nil {
			fits++
		}
		for key, value := range r.fields {
			r.fields[key] = beginning(value)
		}
	}
	return fits
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

// cutTable cuts the lines as a table, if they are one: the first line has names, and nearly all other lines have as
// many columns.
func (s *sample) cutTable() bool {
	header, err := csv.NewReader(strings.NewReader(s.records[0].text)).Read()
	if err != nil || len(header) < 3 || len(s.files) > 1 || s.records[0].line != 1 ||
		slices.ContainsFunc(header, func(name string) bool { return !columnName().MatchString(name) }) {
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

var columnName = text.Pattern(`^\s*[A-Za-z_][\w .-]*$`)

// joinLines joins the two lines of each record, if each record has a line with the time and a line with the text.
func (s *sample) joinLines() {
	timed, alone := 0, 0
	for i, r := range s.records {
		switch next := i + 1; {
		case !dayClock().MatchString(r.text):
		case next == len(s.records) || s.records[next].file != r.file || dayClock().MatchString(s.records[next].text):
			alone++
		default:
			timed++
		}
	}
	if 3*timed < len(s.records) || 10*alone > timed || !dayClock().MatchString(s.records[0].text) {
		return
	}
	records := s.records[:0]
	for _, r := range s.records {
		if dayClock().MatchString(r.text) {
			records = append(records, r)
			continue
		}
		records[len(records)-1].text += "\n" + r.text
	}
	s.records, s.shape.twoLines = records, true
}

// dayClock is the time of a day near the beginning of a line.
var dayClock = text.Pattern(`^.{0,40}\b\d{1,2}:\d\d:\d\d\b`)

// cutText finds the common head of most lines, such as time, level and name, and cuts the lines by it.
func (s *sample) cutText() {
	h := newHead(s.records, s.shape.twoLines)
	if h.plain != "" && !s.writes(h) {
		h.dropPlain()
	}
	s.shape = lineLayout{form: "text", groups: h.groups, msg: "msg", fixed: h.layout, twoLines: s.shape.twoLines}
	if s.shape.twoLines {
		s.shape.begin = "^" + unnamed().ReplaceAllString(h.untilTime(), "(?:")
		s.shape.match = "^" + h.pattern() + `(?<msg>[^\n]*)`
		s.shape.odd = len(s.records) - s.cutBy(byGroups(regexp.MustCompile(s.shape.match)))
		return
	}
	s.shape.match = "^" + h.pattern() + "(?<msg>.*)$"
	re := regexp.MustCompile(s.shape.match)
	s.shape.odd = len(s.records) - s.cutBy(byGroups(re))
	if s.shape.odd == 0 {
		return
	}
	if len(h.pieces) > 0 && s.continued() {
		s.shape.begin = "^" + unnamed().ReplaceAllString(h.pieces[0], "(?:")
		s.shape.match = "^" + h.pattern() + `(?<msg>[^\n]*)`
		s.records = slices.DeleteFunc(s.records, func(r *sampled) bool { return r.fields == nil })
		s.shape.odd = 0
		return
	}
	s.shape.match = "^(?:" + h.pattern() + ")?(?<msg>.*)$"
	s.cutBy(byGroups(regexp.MustCompile(s.shape.match)))
}

// writes reports whether an import would take the plain word of the head as the process.
func (s *sample) writes(h *head) bool {
	trial := sample{files: s.files, records: make([]*sampled, len(s.records))}
	for i, r := range s.records {
		fresh := *r
		trial.records[i] = &fresh
	}
	trial.shape = lineLayout{form: "text", groups: h.groups, msg: "msg"}
	trial.cutBy(byGroups(regexp.MustCompile("^" + h.pattern() + "(?<msg>.*)$")))
	trial.findAttempts()
	process, _ := trial.processField(trial.peers())
	return process == h.plain
}

var unnamed = text.Pattern(`\(\?<\w+>`)

// continued reports whether the lines without a head continue the lines before them, as a stack trace does. Each
// block of them must have a line that occurs only in stack traces and the like, and none may be at the beginning.
func (s *sample) continued() bool {
	trace, block := false, false
	for i, r := range s.records {
		switch {
		case r.fields != nil && block && !trace:
			return false
		case r.fields != nil:
			block, trace = false, false
		case r.line == 1 || i == 0:
			return false
		default:
			block, trace = true, trace || traceLine().MatchString(r.text)
		}
	}
	return !block || trace
}

// traceLine matches a line of a stack trace.
var traceLine = text.Pattern(`^\s+(?:at |File "|\.\.\. \d+ more|from \S+:\d+)|^Traceback \(most recent|^Caused by: |` +
	`^goroutine \d+ \[|^\s+\S+\.go:\d+`)

// cutInner cuts the part after the head, if it consists of fields with names in most lines.
func (s *sample) cutInner() {
	for _, form := range keyedForms {
		fits := 0
		for _, r := range s.records {
			// In "state=follower -> leader" the field has the former value only.
			// Words between the fields are a sentence: shard=4 became leader term=3.
			if msg := r.fields["msg"]; form.cut(msg) != nil && !changeSign().MatchString(msg) && !bareWords().MatchString(msg) {
				fits++
			}
		}
		if 2*fits <= len(s.records) {
			continue
		}
		s.shape.inner = form.name
		s.shape.match = strings.Replace(s.shape.match, "(?<msg>", "(?<rest>", 1)
		for _, r := range s.records {
			inner := form.cut(r.fields["msg"])
			delete(r.fields, "msg")
			maps.Copy(r.fields, inner)
		}
		s.nameKeys()
		return
	}
}

var bareWords = text.Pattern(`^(?:\S+=\S+ )*[A-Za-z]+ [A-Za-z]+(?: |$)`)

var changeSign = text.Pattern(` -> |\w[=-]>\w`)

// A message may end in fields: "lock acquired node=n1 lock=orders", "lock acquired, node: n1", or the fields in JSON.
var (
	jsonTail   = text.Pattern(`^(.*?)\s*(\{".*\})(?:\s*\[\])*$`)
	logfmtTail = text.Pattern(`^(.*?)((?:\s+[A-Za-z_][\w.-]*=(?:"[^"]*"|[^\s"]+))+)$`)
	colonTail  = text.Pattern(`^(.*?)((?:, [A-Za-z_][\w.-]*: (?:"[^"]*"|[^\s,"]+))+)$`)
	colonField = text.Pattern(`, ([A-Za-z_][\w.-]*): ("[^"]*"|[^\s,"]+)`)
)

// tails are the ways to write fields after a sentence, with the pattern for the end of a line.
var tails = []struct {
	pattern func() *regexp.Regexp
	cut     func(string) map[string]string
	form    string // in which the mapping cuts the fields, "" where the pattern of the lines has them
	end     string
	named   bool // true if one of the fields must name the process
}{
	{jsonTail, mapping.JSONFields, "json", `(?<msg>.*?)\s*(?<rest>\{".*\})?(?:\s*\[\])*$`, false},
	{logfmtTail, mapping.LogfmtPairs, "logfmt", `(?<msg>.*?)(?<rest>(?:\s+[A-Za-z_][\w.-]*=(?:"[^"]*"|[^\s"]+))*)$`, true},
	{colonTail, colonFields, "", "", true},
}

// cutTail cuts the fields that follow most sentences.
func (s *sample) cutTail() {
	if s.shape.msg != "msg" || !strings.HasSuffix(s.shape.match, "(?<msg>.*)$") {
		return
	}
	for _, tail := range tails {
		cut, fits := make([]map[string]string, len(s.records)), 0
		keys := make(map[string]int)
		for i, r := range s.records {
			at := tail.pattern().FindStringSubmatch(r.fields["msg"])
			if at == nil {
				continue
			}
			fields := tail.cut(at[2])
			if fields == nil {
				continue
			}
			for key := range fields {
				keys[key]++
			}
			fields["msg"] = at[1]
			cut[i] = fields
			fits++
		}
		// Fields of a message, such as its receiver, stay a part of the words unless one of them names the writer.
		named := false
		for key, n := range keys {
			named = named || 2*n > len(s.records) && (rank(key, processFields[:unsureProcess/2]) >= 0 || namesWriters(key, cut))
		}
		clash := slices.ContainsFunc(append(s.shape.groups, "msg"), func(group string) bool { return keys[group] > 0 })
		if 2*fits <= len(s.records) || clash || tail.named && !named {
			continue
		}
		for i, r := range s.records {
			maps.Copy(r.fields, cut[i])
		}
		s.shape.inner, s.shape.keys = tail.form, slices.Sorted(maps.Keys(keys))
		end := tail.end
		if end == "" {
			end = colonEnd(s.records, s.shape.keys)
		}
		s.shape.match = strings.TrimSuffix(s.shape.match, "(?<msg>.*)$") + end
		return
	}
}

// namesWriters reports whether two values of a field that may name the process also name a peer, leader or candidate
// in other fields.
func namesWriters(key string, lines []map[string]string) bool {
	if rank(key, processFields) < 0 {
		return false
	}
	called, names := make(map[string]bool), make(map[string]bool)
	for _, fields := range lines {
		for field, v := range fields {
			if field != key && slices.ContainsFunc([][]string{fromFields, toFields, peerFields, leaderFields, candidateFields},
				func(purpose []string) bool { return rank(field, purpose) >= 0 }) {
				called[v] = true
			}
		}
		names[fields[key]] = true
	}
	delete(names, "")
	return agreement(names, called, nil) > 1
}

// colonFields returns the fields after a sentence that have the form ", key: value".
func colonFields(tail string) map[string]string {
	fields := make(map[string]string)
	for _, at := range colonField().FindAllStringSubmatch(tail, -1) {
		fields[at[1]] = strings.Trim(at[2], `"`)
	}
	return fields
}

// colonEnd returns the pattern for such fields, in the order in which they occur.
func colonEnd(records []*sampled, keys []string) string {
	place := make(map[string]int)
	for _, r := range records {
		for i, at := range colonField().FindAllStringSubmatch(r.text, -1) {
			place[at[1]] = max(place[at[1]], i)
		}
	}
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(place[a], place[b]) })
	end := "(?<msg>.*?)"
	for _, key := range keys {
		if groupName().MatchString(key) {
			end += `(?:, ` + key + `: "?(?<` + key + `>[^\s,"]+)"?)?`
		}
	}
	return end + "$"
}

var groupName = text.Pattern(`^\w+$`)

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
