package mapping

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"etrace/tracefmt"
	"etrace/tracefmt/interop/envelope"
	"etrace/tracefmt/text"
	"etrace/tracefmt/textfile"
	"etrace/tracefmt/yamldoc"
)

// Load reads the file of a mapping. Errors name file, line and column.
func Load(file string) (*Map, error) {
	data, err := textfile.Read(file, "a mapping")
	if err != nil {
		return nil, err
	}
	return Parse(file, data)
}

// Parse reads a mapping; file is its name for errors.
func Parse(file string, data []byte) (*Map, error) {
	doc, err := yamldoc.Parse(file, data, "lines, process and events")
	if err != nil {
		return nil, err
	}
	m := &Map{
		Name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), Text: string(data), source: file,
		form: &forms[0], slots: newSlots(), paths: newPath(), end: tracefmt.Stopped,
	}
	m.textSlot, m.lineSlot = m.slots.slotOf("text"), m.slots.slotOf("line")
	m.fileSlot, m.processSlot = m.slots.slotOf("file"), m.slots.slotOf("process")
	m.arrivalSlot = m.slots.slotOf("arrival")
	p := &parser{Document: doc, m: m}
	if err := parseKeys(p, doc.Root, "key", mapKeys, m); err != nil {
		return nil, err
	}
	if len(m.rules) == 0 {
		return nil, fmt.Errorf(
			"%s:1:1: a mapping without events, expected a list of rules such as - {when: {msg: '/became leader/'}, state: {role: leader}}",
			file,
		)
	}
	for name, slot := range m.slots.index {
		m.paths.add(name, slot)
	}
	return m, nil
}

// parser reads the file of a mapping.
type parser struct {
	*yamldoc.Document
	m *Map
	// optional is positive within a value that has alternatives. A line may lack the fields named there.
	optional int
	inRules  bool
}

// key is a key of a mapping in one place.
type key[T any] struct {
	name, doc string
	read      func(p *parser, n ast.Node, target *T) error
}

// mapKeys are the keys of a mapping, in the order of their explanation.
var mapKeys = []key[Map]{
	{"doc", "the logs that it reads, in a line", textKey(func(m *Map, s string) error { m.Doc = s; return nil })},
	{"names", "other names by which --map finds a ready mapping", listKey(func(m *Map, s []string) error { m.Others = s; return nil })},
	{
		"sign", "patterns by which such logs are recognised: each matches one of the first lines",
		func(p *parser, n ast.Node, m *Map) (err error) { m.signs, err = p.signs(n); return err },
	},
	{
		"not", "patterns that such logs do not show among their first lines",
		func(p *parser, n ast.Node, m *Map) (err error) { m.not, err = p.signs(n); return err },
	},
	{
		"envelope",
		"what collectors have put around the lines, the outermost first: " + strings.Join(envelope.Names(), ", ") +
			"; what it names, such as a container, is the ${file} of a line, its time ${arrival}",
		listKey(setEnvelopes),
	},
	{
		"lines",
		"how lines are cut into fields: text, json, logfmt or csv; of a list, as [json, logfmt], the first that fits",
		listKey(setForms),
	},
	{
		"match", "of lines of text: a pattern whose named groups are the fields",
		func(p *parser, n ast.Node, m *Map) (err error) { m.match, err = p.pattern(n); return err },
	},
	{
		"begin", "a pattern of the lines that begin a record; the others continue it",
		func(p *parser, n ast.Node, m *Map) (err error) { m.begin, err = p.expression(n); return err },
	},
	{
		"split",
		"a pattern of lines between two executions; each execution becomes a run; its group trace is the name of the run. " +
			"Without it, an execution of one file begins where the terms or the clocks of all processes fall",
		func(p *parser, n ast.Node, m *Map) (err error) { m.split, err = p.pattern(n); return err },
	},
	{
		"runs",
		"the run of a line, as ${group}, where a log is of several at once; a line that lacks it is of all that have lines of its process",
		func(p *parser, n ast.Node, m *Map) (err error) { m.runs, err = p.template(n); return err },
	},
	{
		"cluster",
		"what names the cluster of a process, as ${cluster-id} or a list of its members: if the first lines name several, each is a run",
		func(p *parser, n ast.Node, m *Map) (err error) { m.cluster, err = p.template(n); return err },
	},
	{
		"heading",
		"a pattern of lines whose named groups are fields of all lines up to the next such line of the file",
		func(p *parser, n ast.Node, m *Map) (err error) { m.heading, err = p.pattern(n); return err },
	},
	{
		"file", "a pattern of the name of the file, without ending; its groups are fields of all lines",
		func(p *parser, n ast.Node, m *Map) (err error) { m.file, err = p.pattern(n); return err },
	},
	{
		"cut",
		"fields that are cut further, FIELD: /PATTERN/ whose named groups are fields, too, FIELD: json or FIELD: logfmt",
		(*parser).readCuts,
	},
	{"also", "by the name of a field: other keys under which lines may have it", (*parser).readAlso},
	{
		"process",
		"the process of a line, unless its rule has another: ${FIELD}, or a list, as ['${node}', '${file}'], of " +
			"which the first counts that the line has",
		func(p *parser, n ast.Node, m *Map) (err error) { m.process, err = p.template(n); return err },
	},
	{
		"time",
		"from: the field; layout: how it is written; zone: UTC unless it says so. A file whose times mostly fall has " +
			"its newest line first, and is read from its end", func(p *parser, n ast.Node, m *Map) error {
			m.time = &clock{seeks: maxSeeks, zone: time.UTC}
			return parseKeys(p, n, "key of time", timeKeys, m.time)
		},
	},
	{
		"alias",
		"other names that a line has of its process, as ${id}: whatever calls it so means it, in lines before, too",
		func(p *parser, n ast.Node, m *Map) (err error) { m.aliases, err = p.templates(n); return err },
	},
	{
		"members",
		"names of processes, as n3 or ${peer}, that are members even if the log has no lines of them",
		func(p *parser, n ast.Node, m *Map) (err error) { m.otherMembers, err = p.templates(n); return err },
	},
	{
		"roles", "by the name of a process its role, such as coordinator or client: etrace list roles",
		func(p *parser, n ast.Node, m *Map) (err error) { m.roles, err = p.words(n); return err },
	},
	{
		"clock",
		"the vector clock after the event, an object of numbers by process: ${FIELD}; it orders lines, and joins messages that have no name",
		func(p *parser, n ast.Node, m *Map) (err error) { m.clock, err = p.template(n); return err },
	},
	{
		"sequence",
		"the number of a line among those of its process, as ${seq}, or of its file, as {number: '${seq}', of: file}: " +
			"where it skips, lines are missing",
		func(p *parser, n ast.Node, m *Map) (err error) {
			if n.Type() == ast.MappingType || n.Type() == ast.MappingValueType {
				return parseKeys(p, n, "key of sequence", sequenceKeys, &m.sequence)
			}
			m.sequence.number, err = p.template(n)
			return err
		},
	},
	{
		"carry", "fields that hold for later lines of a process which lack them, until it starts anew",
		func(p *parser, n ast.Node, m *Map) (err error) { m.carry, err = p.slots(n); return err },
	},
	{"values", "by the name of a field of an event, or process and type: other words for values", (*parser).readValues},
	{"run", "what the header of the run says", func(p *parser, n ast.Node, m *Map) error { return parseKeys(p, n, "key of run", runKeys, m) }},
	{"events", "rules: the first of which all conditions hold says what the line is", (*parser).readRules},
	{"ignore", "conditions of lines that need no rule", linesKey(func(m *Map) *[][]condition { return &m.ignore })},
	{
		"gap",
		"conditions of lines that report missing lines: of their process or, where they have none, of all",
		linesKey(func(m *Map) *[][]condition { return &m.gaps }),
	},
}

var timeKeys = []key[clock]{
	{"from", "the field that has it: ${FIELD}", func(p *parser, n ast.Node, c *clock) (err error) { c.from, err = p.template(n); return err }},
	{
		"layout",
		"how it is written: as the moment 2006-01-02 15:04:05, or rfc3339, unix, unix-ms, unix-us, unix-ns, or s, ms, " +
			"us, ns since the start; of a list the first that fits; without it, as a usual spelling shows",
		listKey((*clock).setLayouts),
	},
	{"zone", "the time zone: UTC, +02:00, Europe/Berlin", textKey((*clock).setZone)},
}

var sequenceKeys = []key[sequence]{
	{
		"number", "the field that has it: ${FIELD}",
		func(p *parser, n ast.Node, s *sequence) (err error) { s.number, err = p.template(n); return err },
	},
	{"of", "whose lines it counts: process (so unless it is said) or file", textKey((*sequence).setOf)},
}

var runKeys = []key[Map]{
	{"problem", "what the processes solve: etrace list problems", textKey(func(m *Map, s string) error {
		_, err := tracefmt.Problems().Lookup(s)
		m.run.Problem = s
		return err
	})},
	{
		"traits", "what the network and the algorithm promise: etrace list traits",
		listKey(func(m *Map, s []string) error { m.run.Traits = s; return nil }),
	},
	{
		"best", "by which the best process is known, where that is to be elected",
		listKey(func(m *Map, s []string) error { m.run.Best = s; return nil }),
	},
	{
		"basic",
		"the types of the messages of the base computation, whose end is detected or whose state is recorded",
		listKey(func(m *Map, s []string) error { m.run.Basic = s; return nil }),
	},
	{"token", "the types of the messages that carry the token", listKey(func(m *Map, s []string) error { m.run.Token = s; return nil })},
	{
		"end", "quiescent, where the log ends because nothing more can happen; else stopped",
		textKey(func(m *Map, s string) (err error) { m.end, err = tracefmt.ParseEnd(s); return err }),
	},
	{completeKey, "how complete the log is, as --complete says it", func(p *parser, n ast.Node, m *Map) error {
		m.completePlace = p.Place(n)
		return textKey(func(m *Map, s string) (err error) {
			m.run.Completeness, err = tracefmt.ParseCompleteness(s)
			return err
		})(p, n, m)
	}},
}

// ruleKeys are the keys of a rule other than the kinds of events.
var ruleKeys = []key[rule]{
	{
		"when",
		"conditions: FIELD: TEXT, FIELD: [ONE, OTHER], FIELD: /PATTERN/ whose named groups become fields, FIELD: " +
			"'${OTHER}' for one that is the same, FIELD: null for none",
		func(p *parser, n ast.Node, r *rule) (err error) { r.when, err = p.conditions(n); return err },
	},
	{"process", "the process, where it is not that of the line", templateKey(func(r *rule) **template { return &r.process })},
	{"to", "the receiver of a message", templateKey(func(r *rule) **template { return &r.peer })},
	{"from", "the sender of a message", templateKey(func(r *rule) **template { return &r.peer })},
	{"of", "the process that is suspected or trusted", templateKey(func(r *rule) **template { return &r.peer })},
	{"term", "the term of the event", templateKey(func(r *rule) **template { return &r.term })},
	{"role", "the role of the process as a member, such as coordinator or client", templateKey(func(r *rule) **template { return &r.role })},
	{"message", "what names the message, at both its ends alike", templateKey(func(r *rule) **template { return &r.message })},
	{
		"content",
		"what both ends of a message say of it, where it has no name: the k-th receive is that of the k-th send",
		templateKey(func(r *rule) **template { return &r.content }),
	},
	{
		"fields", "fields of the message, the note or the operation",
		func(p *parser, n ast.Node, r *rule) (err error) { r.fields, err = p.assignments(n); return err },
	},
	{"key", "a name by which other events call this one a cause", templateKey(func(r *rule) **template { return &r.key })},
	{"after", "keys of direct causes", func(p *parser, n ast.Node, r *rule) (err error) { r.after, err = p.templates(n); return err }},
	{"own", "the number of the event among those of its process", templateKey(func(r *rule) **template { return &r.ownID })},
}

// completeKey is the key that declares how complete a log is. formerKey is its former name, which is still accepted.
const completeKey, formerKey = "complete", "tells"

// parseKeys reads the entries of a YAML mapping by a table of keys.
func parseKeys[T any](p *parser, n ast.Node, label string, keys []key[T], target *T) error {
	entries, err := p.Entries(n)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := readKey(p, e, label, keys, target); err != nil {
			return err
		}
	}
	return nil
}

// readKey reads one entry of a YAML mapping.
func readKey[T any](p *parser, e *ast.MappingValueNode, label string, keys []key[T], target *T) error {
	name := e.Key.GetToken().Value
	if name == formerKey {
		name = completeKey
	}
	i := slices.IndexFunc(keys, func(k key[T]) bool { return k.name == name })
	if i < 0 {
		return p.Errorf(e.Key, "%w", text.Unknown(label, name, keyNames(keys)))
	}
	return keys[i].read(p, e.Value, target)
}

// keyNames returns the names of the keys.
func keyNames[T any](keys []key[T]) (names []string) {
	for _, k := range keys {
		names = append(names, k.name)
	}
	return names
}

// textKey returns a function that reads a text. An error of set gets the place of the text.
func textKey[T any](set func(target *T, s string) error) func(*parser, ast.Node, *T) error {
	return func(p *parser, n ast.Node, target *T) error {
		s, err := p.Text(n)
		if err != nil {
			return err
		}
		if err := set(target, s); err != nil {
			return p.Errorf(n, "%w", err)
		}
		return nil
	}
}

// listKey returns a function that reads a list of texts, or one text.
func listKey[T any](set func(target *T, texts []string) error) func(*parser, ast.Node, *T) error {
	return func(p *parser, n ast.Node, target *T) error {
		texts, err := p.texts(n)
		if err != nil {
			return err
		}
		if err := set(target, texts); err != nil {
			return p.Errorf(n, "%w", err)
		}
		return nil
	}
}

// templateKey returns a function that reads a template for a rule.
func templateKey(place func(r *rule) **template) func(*parser, ast.Node, *rule) error {
	return func(p *parser, n ast.Node, r *rule) (err error) {
		*place(r), err = p.template(n)
		return err
	}
}

// setEnvelopes sets the envelopes of the lines. Whether host or unit names the sources is decided later, by the first
// lines.
func setEnvelopes(m *Map, names []string) (err error) {
	m.layers, err = envelope.Named(names)
	return err
}

// setForms sets the form of the lines. With several names, each line may have any of these forms.
func setForms(m *Map, names []string) error {
	var chosen []form
	for _, name := range names {
		i := slices.IndexFunc(forms, func(f form) bool { return f.name == name })
		if i < 0 {
			return text.Unknown("form of lines", name, formNames(func(*form) bool { return true }))
		}
		chosen = append(chosen, forms[i])
	}
	if len(chosen) == 1 {
		m.form = &chosen[0]
		return nil
	}
	each, err := anyOf(chosen)
	m.form = each
	return err
}

// formNames returns the names of the forms for which do returns true.
func formNames(do func(f *form) bool) (names []string) {
	for i := range forms {
		if do(&forms[i]) {
			names = append(names, forms[i].name)
		}
	}
	return names
}

// texts reads a list of texts, or one text.
func (p *parser) texts(n ast.Node) (texts []string, err error) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		s, err := p.Text(n)
		return []string{s}, err
	}
	for _, v := range list.Values {
		s, err := p.Text(v)
		if err != nil {
			return nil, err
		}
		texts = append(texts, s)
	}
	return texts, nil
}

// expression reads a regular expression.
func (p *parser) expression(n ast.Node) (*regexp.Regexp, error) {
	pattern, err := p.pattern(n)
	if err != nil {
		return nil, err
	}
	return pattern.re, nil
}

// pattern reads a regular expression whose named groups become fields. It may be between slashes.
func (p *parser) pattern(n ast.Node) (*pattern, error) {
	s, err := p.Text(n)
	if err != nil {
		return nil, err
	}
	if source, ok := asPattern(s); ok {
		s = source
	}
	pattern, err := newPattern(p.m.slots, s)
	if err != nil {
		return nil, p.Errorf(n, "%w", err)
	}
	return pattern, nil
}

// template reads a value that may contain fields. A list contains alternatives.
func (p *parser) template(n ast.Node) (*template, error) {
	switch n := n.(type) {
	case *ast.SequenceNode:
		return p.alternatives(n)
	case *ast.MappingNode, *ast.MappingValueNode:
		object, err := p.assignments(n)
		return &template{object: object}, err
	case *ast.NullNode:
		return &template{raw: []byte("null")}, nil
	case *ast.BoolNode:
		return &template{raw: []byte(n.GetToken().Value)}, nil
	}
	s, err := p.Text(n)
	if err != nil {
		return nil, err
	}
	t, err := parseTemplate(p.m.slots, s)
	if err != nil {
		return nil, p.Errorf(n, "%w", err)
	}
	for _, part := range t.parts {
		p.mention(n, part.slot, !p.inRules)
	}
	return t, nil
}

// mention notes that a place of the mapping names a field. when is true in a condition, and outside of rules.
func (p *parser) mention(n ast.Node, slot int, when bool) {
	if slot >= 0 && p.optional == 0 {
		p.m.mentions = append(p.m.mentions, mention{slot, len(p.m.rules), p.Place(n), when})
	}
}

// alternatives reads a list of values. The first one whose fields a line has is used.
func (p *parser) alternatives(n *ast.SequenceNode) (first *template, err error) {
	p.optional++
	defer func() { p.optional-- }()
	place := &first
	for _, v := range n.Values {
		*place, err = p.template(v)
		if err != nil {
			return nil, err
		}
		for *place != nil {
			place = &(*place).alternative
		}
	}
	if first == nil {
		return nil, p.Errorf(n, "an empty list, expected values of which the first counts that the line has")
	}
	return first, nil
}

// assignments reads the fields of a payload.
func (p *parser) assignments(n ast.Node) (texts []assignment, err error) {
	entries, err := p.Entries(n)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		value, err := p.template(e.Value)
		if err != nil {
			return nil, err
		}
		a := assignment{name: e.Key.GetToken().Value, value: value}
		if strings.Contains(a.name, "${") {
			a.key, err = parseTemplate(p.m.slots, a.name)
			if err != nil {
				return nil, p.Errorf(e.Key, "%w", err)
			}
		}
		texts = append(texts, a)
	}
	return texts, nil
}

// conditions reads conditions on fields.
func (p *parser) conditions(n ast.Node) (texts []condition, err error) {
	entries, err := p.Entries(n)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		c := condition{slot: p.m.slots.slotOf(e.Key.GetToken().Value)}
		p.mention(e.Key, c.slot, true)
		if _, null := e.Value.(*ast.NullNode); null {
			c.absent = true
		} else if c.equal, err = p.texts(e.Value); err != nil {
			return nil, err
		}
		if err := p.finish(&c, e.Value); err != nil {
			return nil, err
		}
		texts = append(texts, c)
	}
	return texts, nil
}

// finish completes a condition with one text, if this is a pattern or a template.
func (p *parser) finish(c *condition, n ast.Node) (err error) {
	if len(c.equal) != 1 {
		return nil
	}
	source, isPattern := asPattern(c.equal[0])
	switch {
	case isPattern:
		c.pattern, err = newPattern(p.m.slots, source)
	case !isList(n) && strings.HasPrefix(c.equal[0], "/"):
		err = fmt.Errorf(
			"a pattern that begins with / and does not end with it; put one with a comma, a colon or a # in quotes, and "+
				"a text that begins with / into a list, [%s]",
			text.Printable(c.equal[0]),
		)
	case strings.Contains(c.equal[0], "${"):
		c.same, err = parseTemplate(p.m.slots, c.equal[0])
	}
	if err != nil {
		return p.Errorf(n, "%w", err)
	}
	return nil
}

func isList(n ast.Node) bool {
	_, list := n.(*ast.SequenceNode)
	return list
}

// list returns the entries of a list.
func (p *parser) list(n ast.Node) ([]ast.Node, error) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, p.Errorf(n, "expected a list, each entry of it on a line that begins with -")
	}
	return list.Values, nil
}

// signs reads the patterns by which a ready mapping recognises its logs.
func (p *parser) signs(n ast.Node) (signs []*regexp.Regexp, err error) {
	nodes := []ast.Node{n}
	if list, ok := n.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	for _, node := range nodes {
		s, err := p.Text(node)
		if err != nil {
			return nil, err
		}
		sign, err := regexp.Compile("(?m)" + s)
		if err != nil {
			return nil, p.Errorf(node, "no regular expression: %s", text.PatternMistake(err))
		}
		signs = append(signs, sign)
	}
	return signs, nil
}

// readAlso reads further keys for fields. A key that is already the name of a field is refused.
func (p *parser) readAlso(n ast.Node, m *Map) error {
	fields, err := p.Entries(n)
	if err != nil {
		return err
	}
	for _, f := range fields {
		slot := m.slots.slotOf(f.Key.GetToken().Value)
		keys, err := p.texts(f.Value)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if _, taken := m.slots.index[key]; taken {
				return p.Errorf(f.Value, "%s is a field by itself, expected a key that is not used before", text.Quote(key))
			}
			m.slots.index[key] = slot
		}
	}
	return nil
}

// readCuts reads how fields are cut further.
func (p *parser) readCuts(n ast.Node, m *Map) error {
	entries, err := p.Entries(n)
	if err != nil {
		return err
	}
	for _, e := range entries {
		s, err := p.Text(e.Value)
		if err != nil {
			return err
		}
		c := cutting{slot: m.slots.slotOf(e.Key.GetToken().Value)}
		p.mention(e.Key, c.slot, true)
		if _, ok := asPattern(s); ok {
			c.pattern, err = p.pattern(e.Value)
		} else {
			c.cut, err = cutAs(s)
		}
		if err != nil {
			return p.Errorf(e.Value, "%w", err)
		}
		m.cuts = append(m.cuts, c)
	}
	return nil
}

// cutAs returns the function that cuts a field in this form.
func cutAs(name string) (func(m *Map, text string, r *record) bool, error) {
	for _, f := range forms {
		if f.inField && f.name == name {
			return f.line, nil
		}
	}
	return nil, text.Unknown("way to cut a field", name, append(formNames(func(f *form) bool { return f.inField }), "/PATTERN/"))
}

// slots reads a list of fields.
func (p *parser) slots(n ast.Node) (slots []int, err error) {
	names, err := p.texts(n)
	for _, name := range names {
		slot := p.m.slots.slotOf(name)
		p.mention(n, slot, true)
		slots = append(slots, slot)
	}
	return slots, err
}

// readValues reads, for each variable, the words of the log with the words of the trace.
func (p *parser) readValues(n ast.Node, m *Map) error {
	fields, err := p.Entries(n)
	if err != nil {
		return err
	}
	m.values = make(map[string]map[string]string)
	for _, f := range fields {
		m.values[f.Key.GetToken().Value], err = p.words(f.Value)
		if err != nil {
			return err
		}
	}
	return nil
}

// words reads a table of words.
func (p *parser) words(n ast.Node) (map[string]string, error) {
	entries, err := p.Entries(n)
	if err != nil {
		return nil, err
	}
	words := make(map[string]string)
	for _, w := range entries {
		words[w.Key.GetToken().Value], err = p.Text(w.Value)
		if err != nil {
			return nil, err
		}
	}
	return words, nil
}

// templates reads a list of templates, or one.
func (p *parser) templates(n ast.Node) (texts []*template, err error) {
	nodes := []ast.Node{n}
	if list, ok := n.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	for _, node := range nodes {
		t, err := p.template(node)
		if err != nil {
			return nil, err
		}
		texts = append(texts, t)
	}
	return texts, nil
}

// linesKey returns a function that reads a list of conditions that select lines.
func linesKey(place func(*Map) *[][]condition) func(*parser, ast.Node, *Map) error {
	return func(p *parser, n ast.Node, m *Map) error {
		nodes, err := p.list(n)
		if err != nil {
			return err
		}
		for _, node := range nodes {
			texts, err := p.conditions(node)
			if err != nil {
				return err
			}
			*place(m) = append(*place(m), texts)
		}
		return nil
	}
}

// readRules reads the rules.
func (p *parser) readRules(n ast.Node, m *Map) error {
	nodes, err := p.list(n)
	if err != nil {
		return err
	}
	p.inRules = true
	defer func() { p.inRules = false }()
	for _, node := range nodes {
		r, err := p.rule(node)
		if err != nil {
			return err
		}
		m.rules = append(m.rules, r)
	}
	return nil
}

// rule reads a rule. Some of its keys are the kinds of its events.
func (p *parser) rule(n ast.Node) (r rule, err error) {
	entries, err := p.Entries(n)
	if err != nil {
		return r, err
	}
	r.place = p.Place(n)
	keys := slices.Concat(ruleKeys, kindKeys())
	for _, e := range entries {
		if err := readKey(p, e, "key of a rule", keys, &r); err != nil {
			return r, err
		}
	}
	return r, p.complete(n, &r)
}

// kindKeys returns the kinds of events as keys of a rule.
func kindKeys() (keys []key[rule]) {
	for _, k := range tracefmt.Kinds() {
		keys = append(keys, key[rule]{k.String(), k.Info().Doc, func(p *parser, n ast.Node, r *rule) error { return p.happening(k, n, r) }})
	}
	return keys
}

// happening reads an event of the form KIND: TYPE. For kinds that assign variables it is KIND: {NAME: VALUE}.
func (p *parser) happening(kind tracefmt.Kind, n ast.Node, r *rule) (err error) {
	h := happening{kind: kind}
	_, null := n.(*ast.NullNode)
	fields, ok := n.(*ast.MappingNode)
	switch {
	case null, ok && len(fields.Values) == 0 && kind.Info().Type == tracefmt.Absent: // crash: {}, as start: {}
	case kind.AssignsVariables():
		h.fields, err = p.assignments(n)
		if err != nil {
			return err
		}
	case kind.Info().Type == tracefmt.Absent:
		return p.Errorf(n, "a %s event has no type, expected nothing after %s:", kind, kind)
	default:
		h.typ, err = p.template(n)
		if err != nil {
			return err
		}
	}
	r.events = append(r.events, h)
	return nil
}

// complete checks that each event of a rule has everything that its kind needs.
func (p *parser) complete(n ast.Node, r *rule) error {
	if len(r.events) == 0 {
		return p.Errorf(
			n,
			"a rule without an event, expected a kind of events such as send: TYPE or state: {role: leader}; lines without events belong to ignore",
		)
	}
	for _, h := range r.events {
		// The table of kinds decides what is required, so that a new kind needs no case here.
		info := h.kind.Info()
		switch {
		case info.Process == tracefmt.Required && r.process == nil && p.m.process == nil:
			return p.Errorf(n, "a %s event needs a process, expected process: here or, before events, in the mapping", h.kind)
		case info.Peer == tracefmt.Required && r.peer == nil:
			key := "from:"
			if h.kind == tracefmt.Send {
				key = "to:"
			}
			return p.Errorf(n, "a %s event needs a %s, expected %s", h.kind, info.PeerRole, key)
		case info.Type == tracefmt.Required && h.typ == nil:
			return p.Errorf(n, "a %s event needs a type, expected %s: TYPE", h.kind, h.kind)
		case info.Payload == tracefmt.Required && len(h.fields)+len(r.fields) == 0:
			return p.Errorf(n, "a %s event needs fields", h.kind)
		}
	}
	return nil
}
