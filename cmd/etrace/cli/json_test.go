package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"etrace/analyze/report"
)

// A jsonSection is a section of catalog/json_formats.md: a format, with the keys that it has.
type jsonSection struct {
	title   string
	rows    []*jsonRow
	objects map[string]int // how many objects were printed, by their place
}

// A jsonRow is a key, by its place in the printed value.
type jsonRow struct {
	key, typ string
	optional bool
	seen     int // in how many objects
}

// parent is the place of the object that has the key, and the key's own name.
func (r *jsonRow) parent() (object, name string) {
	i := strings.LastIndexByte(r.key, '.')
	return r.key[:max(i, 0)], r.key[i+1:]
}

// jsonTypes are the words before the keys of a table, in the order of its lines.
var jsonTypes = []string{"text", "number", "boolean", "object", "any", "step", "divergence"}

func readJSONSections(text string) []*jsonSection {
	var sections []*jsonSection
	object, inTable := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if title, ok := strings.CutPrefix(line, "## "); ok {
			sections = append(sections, &jsonSection{title: title, objects: map[string]int{}})
		}
		if len(sections) == 0 {
			continue
		}
		s := sections[len(sections)-1]
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "```"):
			object, inTable = "", line == "```keys"
		case inTable && len(words) > 1:
			for _, word := range words[1:] {
				name, optional := strings.CutSuffix(word, "?")
				key := strings.TrimPrefix(object+"."+name, ".")
				s.rows = append(s.rows, &jsonRow{key: key, typ: words[0], optional: optional})
			}
		case inTable:
			object = words[0]
		}
	}
	return sections
}

// table writes the keys of a section as json_formats.md has them: each object, and its keys by type.
func (s *jsonSection) table() string {
	const longest = 120
	objects := []string{""}
	lines := map[string]map[string][]string{}
	for _, r := range s.rows {
		object, name := r.parent()
		if lines[object] == nil {
			lines[object] = map[string][]string{}
		}
		if !slices.Contains(objects, object) {
			objects = append(objects, object)
		}
		if r.optional {
			name += "?"
		}
		lines[object][r.typ] = append(lines[object][r.typ], name)
	}
	var b strings.Builder
	b.WriteString("```keys\n")
	for _, object := range objects {
		indent := ""
		if object != "" {
			b.WriteString(object + "\n")
			indent = "  "
		}
		for _, typ := range jsonTypes {
			line := indent + typ
			for _, name := range lines[object][typ] {
				if len(line)+1+len(name) > longest {
					b.WriteString(line + "\n")
					line = indent + typ
				}
				line += " " + name
			}
			if len(lines[object][typ]) > 0 {
				b.WriteString(line + "\n")
			}
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// jsonTable is the table of a section.
var jsonTable = regexp.MustCompile("(?s)```keys\n.*?```\n")

// jsonDocument compares what commands print with json_formats.md. With ETRACE_UPDATE=1 it adds the keys that the
// document lacks, and marks the keys that some object lacks.
type jsonDocument struct {
	t        *testing.T
	sections []*jsonSection
	update   bool
}

func (d *jsonDocument) section(title string) *jsonSection {
	i := slices.IndexFunc(d.sections, func(s *jsonSection) bool { return s.title == title })
	if i < 0 {
		d.t.Fatalf("json_formats.md has no section %s", title)
	}
	return d.sections[i]
}

// walk looks every key up in the table of a section.
func (d *jsonDocument) walk(s *jsonSection, at string, v any) {
	d.t.Helper()
	i := slices.IndexFunc(s.rows, func(r *jsonRow) bool { return r.key == at })
	if i >= 0 {
		s.rows[i].seen++
		d.typed(s.rows[i], s, v)
		return
	}
	prefix := at + "."
	switch v := v.(type) {
	case map[string]any:
		s.objects[at]++
		for _, key := range slices.Sorted(maps.Keys(v)) {
			d.walk(s, strings.TrimPrefix(prefix+key, "."), v[key])
		}
	case []any:
		for _, element := range v {
			d.walk(s, at+"[]", element)
		}
	case nil:
		if !slices.ContainsFunc(s.rows, func(r *jsonRow) bool { return strings.HasPrefix(r.key, prefix) }) {
			d.undocumented(s, at, v)
		}
	default:
		d.undocumented(s, at, v)
	}
}

// undocumented is a key that the document lacks.
func (d *jsonDocument) undocumented(s *jsonSection, at string, v any) {
	d.t.Helper()
	if !d.update {
		d.t.Errorf("%s: %s = %v is not in json_formats.md", s.title, at, v)
		return
	}
	typ := "any"
	switch v.(type) {
	case float64:
		typ = "number"
	case string:
		typ = "text"
	case bool:
		typ = "boolean"
	}
	s.rows = append(s.rows, &jsonRow{key: at, typ: typ, seen: 1})
}

func (d *jsonDocument) typed(r *jsonRow, s *jsonSection, v any) {
	d.t.Helper()
	found := false
	switch r.typ {
	case "any":
		return
	case "number":
		_, found = v.(float64)
	case "text":
		_, found = v.(string)
	case "boolean":
		_, found = v.(bool)
	case "object":
		_, found = v.(map[string]any)
	default:
		_, found = v.(map[string]any)
		if found {
			d.walk(d.section(r.typ), "", v) // the type is a section itself
		}
	}
	if !found && v != nil {
		d.t.Errorf("%s: %s = %v, documented as %s", s.title, r.key, v, r.typ)
	}
}

// jsonSuite has an explained value and a failed one.
const jsonSuite = `suite: Two
description: One value is explained, one failed.
cases:
  - name: explained
    scenario: {algorithm: chang-roberts, nodes: 3, start: 1}
    expect: {messages: 8}
    published: {messages: 9}
    note: the source counts one more
  - name: failed
    scenario: {algorithm: chang-roberts, nodes: 3, start: 1}
    expect: {verdicts: {election-safety: violated}}
`

// jsonLog has a line that is no event, and a clock that has seen too much.
const jsonLog = `a {"a":1}
Sending PING to b
b {"a":1,"b":1}
Received PING from a
no event
b {"a":2,"b":3}
nothing
`

// jsonPartial has no word of crashes, nor of all changes of elected.
const jsonPartial = `{"format":"etrace/1","problem":"election","time_unit":"logical","members":[{"name":"a"},{"name":"b"}],"complete":{"default":"none","kinds":{"state.elected":"some"}}}
{"seq":1,"process":"a","kind":"state","payload":{"elected":"a"}}
{"seq":2,"process":"b","kind":"state","payload":{"elected":"a"}}
{"end":"stopped","events":2}
`

// jsonGaps lacks three events of b, and a crash of a is only inferred.
const jsonGaps = `{"format":"etrace/1","problem":"election","time_unit":"logical","members":[{"name":"a"},{"name":"b"}],"complete":{"default":"all","gaps":[{"process":"b","from":3,"to":0,"dropped":3}]}}
{"seq":1,"process":"a","kind":"state","payload":{"elected":"a"}}
{"seq":2,"process":"b","kind":"state","payload":{"elected":"a"}}
{"seq":3,"process":"a","kind":"crash","payload":{"inferred":true}}
{"end":"stopped","events":3}
`

// jsonOdd is imported from two logs; one log lacks a line.
const jsonOdd = `{"format":"etrace/1","name":"odd","time_unit":"ns","members":[{"name":"a"},{"name":"b"}]}
{"seq":1,"time":10,"process":"a","kind":"send","peer":"b","type":"HI","message":1,"payload":{"log":{"text":"hi","file":"a.log","line":3,"clock":{"a":2}}}}
{"seq":2,"time":5,"process":"b","kind":"receive","peer":"a","type":"HI","message":1,"cause":1,"payload":{"log":{"text":"hi","file":"b.log","line":7,"clock":{"a":2,"b":1}}}}
{"seq":3,"time":30,"process":"b","kind":"send","peer":"a","type":"HI","message":2,"payload":{"log":{"text":"hi","file":"b.log","line":8,"clock":{"a":2,"b":2}}}}
{"end":"stopped","events":3}
`

// jsonTwoLeaders is a run of terms with two leaders in one.
const jsonTwoLeaders = `{"format":"etrace/1","problem":"consensus","time_unit":"logical","members":[{"name":"a"},{"name":"b"}]}
{"seq":1,"process":"a","kind":"state","payload":{"role":"candidate","term":1}}
{"seq":2,"process":"a","kind":"state","payload":{"role":"leader","term":1}}
{"seq":3,"process":"b","kind":"state","payload":{"role":"leader","term":1}}
{"end":"stopped","events":3}
`

// jsonTimes has operations, and messages without a latency: a message between two clocks, and a message that arrives before
// its send.
const jsonTimes = `{"format":"etrace/1","time_unit":"ns","members":[{"name":"a"},{"name":"b"},{"name":"c"}],` +
	`"complete":{"default":"all","kinds":{"receive":"some"},"clocks":{"skew":1,"shared":[["a","b"]]}}}
{"seq":1,"time":10,"process":"a","kind":"send","peer":"b","type":"HI","message":1}
{"seq":2,"time":5,"process":"b","kind":"receive","peer":"a","type":"HI","message":1,"cause":1,"payload":{"log":{"guess":true}}}
{"seq":3,"time":20,"process":"a","kind":"send","peer":"c","type":"HI","message":2}
{"seq":4,"time":25,"process":"c","kind":"receive","peer":"a","type":"HI","message":2,"cause":3}
{"seq":5,"time":30,"process":"a","kind":"invoke","type":"read"}
{"seq":6,"time":40,"process":"a","kind":"return","type":"read","payload":{"outcome":"fail"}}
{"seq":7,"time":40,"process":"a","kind":"invoke","type":"read"}
{"seq":8,"time":50,"process":"a","kind":"return","type":"read","payload":{"outcome":"ok"}}
{"end":"stopped","events":8}
`

// TestJSONDocument executes the commands of testdata/json_commands.txt. Each printed key is documented, with its type. Each
// documented key is printed, unless the document marks it as optional. ETRACE_UPDATE=1 writes the tables of the
// document from what is printed.
func TestJSONDocument(t *testing.T) {
	top, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	document := filepath.Join(top, "cmd", "etrace", "cli", "catalog", "json_formats.md")
	text := mustRead(t, document)
	commands := mustRead(t, filepath.Join("testdata", "json_commands.txt"))
	lease := mustRead(t, filepath.Join(top, "fixtures", "traces", "lease.jsonl"))
	t.Chdir(t.TempDir())
	mustWrite(t, "lease.jsonl", lease)
	mustWrite(t, "service.log", jsonLog)
	mustWrite(t, "partial.jsonl", jsonPartial)
	mustWrite(t, "gaps.jsonl", jsonGaps)
	mustWrite(t, "odd.jsonl", jsonOdd)
	mustWrite(t, "two-leaders.jsonl", jsonTwoLeaders)
	mustWrite(t, "times.jsonl", jsonTimes)
	mustWrite(t, "suite.yaml", jsonSuite)
	mustWrite(t, "broken.yaml", "suite: Broken\nkases: []\n")
	d := &jsonDocument{t, readJSONSections(text), os.Getenv("ETRACE_UPDATE") != ""}
	title := ""
	for line := range strings.Lines(commands) {
		command, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		switch {
		case !indented:
			title = command
			continue
		case strings.Contains(command, "changed.jsonl"):
			writeChanged(t)
		}
		out := d.run(command, title == report.FailureVersion)
		if slices.Contains(words(command), "--json") {
			d.hold(d.section(title), command, out)
		}
	}
	for _, s := range d.sections {
		d.compareKeys(s)
	}
	if !d.update {
		return
	}
	for _, s := range d.sections {
		before, section, _ := strings.Cut(text, "\n## "+s.title+"\n")
		table := jsonTable.FindString(section)
		text = before + "\n## " + s.title + "\n" + strings.Replace(section, table, s.table(), 1)
	}
	mustWrite(t, document, text)
}

// compareKeys: each key is printed, unless the document marks it. A key without a mark is in every printed object.
// An empty list lacks its elements.
func (d *jsonDocument) compareKeys(s *jsonSection) {
	d.t.Helper()
	for _, r := range s.rows {
		object, name := r.parent()
		missing := !strings.HasSuffix(name, "[]") && r.seen < s.objects[object]
		if d.update {
			r.optional = r.optional || missing
		}
		switch {
		case r.optional:
		case r.seen == 0:
			d.t.Errorf("%s: no command prints %s", s.title, r.key)
		case missing:
			d.t.Errorf("%s: %d of %d objects have %s; mark it with ?", s.title, r.seen, s.objects[object], r.key)
		}
	}
}

func (d *jsonDocument) run(command string, fails bool) []byte {
	d.t.Helper()
	var out, errOut bytes.Buffer
	if status := Run(words(command), strings.NewReader(""), &out, &errOut); (status == exitFail) != fails {
		d.t.Errorf("%s: %s", command, errOut.String())
	}
	return out.Bytes()
}

func (d *jsonDocument) hold(s *jsonSection, command string, out []byte) {
	d.t.Helper()
	var v map[string]any
	if err := json.Unmarshal(out, &v); err != nil {
		d.t.Errorf("%s: %v", command, err)
		return
	}
	if v["format"] != s.title {
		d.t.Errorf("%s: format %v, documented as %s", command, v["format"], s.title)
	}
	delete(v, "format")
	d.walk(s, "", v)
}

// writeChanged writes the run of trace.db with another leader.
func writeChanged(t *testing.T) {
	t.Helper()
	var out, errOut bytes.Buffer
	if Run([]string{"export"}, strings.NewReader(""), &out, &errOut) != exitOK {
		t.Fatal(errOut.String())
	}
	mustWrite(t, "changed.jsonl", strings.Replace(out.String(), `"elected":6`, `"elected":5`, 1))
}

func mustRead(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func mustWrite(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
