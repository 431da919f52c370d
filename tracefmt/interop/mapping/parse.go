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
		Name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), Text: string(data),
		form: &forms[0], slots: newSlots(), paths: newPath(), end: tracefmt.Stopped,
	}
	m.textSlot, m.lineSlot, m.fileSlot, m.processSlot = m.slots.of("text"), m.slots.of("line"), m.slots.of("file"), m.slots.of("process")
	p := &parser{doc, m}
	if err := parseKeys(p, doc.Root, "key", mapKeys, m); err != nil {
		return nil, err
	}
	if len(m.rules) == 0 {
		return nil, fmt.Errorf("%s:1:1: a mapping without events, expected a list of rules such as - {when: {msg: '/became leader/'}, state: {role: leader}}", file)
	}
	for slot, name := range m.slots.names {
		m.paths.add(name, slot)
	}
	return m, nil
}

type parser struct {
	*yamldoc.Document
	m *Map
}

// key is what a mapping may say in one place.
type key[T any] struct {
	name, doc string
	read      func(p *parser, n ast.Node, to *T) error
}

// mapKeys are the keys of a mapping, in the order in which they are explained.
var mapKeys = []key[Map]{
	{"doc", "of which logs it is, in a line", textKey(func(m *Map, s string) error { m.Doc = s; return nil })},
	{"sign", "patterns by which such logs are recognised: each matches one of the first lines", (*parser).readSigns},
	{"lines", "how lines are cut into fields: text, json, logfmt or csv", textKey(setForm)},
	{"match", "of lines of text: a pattern whose named groups are the fields", func(p *parser, n ast.Node, m *Map) (err error) { m.match, err = p.pattern(n); return err }},
	{"begin", "a pattern of the lines that begin a record; the others continue it", func(p *parser, n ast.Node, m *Map) (err error) { m.begin, err = p.expression(n); return err }},
	{"split", "a pattern of lines between two executions, each of which becomes a run; its group trace is the name of the run", func(p *parser, n ast.Node, m *Map) (err error) { m.split, err = p.pattern(n); return err }},
	{"file", "a pattern of the name of the file, without ending; its groups are fields of all lines", func(p *parser, n ast.Node, m *Map) (err error) { m.file, err = p.pattern(n); return err }},
	{"cut", "fields that are cut further, FIELD: /PATTERN/ whose named groups are fields, too, FIELD: json or FIELD: logfmt", (*parser).readCuts},
	{"process", "the process of a line, unless its rule says another: ${FIELD}", func(p *parser, n ast.Node, m *Map) (err error) { m.process, err = p.template(n); return err }},
	{"time", "from: the field; layout: how it is written; zone: UTC unless it says so", func(p *parser, n ast.Node, m *Map) error {
		m.time = &clock{zone: time.UTC}
		return parseKeys(p, n, "key of time", timeKeys, m.time)
	}},
	{"carry", "fields that hold for later lines of a process which lack them, until it starts anew", (*parser).readCarry},
	{"values", "by the name of a field of an event, or process and type: other words for values", (*parser).readValues},
	{"run", "what the header of the run says", func(p *parser, n ast.Node, m *Map) error { return parseKeys(p, n, "key of run", runKeys, m) }},
	{"events", "rules: the first of which all conditions hold says what the line is", (*parser).readRules},
	{"ignore", "conditions of lines that need no rule", (*parser).readIgnore},
}

var timeKeys = []key[clock]{
	{"from", "the field that has it: ${FIELD}", func(p *parser, n ast.Node, c *clock) (err error) { c.from, err = p.template(n); return err }},
	{"layout", "how it is written: as the moment 2006-01-02 15:04:05, or rfc3339, unix, unix-ms, unix-us, unix-ns, or s, ms, us, ns since the start", textKey((*clock).setLayout)},
	{"zone", "where it is told: UTC, +02:00, Europe/Berlin", textKey((*clock).setZone)},
}

var runKeys = []key[Map]{
	{"problem", "what the processes solve: etrace list problems", textKey(func(m *Map, s string) error {
		_, err := tracefmt.Problems().Lookup(s)
		m.run.Problem = s
		return err
	})},
	{"traits", "what the network and the algorithm promise: etrace list traits", listKey(func(m *Map, s []string) error { m.run.Traits = s; return nil })},
	{"best", "by which the best process is known, where that is to be elected", listKey(func(m *Map, s []string) error { m.run.Best = s; return nil })},
	{"end", "quiescent, where the log ends because nothing more can happen; else stopped", textKey(func(m *Map, s string) (err error) { m.end, err = tracefmt.ParseEnd(s); return err })},
	{"tells", "what the log tells, as --tells says it", textKey(func(m *Map, s string) (err error) { m.run.Tells, err = tracefmt.ParseTells(s); return err })},
}

// ruleKeys are the keys of a rule besides the kinds of events.
var ruleKeys = []key[rule]{
	{"when", "conditions: FIELD: TEXT, FIELD: [ONE, OTHER], FIELD: /PATTERN/ whose named groups become fields, FIELD: null for none", func(p *parser, n ast.Node, r *rule) (err error) { r.when, err = p.conditions(n); return err }},
	{"process", "the process, where it is not that of the line", templateKey(func(r *rule) **template { return &r.process })},
	{"to", "the receiver of a message", templateKey(func(r *rule) **template { return &r.peer })},
	{"from", "the sender of a message", templateKey(func(r *rule) **template { return &r.peer })},
	{"of", "the process that is suspected or trusted", templateKey(func(r *rule) **template { return &r.peer })},
	{"term", "the term of the event", templateKey(func(r *rule) **template { return &r.term })},
	{"message", "what names the message, at both its ends alike", templateKey(func(r *rule) **template { return &r.message })},
	{"content", "what both ends of a message say of it, where it has no name: the k-th receive is that of the k-th send", templateKey(func(r *rule) **template { return &r.content })},
	{"fields", "fields of the message, the note or the operation", func(p *parser, n ast.Node, r *rule) (err error) { r.fields, err = p.assignments(n); return err }},
	{"key", "a name by which other events call this one a cause", templateKey(func(r *rule) **template { return &r.key })},
	{"after", "keys of direct causes", (*parser).readAfter},
	{"own", "the number of the event among those of its process", templateKey(func(r *rule) **template { return &r.own })},
}

// parseKeys reads the entries of a YAML mapping by a table of keys.
func parseKeys[T any](p *parser, n ast.Node, what string, keys []key[T], to *T) error {
	entries, err := p.Entries(n)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := readKey(p, e, what, keys, to); err != nil {
			return err
		}
	}
	return nil
}

func readKey[T any](p *parser, e *ast.MappingValueNode, what string, keys []key[T], to *T) error {
	name := e.Key.GetToken().Value
	i := slices.IndexFunc(keys, func(k key[T]) bool { return k.name == name })
	if i < 0 {
		return p.Errorf(e.Key, "%w", text.Unknown(what, name, keyNames(keys)))
	}
	return keys[i].read(p, e.Value, to)
}

func keyNames[T any](keys []key[T]) (names []string) {
	for _, k := range keys {
		names = append(names, k.name)
	}
	return names
}

// textKey reads a text; what is wrong with it is said at its place.
func textKey[T any](set func(to *T, s string) error) func(*parser, ast.Node, *T) error {
	return func(p *parser, n ast.Node, to *T) error {
		s, err := p.Text(n)
		if err != nil {
			return err
		}
		if err := set(to, s); err != nil {
			return p.Errorf(n, "%w", err)
		}
		return nil
	}
}

// listKey reads a list of texts, or one.
func listKey[T any](set func(to *T, all []string) error) func(*parser, ast.Node, *T) error {
	return func(p *parser, n ast.Node, to *T) error {
		all, err := p.texts(n)
		if err != nil {
			return err
		}
		return set(to, all)
	}
}

func templateKey(place func(r *rule) **template) func(*parser, ast.Node, *rule) error {
	return func(p *parser, n ast.Node, r *rule) (err error) {
		*place(r), err = p.template(n)
		return err
	}
}

func setForm(m *Map, name string) error {
	var names []string
	for i := range forms {
		if forms[i].name == name {
			m.form = &forms[i]
			return nil
		}
		names = append(names, forms[i].name)
	}
	return text.Unknown("form of lines", name, names)
}

func (p *parser) texts(n ast.Node) (all []string, err error) {
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
		all = append(all, s)
	}
	return all, nil
}

func (p *parser) expression(n ast.Node) (*regexp.Regexp, error) {
	pattern, err := p.pattern(n)
	if err != nil {
		return nil, err
	}
	return pattern.re, nil
}

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

// template reads a value in which fields may be named.
func (p *parser) template(n ast.Node) (*template, error) {
	switch n := n.(type) {
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
	return t, nil
}

// assignments reads the fields of a payload.
func (p *parser) assignments(n ast.Node) (all []assignment, err error) {
	entries, err := p.Entries(n)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		value, err := p.template(e.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, assignment{e.Key.GetToken().Value, value})
	}
	return all, nil
}

// conditions reads what fields must be.
func (p *parser) conditions(n ast.Node) (all []condition, err error) {
	entries, err := p.Entries(n)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		c := condition{slot: p.m.slots.of(e.Key.GetToken().Value)}
		if _, none := e.Value.(*ast.NullNode); none {
			c.absent = true
		} else if c.equal, err = p.texts(e.Value); err != nil {
			return nil, err
		}
		if len(c.equal) == 1 {
			source, ok := asPattern(c.equal[0])
			if ok {
				c.pattern, err = newPattern(p.m.slots, source)
			} else if _, list := e.Value.(*ast.SequenceNode); !list && strings.HasPrefix(c.equal[0], "/") {
				err = fmt.Errorf("a pattern that begins with / and does not end with it; put one with a comma, a colon or a # in quotes, and a text that begins with / into a list, [%s]", text.Printable(c.equal[0]))
			}
			if err != nil {
				return nil, p.Errorf(e.Value, "%w", err)
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// list returns the entries of a list.
func (p *parser) list(n ast.Node) ([]ast.Node, error) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, p.Errorf(n, "expected a list, each entry of it on a line that begins with -")
	}
	return list.Values, nil
}

func (p *parser) readSigns(n ast.Node, m *Map) error {
	nodes := []ast.Node{n}
	if list, ok := n.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	for _, node := range nodes {
		s, err := p.Text(node)
		if err != nil {
			return err
		}
		sign, err := regexp.Compile("(?m)" + s)
		if err != nil {
			return p.Errorf(node, "no regular expression: %s", text.PatternMistake(err))
		}
		m.signs = append(m.signs, sign)
	}
	return nil
}

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
		c := cutting{slot: m.slots.of(e.Key.GetToken().Value)}
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

// cutAs is how a form cuts the text of a field.
func cutAs(name string) (func(m *Map, text string, r *record) bool, error) {
	known := []string{"/PATTERN/"}
	for _, f := range forms {
		if f.cut != nil && f.name == name {
			return f.cut, nil
		}
		if f.cut != nil {
			known = append(known, f.name)
		}
	}
	return nil, text.Unknown("way to cut a field", name, known)
}

func (p *parser) readCarry(n ast.Node, m *Map) error {
	names, err := p.texts(n)
	for _, name := range names {
		m.carry = append(m.carry, m.slots.of(name))
	}
	return err
}

func (p *parser) readValues(n ast.Node, m *Map) error {
	fields, err := p.Entries(n)
	if err != nil {
		return err
	}
	m.values = make(map[string]map[string]string)
	for _, f := range fields {
		words, err := p.Entries(f.Value)
		if err != nil {
			return err
		}
		other := make(map[string]string)
		for _, w := range words {
			if other[w.Key.GetToken().Value], err = p.Text(w.Value); err != nil {
				return err
			}
		}
		m.values[f.Key.GetToken().Value] = other
	}
	return nil
}

func (p *parser) readAfter(n ast.Node, r *rule) error {
	nodes := []ast.Node{n}
	if list, ok := n.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	for _, node := range nodes {
		t, err := p.template(node)
		if err != nil {
			return err
		}
		r.after = append(r.after, t)
	}
	return nil
}

func (p *parser) readIgnore(n ast.Node, m *Map) error {
	nodes, err := p.list(n)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		all, err := p.conditions(node)
		if err != nil {
			return err
		}
		m.ignore = append(m.ignore, all)
	}
	return nil
}

func (p *parser) readRules(n ast.Node, m *Map) error {
	nodes, err := p.list(n)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		r, err := p.rule(node)
		if err != nil {
			return err
		}
		m.rules = append(m.rules, r)
	}
	return nil
}

// rule reads one: its keys, and among them the kinds of its events.
func (p *parser) rule(n ast.Node) (r rule, err error) {
	entries, err := p.Entries(n)
	if err != nil {
		return r, err
	}
	r.place = p.Place(n)
	for _, e := range entries {
		kind, err := tracefmt.ParseKind(e.Key.GetToken().Value)
		if err == nil {
			err = p.happening(kind, e.Value, &r)
		} else {
			err = readKey(p, e, "key of a rule", slices.Concat(ruleKeys, kindKeys()), &r)
		}
		if err != nil {
			return r, err
		}
	}
	return r, p.complete(n, &r)
}

// kindKeys are the kinds as keys of a rule, for the errors that name them.
func kindKeys() (keys []key[rule]) {
	for _, k := range tracefmt.Kinds() {
		keys = append(keys, key[rule]{name: k.String(), doc: k.Info().Doc})
	}
	return keys
}

// happening reads an event: KIND: TYPE, or of kinds that assign variables KIND: {NAME: VALUE}.
func (p *parser) happening(kind tracefmt.Kind, n ast.Node, r *rule) (err error) {
	h := happening{kind: kind}
	_, none := n.(*ast.NullNode)
	switch {
	case none:
	case kind.AssignsVariables():
		if h.fields, err = p.assignments(n); err != nil {
			return err
		}
	case kind.Info().Type == tracefmt.Absent:
		return p.Errorf(n, "a %s event has no type, expected nothing after %s:", kind, kind)
	default:
		if h.typ, err = p.template(n); err != nil {
			return err
		}
	}
	r.events = append(r.events, h)
	return nil
}

// complete checks that each event of a rule has what its kind needs.
func (p *parser) complete(n ast.Node, r *rule) error {
	if len(r.events) == 0 {
		return p.Errorf(n, "a rule without an event, expected a kind of events such as send: TYPE or state: {role: leader}; lines without events belong to ignore")
	}
	for _, h := range r.events {
		info := h.kind.Info()
		switch {
		case info.Process == tracefmt.Required && r.process == nil && p.m.process == nil:
			return p.Errorf(n, "a %s event needs a process, expected process: here or, before events, in the mapping", h.kind)
		case info.Peer == tracefmt.Required && r.peer == nil:
			return p.Errorf(n, "a %s event needs a %s, expected %s", h.kind, info.PeerRole, map[bool]string{true: "to:", false: "from:"}[h.kind == tracefmt.Send])
		case info.Type == tracefmt.Required && h.typ == nil:
			return p.Errorf(n, "a %s event needs a type, expected %s: TYPE", h.kind, h.kind)
		case info.Payload == tracefmt.Required && len(h.fields)+len(r.fields) == 0:
			return p.Errorf(n, "a %s event needs fields", h.kind)
		}
	}
	return nil
}
