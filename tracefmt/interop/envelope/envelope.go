package envelope

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

// envelope is a format in which a collector of logs wraps lines of programs.
type envelope struct {
	name, doc string
	// pattern has the groups line, time, and source. If several fields may name the source, it has host and unit
	// instead.
	pattern func() *regexp.Regexp
	// object is set for an envelope in JSON.
	object *objectEnvelope
	// numbered is true if the lines of each source have ascending numbers.
	numbered bool
	// heading is true for an envelope of headings: each names the source of the lines that follow it.
	heading bool
	// lineHead matches the beginning of a line that a program wrote with its own time or fields. If it is set, the lines
	// in the envelope match it.
	lineHead func() *regexp.Regexp
	// write turns the line into another form, or is nil.
	write func(line string) string
}

// objectEnvelope is a JSON object with the line in one of its fields. Each list has paths with dots, and the first
// path that exists is used.
type objectEnvelope struct {
	// line is "" if it is the field whose texts begin with a time.
	line  string
	needs []string // fields that an ordinary JSON log lacks
	host  []string
	unit  []string
	time  []string
	// surplus allows other fields.
	surplus bool
}

// ownHead matches the beginning of a line that has a time before its words, or that is an object or has fields.
var ownHead = text.Pattern(`^(?:\{"|\w+=|\S{0,3}\d{10,19}\b.*\pL|.{0,30}?\d\d:\d\d:\d\d\S*(?:\s+\S*\pL\S*){2})`)

// envelopes are the known envelopes, in the order in which they are tried.
var envelopes = []envelope{
	{
		name: "tail", doc: "tail and head of several files", heading: true,
		pattern: text.Pattern(`^==> (?<source>\S.*) <==$`),
	},
	{name: "compose", doc: "docker compose, foreman", pattern: text.Pattern(`^(?:[\d:]{8} )?(?<source>[A-Za-z][\w.-]*)\s*\| ?(?<line>.*)$`)},
	{name: "kubectl", doc: "kubectl logs --prefix", pattern: text.Pattern(`^\[pod/(?<source>[\w.-]+)/[\w.-]+\] (?<line>.*)$`)},
	{
		name: "cri", doc: "the files of the Container Runtime Interface",
		pattern: text.Pattern(`^(?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) (?:stdout|stderr) [FP] (?<line>.*)$`),
	},
	{
		name: "syslog", doc: "syslog of RFC 5424",
		pattern: text.Pattern(`^<\d{1,3}>1 (?<time>\S+) (?<host>\S+) (?<unit>\S+) (?<pid>\S+) \S+ ` +
			`(?:-|(?:\[[^\]]*\])+)(?: \x{feff}?(?<line>.*))?$`),
	},
	{
		name: "journald", doc: "journalctl, and syslog of RFC 3164",
		pattern: text.Pattern(`^(?:<\d{1,3}>)?(?<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|` +
			`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?[+-]\d\d:?\d\d) (?<host>[\w.-]+) (?<unit>[\w@./-]+)(?:\[(?<pid>\d+)\])?: (?<line>.*)$`),
	},
	{
		name: "json-file", doc: "docker's json-file",
		object: &objectEnvelope{
			line: "log", needs: []string{"stream", "time"}, unit: []string{"attrs.name", "attrs.tag"},
			time: []string{"time"},
		},
	},
	{
		name: "journald-json", doc: "journalctl -o json",
		object: &objectEnvelope{
			line: "MESSAGE", needs: []string{"__REALTIME_TIMESTAMP"}, host: []string{"_HOSTNAME"},
			unit: []string{"CONTAINER_NAME", "_SYSTEMD_UNIT", "SYSLOG_IDENTIFIER"}, surplus: true,
		},
	},
	{
		name: "kibana", doc: "hits of Elasticsearch and Kibana",
		object: &objectEnvelope{
			line: "_source.message",
			host: []string{
				"_source.kubernetes.pod.name", "_source.kubernetes.pod_name", "_source.container.name",
				"_source.host.name", "_source.host",
			},
			time: []string{"_source.@timestamp"}, surplus: true,
		},
	},
	{
		name: "beats", doc: "Filebeat, Fluentd and Logstash",
		object: &objectEnvelope{
			line: "message", needs: []string{"@timestamp", "agent|kubernetes|container"},
			host: []string{"kubernetes.pod.name", "kubernetes.pod_name", "container.name", "host.name", "host"},
			time: []string{"@timestamp"}, surplus: true,
		},
	},
	{
		name: "fluentd", doc: "Fluent Bit on Kubernetes",
		object: &objectEnvelope{
			line: "log", needs: []string{"kubernetes"}, host: []string{"kubernetes.pod_name", "kubernetes.host"},
			time: []string{"time", "@timestamp"}, surplus: true,
		},
	},
	{
		name: "gcp", doc: "Google Cloud Logging",
		object: &objectEnvelope{
			line: "textPayload",
			host: []string{"resource.labels.pod_name", "resource.labels.instance_id", "resource.labels.container_name"},
			time: []string{"timestamp"}, surplus: true,
		},
	},
	{
		name: "loki", doc: "logcli --output=jsonl",
		object: &objectEnvelope{
			line: "line", needs: []string{"labels", "timestamp"},
			host: []string{"labels.pod", "labels.instance", "labels.container", "labels.host"},
			time: []string{"timestamp"},
		},
	},
	{
		name: "cloudwatch", doc: "CloudWatch Logs",
		object: &objectEnvelope{
			line: "message", needs: []string{"logStreamName|ingestionTime|eventId", "timestamp"},
			host: []string{"logStreamName"}, time: []string{"timestamp"}, surplus: true,
		},
	},
	{
		name: "splunk", doc: "exports of Splunk",
		object: &objectEnvelope{line: "result._raw", host: []string{"result.host"}, time: []string{"result._time"}, surplus: true},
	},
	{
		name: "object", doc: "other JSON objects with a line in one field",
		object: &objectEnvelope{time: []string{"@timestamp", "timestamp", "time"}, surplus: true},
	},
	{
		name: "grep-files", doc: "grep -n in several files", numbered: true,
		pattern: text.Pattern(`^(?<source>` + fileName + `)[:-](?<number>\d+)[:-](?<line>.*)$`),
	},
	{
		name: "grep-names", doc: "grep in several files",
		pattern: text.Pattern(`^(?<source>` + fileName + `)[:-](?<line>.*)$`),
	},
	{name: "grep", doc: "grep -n", numbered: true, pattern: text.Pattern(`^(?<number>\d+)[:-](?<line>.*)$`)},
	{
		name: "brackets", doc: "a bracket around each field, as TiDB, TiKV and PD write", write: unbracketed,
		pattern: text.Pattern(`^\[(?<time>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d\d:\d\d)\] \[\w+\] (?:\[[^"\]]*\] )?(?<line>\[.*\])$`),
	},
	{
		name: "stamped", doc: "a time of the collector before a line with its own, as docker logs --timestamps writes", lineHead: ownHead,
		pattern: text.Pattern(`^(?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) (?<line>.*)$`),
	},
	{name: "indented", doc: "each line begins with blanks", pattern: text.Pattern(`^[ \t]+(?<line>\S.*)$`)},
}

// fileName matches the name of a log in a line.
const fileName = `[^\s:]*[\w-]\.(?:log|txt|out)(?:\.\d+)?`

// sourceKeys are ends of the paths that name the source of a line in a JSON object, the most exact first.
var sourceKeys = []string{
	"kubernetes.pod.name", "kubernetes.pod_name", "pod.name", "pod_name", "pod", "container.name", "container_name",
	"ContainerName", "container", "logStreamName", "host.name", "hostname", "Computer", "host", "instance", "node",
}

// Line is a line without its envelopes.
type Line struct {
	Text string
	// Source is where the line comes from, as an envelope names it, or "". Time is the time of the outermost
	// envelope that has one, as it writes it, or "".
	Source, Time string
	// Fence is true if the line belongs to no program.
	Fence bool
}

// fences matches the lines around a log in a Markdown text.
var fences = text.Pattern("^\\s*(?:```|~~~)\\w*\\s*$")

// Layers is the list of envelopes around the lines of an execution, from the outermost.
type Layers struct {
	list []layer
}

// layer is an envelope, with the field that names the source of a line.
type layer struct {
	*envelope
	// name is the field that names the source: a group, "host", "unit", or "" for none.
	name string
	// suffix is the common end of all sources.
	suffix string
	// line and host are the paths of the fields with the line and its source, if the envelope does not fix them.
	line, host string
}

// Peeler returns a function that returns the lines of a file without their envelopes. The lines are passed in their
// order, since a heading names the source of those after it.
func (ls *Layers) Peeler() func(line string) Line {
	headed := ""
	return func(line string) Line {
		out := Line{Text: Uncoloured(line)}
		if ls == nil {
			return out
		}
		if fences().MatchString(out.Text) {
			return Line{Text: out.Text, Fence: true}
		}
		out.Source = headed
		for i := range ls.list {
			if !ls.list[i].open(&out) {
				break
			}
			if out.Fence {
				headed = out.Source
				break
			}
		}
		return out
	}
}

// Headed reports whether headings name the sources of lines.
func (ls *Layers) Headed() bool {
	return ls != nil && slices.ContainsFunc(ls.list, func(l layer) bool { return l.heading })
}

// open takes a line out of its envelope. It returns false if the line has no such envelope.
func (l *layer) open(out *Line) bool {
	if l.object != nil {
		return l.openObject(out)
	}
	re := l.pattern()
	at := re.FindStringSubmatchIndex(out.Text)
	if l.heading {
		if at != nil {
			*out = Line{Text: out.Text, Source: l.sourceOf(out.Text[at[2]:at[3]]), Fence: true}
		}
		return true // other lines are as they are
	}
	if at == nil {
		return false
	}
	inner := *out
	for i, name := range re.SubexpNames() {
		if name == "" || at[2*i] < 0 {
			continue
		}
		switch value := out.Text[at[2*i]:at[2*i+1]]; {
		case name == "line":
			inner.Text = Uncoloured(value)
			if l.write != nil {
				inner.Text = l.write(inner.Text)
			}
		case name == "time":
			inner.Time = value
		case name == l.name:
			inner.Source = strings.TrimSuffix(value, l.suffix)
		}
	}
	if at[2*re.SubexpIndex("line")] < 0 {
		inner.Text = ""
	}
	*out = inner
	return true
}

// sourceOf returns the source that a heading names: the name of a file without folder and ending, or the whole path if several
// folders have files of that name.
func (l *layer) sourceOf(path string) string {
	if l.name == wholePath {
		return path
	}
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// wholePath is the name of the field of headings if the whole path names the source.
const wholePath = "path"

// bracket is a field in brackets: the sentence, or KEY=VALUE.
var bracket = text.Pattern(`\[(?:([\w.-]+)=)?("(?:[^"\\]|\\.)*"|[^\]]*)\] ?`)

// unbracketed returns fields in brackets as logfmt: ["became leader"] [term=8] is msg="became leader" term=8.
func unbracketed(line string) string {
	var b strings.Builder
	for _, at := range bracket().FindAllStringSubmatch(line, -1) {
		key, value := cmp.Or(at[1], "msg"), at[2]
		if !strings.HasPrefix(value, `"`) && strings.ContainsAny(value, ` "=`) {
			value = strconv.Quote(value)
		}
		b.WriteString(key + "=" + value + " ")
	}
	return strings.TrimSuffix(b.String(), " ")
}

// openObject does the same for an envelope in JSON.
func (l *layer) openObject(out *Line) bool {
	object := []byte(out.Text)
	if !tracefmt.IsObject(object) {
		return false
	}
	path := cmp.Or(l.object.line, l.line)
	line, ok := at(object, path)
	if path == "" || !ok || line == "" {
		return false
	}
	for _, key := range l.object.needs {
		if !slices.ContainsFunc(strings.Split(key, "|"), func(key string) bool { _, ok := at(object, key); return ok }) {
			return false
		}
	}
	// A log of JSON lines may have the keys of an envelope by chance; further keys show that it is none.
	if !l.object.surplus {
		for key := range tracefmt.Fields(object) {
			name := string(key)
			if name != l.object.line && !slices.Contains(l.object.needs, name) && name != "attrs" {
				return false
			}
		}
	}
	out.Text = Uncoloured(strings.TrimRight(line, "\r\n"))
	if when, ok := first(object, l.object.time); ok {
		out.Time = when
	}
	paths := map[string][]string{"host": l.object.host, "unit": l.object.unit}[l.name]
	if l.host != "" && l.name == "host" {
		paths = []string{l.host}
	}
	if source, ok := first(object, paths); ok {
		out.Source = strings.TrimPrefix(source, "/")
	}
	return true
}

// at returns the field of an object at a path.
func at(object []byte, path string) (string, bool) {
	for key, value := range tracefmt.Fields(object) {
		if string(key) == path {
			return interop.TextOf(value), true
		}
		if inner, within := strings.CutPrefix(path, string(key)+"."); within && len(value) > 0 && value[0] == '{' {
			if text, ok := at(value, inner); ok {
				return text, true
			}
		}
	}
	return "", false
}

// first returns the first of several fields that is a text or number and not empty.
func first(object []byte, paths []string) (string, bool) {
	for _, path := range paths {
		if text, ok := at(object, path); ok && text != "" && text[0] != '{' {
			return text, true
		}
	}
	return "", false
}

// maxLayers is the greatest number of nested envelopes. maxHeadLines is how many lines are examined to recognise
// them.
const maxLayers, maxHeadLines = 4, 200

// Find finds the envelopes of files by their first lines. It returns nil if they have none.
func Find(heads ...[]byte) *Layers {
	ls := new(Layers)
	files := make([][]string, len(heads))
	for i, head := range heads {
		files[i] = headLines(head)
	}
	for len(ls.list) < maxLayers {
		next := slices.IndexFunc(envelopes, func(e envelope) bool {
			return !ls.has(&e) && !slices.ContainsFunc(files, func(lines []string) bool { return !e.fits(lines) })
		})
		if next < 0 {
			break
		}
		l := layer{envelope: &envelopes[next]}
		l.findLine(files)
		l.nameSource(files)
		ls.list = append(ls.list, l)
		files = l.inner(files)
	}
	if len(ls.list) == 0 && !slices.ContainsFunc(heads, func(head []byte) bool { return bytes.Contains(head, []byte("```")) }) {
		return nil
	}
	return ls
}

func (ls *Layers) has(e *envelope) bool {
	return slices.ContainsFunc(ls.list, func(l layer) bool { return l.envelope.name == e.name })
}

// headLines returns the first lines of a file that are not blank. The last one may be incomplete.
func headLines(head []byte) (lines []string) {
	if end := bytes.LastIndexByte(head, '\n'); end >= 0 {
		head = head[:end]
	}
	for line := range bytes.Lines(head) {
		if text := Uncoloured(PlainLine(line)); strings.TrimSpace(text) != "" && !fences().MatchString(text) {
			lines = append(lines, text)
		}
		if len(lines) == maxHeadLines {
			break
		}
	}
	return lines
}

// fits reports whether nearly all lines have this envelope. Some lines may come from the collector itself.
func (e *envelope) fits(lines []string) bool {
	count, last := 0, make(map[string]string)
	l := layer{envelope: e, name: "source"}
	if e.heading {
		return len(lines) > 1 && e.pattern().MatchString(lines[0])
	}
	l.findLine([][]string{lines})
	for _, line := range lines {
		out := Line{Text: line}
		if !l.open(&out) {
			continue
		}
		if e.lineHead != nil && !e.lineHead().MatchString(out.Text) {
			continue
		}
		if e.numbered {
			re := e.pattern()
			number := re.FindStringSubmatch(line)[re.SubexpIndex("number")]
			// Line numbers ascend. Numbers of different length are compared without parsing, since they may exceed 64 bits.
			former := last[out.Source]
			if len(number) < len(former) || len(number) == len(former) && number <= former {
				return false
			}
			last[out.Source] = number
		}
		count++
	}
	if e.name == "indented" {
		return len(lines) > 0 && count == len(lines)
	}
	return count > 0 && 5*count >= 4*len(lines) && (!e.numbered || count > 2)
}

// findLine finds the field of JSON objects in which most texts begin with a time, and the field with the source, unless the
// envelope fixes them. Objects that do not name their source are no envelope.
func (l *layer) findLine(files [][]string) {
	if l.object == nil || l.object.line != "" {
		return
	}
	// Other fields may have a time, such as that of the collector, but no words after it.
	counts, have, total := make(map[string]int), make(map[string]int), 0
	for _, lines := range files {
		for _, line := range lines {
			total++
			for path, value := range texts([]byte(line), "", maxLayers) {
				have[path]++
				if ownHead().MatchString(value) {
					counts[path]++
				}
			}
		}
	}
	line := ""
	for _, path := range slices.Sorted(maps.Keys(counts)) {
		if 5*counts[path] >= 4*total && counts[path] > counts[line] {
			line = path
		}
	}
	for _, key := range sourceKeys {
		for _, path := range slices.Sorted(maps.Keys(have)) {
			if 5*have[path] >= 4*total && line != "" && (path == key || strings.HasSuffix(path, "."+key)) {
				l.line, l.host = line, path
				return
			}
		}
	}
}

// texts yields the texts in an object, by path.
func texts(object []byte, within string, depth int) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if depth == 0 || !tracefmt.IsObject(object) {
			return
		}
		for key, value := range tracefmt.Fields(object) {
			switch path := within + string(key); {
			case len(value) > 0 && value[0] == '{':
				for inner, text := range texts(value, path+".", depth-1) {
					if !yield(inner, text) {
						return
					}
				}
			case len(value) > 0 && value[0] == '"' && !yield(path, interop.TextOf(value)):
				return
			}
		}
	}
}

// nameSource finds the field that distinguishes the sources of lines. A field with only one value does not, unless no other
// distinguishes the lines of the only file.
func (l *layer) nameSource(files [][]string) {
	single := "" // a field with one value
	for _, name := range []string{"source", "host", "unit", "pid"} {
		l.name = name
		values, turns := l.sources(files)
		// Processes of one name write in turn. A process that starts anew has another number, too.
		if len(values) > 1 && (name != "pid" || turns > len(values)) {
			l.nameService(values, files)
			return
		}
		if len(values) == 1 && len(files) == 1 && single == "" && name != "pid" {
			single = name
		}
	}
	l.name = single
	if values, _ := l.sources(files); l.name != "" {
		l.nameService(values, files)
	}
}

// sources returns the sources of the lines, and how often the next line has another source.
func (l *layer) sources(files [][]string) (values map[string]bool, turns int) {
	values = make(map[string]bool)
	paths := make(map[string]string)
	for _, lines := range files {
		last := ""
		for _, line := range lines {
			out := Line{Text: line}
			if !l.open(&out) || out.Source == "" {
				continue
			}
			if out.Source != last {
				turns++
			}
			if l.heading && cmp.Or(paths[out.Source], line) != line {
				l.name = wholePath
			}
			values[out.Source], paths[out.Source], last = true, line, out.Source
		}
	}
	return values, turns
}

// nameService removes the number from the name of the first container of each service, unless lines call it by the
// name with the number.
func (l *layer) nameService(values map[string]bool, files [][]string) {
	const process = "-1"
	if l.envelope.name != "compose" {
		return
	}
	for value := range values {
		if !strings.HasSuffix(value, process) {
			return
		}
	}
	for _, lines := range files {
		for _, line := range lines {
			out := Line{Text: line}
			if l.open(&out); slices.ContainsFunc(strings.Fields(out.Text), func(word string) bool {
				return values[strings.Trim(word, `"',:;()[]{}`)]
			}) {
				return
			}
			for value := range values {
				if strings.Contains(out.Text, value) {
					return
				}
			}
		}
	}
	l.suffix = process
}

// Prepare finds the fields that name the sources, for envelopes that a mapping lists.
func (ls *Layers) Prepare(heads [][]byte) {
	if ls == nil {
		return
	}
	files := make([][]string, len(heads))
	for i, head := range heads {
		files[i] = headLines(head)
	}
	for n := range ls.list {
		if ls.list[n].name == "" {
			ls.list[n].findLine(files)
			ls.list[n].nameSource(files)
		}
		files = ls.list[n].inner(files)
	}
}

// inner returns the lines inside the envelope.
func (l *layer) inner(files [][]string) [][]string {
	heads := make([][]string, len(files))
	for i, lines := range files {
		for _, line := range lines {
			out := Line{Text: line}
			l.open(&out)
			heads[i] = append(heads[i], out.Text)
		}
	}
	return heads
}

// Names returns the names of all known envelopes.
func Names() (names []string) {
	for i := range envelopes {
		names = append(names, envelopes[i].name)
	}
	return names
}

// Head returns the beginning of a file without its envelopes.
func (ls *Layers) Head(head []byte) []byte {
	var b bytes.Buffer
	peel := ls.Peeler()
	for line := range bytes.Lines(head) {
		if out := peel(PlainLine(line)); !out.Fence {
			b.WriteString(out.Text)
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// Collects reports whether the envelopes name the sources of lines. Then the file merges the lines of several
// programs.
func (ls *Layers) Collects() bool {
	return ls != nil && slices.ContainsFunc(ls.list, func(l layer) bool { return l.name != "" })
}

// Names returns the names of the envelopes, from the outermost.
func (ls *Layers) Names() (layers []string) {
	if ls != nil {
		for _, l := range ls.list {
			layers = append(layers, l.envelope.name)
		}
	}
	return layers
}

// PlainLine returns a line as an import reads it: without the end of line and byte order mark, in UTF-8.
func PlainLine(line []byte) string {
	line = bytes.TrimPrefix(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), []byte("\uFEFF"))
	return string(bytes.ToValidUTF8(line, []byte("\uFFFD")))
}

// Named returns the envelopes with these names, from the outermost. [Layers.Prepare] finds which of their fields name
// the sources.
func Named(names []string) (*Layers, error) {
	ls := new(Layers)
	for _, name := range names {
		i := slices.Index(Names(), name)
		if i < 0 {
			return nil, text.Unknown("envelope", name, Names())
		}
		ls.list = append(ls.list, layer{envelope: &envelopes[i]})
	}
	return ls, nil
}

// Sources returns the names of the fields that name the sources of lines, each with the suffix that the sources lose.
func (ls *Layers) Sources() []string {
	sources := []string{}
	if ls != nil {
		for _, l := range ls.list {
			sources = append(sources, l.name+l.suffix)
		}
	}
	return sources
}

// Remark returns a remark on the envelopes for the end of a sentence, or "".
func (ls *Layers) Remark() string {
	if names := ls.Names(); len(names) > 0 {
		return ", out of the envelope " + text.And(names)
	}
	return ""
}
