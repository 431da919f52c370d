package main

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"etrace/record/scenario"
	"etrace/tracefmt/text"
)

// addTools adds all tools.
func (s *server) addTools() {
	tool := func(name, description string, reads bool) *mcp.Tool {
		return &mcp.Tool{Name: name, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads}}
	}
	addTool[recordArgs](s, tool("record", "Run an algorithm in simulated time and append the run to a trace. Without arguments: the bully election, processes 0 to 7, 7 is down.", false))
	addTool[importArgs](s, tool("import", "Read logs of a distributed system and append them, as a run, to a trace.", false))
	addTool[checkArgs](s, tool("check", "Decide the properties of recorded runs: a verdict for each, with the seqs of the events that show a violation.", true))
	addTool[statsArgs](s, tool("stats", "Count the messages of a run by type and fate; causal depth, leader, end.", true))
	addTool[queryArgs](s, tool("query", "Ask a trace in SQL, read-only; the answer is CSV. Views: runs(run, name, algorithm, problem, processes, end, events, ...), "+
		"members(run, process, name, position), events(run, seq, time, process, kind, type, peer, message, cause, lamport, term, payload), "+
		"messages(run, message, type, sender, receiver, sent_seq, received_seq, sent_at, received_at, fate). Times are nanoseconds; a simulated unit is 1e9.", true))
	addTool[replayArgs](s, tool("replay", "Show a run: the state of processes and channels at an event, events in words, the causal past of an event, "+
		"or the changes of a variable. At most one of at, steps, find, watch, past; none is the state at the end.", true))
	addTool[renderArgs](s, tool("render", "Draw a run as SVG into a file; returns its path and what the picture shows.", false))
	addTool[explainArgs](s, tool("explain", "Explain an algorithm, property, scenario key, event kind, format or verdict by its name, or list the names of a kind.", true))
}

// cursor is an argument of all tools.
type cursor struct {
	Cursor string `json:"cursor,omitempty" jsonschema:"continues the answer that ended with this cursor; the other arguments are the same"`
}

// page implements [arguments].
func (c cursor) page() string { return c.Cursor }

// traceArg is the argument of a tool that reads a trace.
type traceArg struct {
	Trace string `json:"trace,omitempty" jsonschema:"the trace or log to read, default trace.db"`
}

// defaultTrace is the trace of calls that name no trace.
const defaultTrace = "trace.db"

// path returns the path of the trace. It fails if the trace may not be read.
func (t traceArg) path(f folder) (string, error) {
	path := cmp.Or(t.Trace, defaultTrace)
	return path, f.checkReadable(path)
}

// runArg is the argument that selects a run of the trace.
type runArg struct {
	Run int `json:"run,omitempty" jsonschema:"the number of the run, default the last"`
}

// line is a command line of etrace under construction.
type line []string

// flag adds a flag to the line, unless its value is the zero value.
func flag[T comparable](l *line, name string, value T) {
	var zero T
	if value != zero {
		*l = append(*l, fmt.Sprintf("--%s=%v", name, value))
	}
}

// with returns the line with arguments after --, so that none of them is taken for a flag.
func (l line) with(args ...string) []string { return append(append(l, "--"), args...) }

// recordArgs are the arguments of the tool record.
type recordArgs struct {
	Algorithm string         `json:"algorithm,omitempty" jsonschema:"the algorithm; explain with list algorithms has the names"`
	Scenario  map[string]any `json:"scenario,omitempty" jsonschema:"keys of a scenario with their values, such as {\"nodes\":5,\"start\":\"1\",\"crash\":\"5@2\",\"seed\":7}; explain scenario has them all"`
	Output    string         `json:"output,omitempty" jsonschema:"the trace to append to, default trace.db"`
	cursor
}

// command implements [arguments].
func (a recordArgs) command(f folder) ([]string, error) {
	output := cmp.Or(a.Output, defaultTrace)
	if err := f.checkWritable(output); err != nil {
		return nil, err
	}
	l := line{"record"}
	flag(&l, "output", output)
	for _, name := range slices.Sorted(maps.Keys(a.Scenario)) {
		values, several := a.Scenario[name].([]any)
		if !several {
			values = []any{a.Scenario[name]}
		}
		for _, value := range values {
			text, err := scenarioFlag(name, value)
			if err != nil {
				return nil, err
			}
			l = append(l, text)
		}
	}
	if a.Algorithm == "" {
		return l, nil
	}
	return l.with(a.Algorithm), nil
}

// scenarioFlag returns a key of a scenario as a flag. It refuses any other flag, because some flags name files and programs.
func scenarioFlag(name string, value any) (string, error) {
	known := []string{}
	for _, key := range scenario.Keys {
		known = append(known, key.Name)
	}
	if name == "algorithm" || !slices.Contains(known, name) {
		return "", fmt.Errorf("scenario: %w", text.Unknown("key", name, known))
	}
	switch v := value.(type) {
	case string:
		return "--" + name + "=" + v, nil
	case float64:
		return "--" + name + "=" + strconv.FormatFloat(v, 'f', -1, 64), nil
	case bool:
		return "--" + name + "=" + map[bool]string{true: "on", false: "off"}[v], nil
	}
	return "", fmt.Errorf("scenario: %s: expected a text, a number, true or false, or a list of these", name)
}

// importArgs are the arguments of the tool import.
type importArgs struct {
	Files  []string `json:"files" jsonschema:"the logs of one execution, such as one of each process"`
	Output string   `json:"output,omitempty" jsonschema:"the trace to append to, default trace.db"`
	From   string   `json:"from,omitempty" jsonschema:"the format, default: recognised"`
	Map    string   `json:"map,omitempty" jsonschema:"the mapping of text logs, a file or a name of explain with list maps; default: guessed"`
	cursor
}

// command implements [arguments].
func (a importArgs) command(f folder) ([]string, error) {
	output := cmp.Or(a.Output, defaultTrace)
	if err := f.checkWritable(output); err != nil {
		return nil, err
	}
	if len(a.Files) == 0 {
		return nil, errors.New("files: expected a log")
	}
	for _, path := range a.Files {
		if err := f.checkReadable(path); err != nil {
			return nil, err
		}
	}
	l := line{"import"}
	flag(&l, "output", output)
	flag(&l, "from", a.From)
	if a.Map != "" {
		if err := f.checkName(a.Map); err != nil {
			return nil, err
		}
		flag(&l, "map", a.Map)
	}
	return l.with(a.Files...), nil
}

// checkArgs are the arguments of the tool check.
type checkArgs struct {
	Traces  []string `json:"traces,omitempty" jsonschema:"traces, or the logs of one execution, default trace.db"`
	Run     int      `json:"run,omitempty" jsonschema:"the number of a run, default all"`
	Only    []string `json:"only,omitempty" jsonschema:"names of the properties to examine; default: all that apply"`
	Rules   []string `json:"rules,omitempty" jsonschema:"further rules, such as: never send where not live(process)"`
	Explain bool     `json:"explain,omitempty" jsonschema:"also the fewest events that show each violation, and what to log to decide what is unknown"`
	Brief   bool     `json:"brief,omitempty" jsonschema:"only what is violated or open"`
	cursor
}

// command implements [arguments].
func (a checkArgs) command(f folder) ([]string, error) {
	traces := a.Traces
	if len(traces) == 0 {
		traces = []string{defaultTrace}
	}
	for _, path := range traces {
		if err := f.checkReadable(path); err != nil {
			return nil, err
		}
	}
	l := line{"check"}
	flag(&l, "run", a.Run)
	for _, name := range a.Only {
		flag(&l, "only", name)
	}
	for _, rule := range a.Rules {
		flag(&l, "rule", rule)
	}
	flag(&l, "explain", a.Explain)
	flag(&l, "quiet", a.Brief)
	return l.with(traces...), nil
}

// statsArgs are the arguments of the tool stats.
type statsArgs struct {
	traceArg
	runArg
	cursor
}

// command implements [arguments].
func (a statsArgs) command(f folder) ([]string, error) {
	path, err := a.path(f)
	l := line{"stats"}
	flag(&l, "run", a.Run)
	return l.with(path), err
}

// queryArgs are the arguments of the tool query.
type queryArgs struct {
	SQL string `json:"sql" jsonschema:"a SELECT statement"`
	traceArg
	cursor
}

// command implements [arguments].
func (a queryArgs) command(f folder) ([]string, error) {
	path, err := a.path(f)
	return line{"query", "--format=csv"}.with(a.SQL, path), err
}

// replayArgs are the arguments of the tool replay.
type replayArgs struct {
	traceArg
	runArg
	At    string `json:"at,omitempty" jsonschema:"the state there: a seq, t=TIME, end, or a pattern such as crash@3"`
	Steps string `json:"steps,omitempty" jsonschema:"the events from one seq to another in words, such as 10..20"`
	Find  string `json:"find,omitempty" jsonschema:"the events that match a pattern: KIND TYPE@PROCESS, such as send ELECTION@4"`
	Watch string `json:"watch,omitempty" jsonschema:"the changes of a variable: VARIABLE or VARIABLE@PROCESS"`
	Past  string `json:"past,omitempty" jsonschema:"the events that happened before this one: a seq or a pattern"`
	cursor
}

// command implements [arguments]. It fails if the call selects more than one kind of output.
func (a replayArgs) command(f folder) ([]string, error) {
	path, err := a.path(f)
	modes := slices.DeleteFunc([]string{a.At, a.Steps, a.Find, a.Watch, a.Past}, func(value string) bool { return value == "" })
	if err == nil && len(modes) > 1 {
		err = errors.New("replay: expected at most one of at, steps, find, watch, past")
	}
	l := line{"replay"}
	flag(&l, "run", a.Run)
	flag(&l, "at", a.At)
	flag(&l, "steps", a.Steps)
	flag(&l, "find", a.Find)
	flag(&l, "watch", a.Watch)
	flag(&l, "past", a.Past)
	return l.with(path), err
}

// renderArgs are the arguments of the tool render.
type renderArgs struct {
	traceArg
	runArg
	Diagram string `json:"diagram,omitempty" jsonschema:"sequence (default), ring, graph or another of explain with list diagrams"`
	From    int    `json:"from,omitempty" jsonschema:"draw from the event with this seq"`
	To      int    `json:"to,omitempty" jsonschema:"draw up to the event with this seq"`
	Witness string `json:"witness,omitempty" jsonschema:"show why this property is violated; any: the first that is"`
	Output  string `json:"output,omitempty" jsonschema:"the SVG file to write, default: beside the trace"`
	cursor
}

// file returns the path of the picture.
func (a renderArgs) file() string {
	trace := cmp.Or(a.Trace, defaultTrace)
	return cmp.Or(a.Output, strings.TrimSuffix(trace, filepath.Ext(trace))+"."+cmp.Or(a.Diagram, "sequence")+".svg")
}

// command implements [arguments]. The picture must be an SVG file in the folder.
func (a renderArgs) command(f folder) ([]string, error) {
	path, err := a.path(f)
	if err == nil {
		err = f.checkWritable(a.file())
	}
	if err == nil && filepath.Ext(a.file()) != ".svg" {
		err = fmt.Errorf("%s: expected a name that ends in .svg", a.file())
	}
	l := line{"render"}
	flag(&l, "run", a.Run)
	flag(&l, "diagram", a.Diagram)
	flag(&l, "from", a.From)
	flag(&l, "to", a.To)
	flag(&l, "witness", a.Witness)
	flag(&l, "output", a.file())
	return l.with(path), err
}

// describe returns the title and the description of the picture, which the SVG has for screen readers.
func (a renderArgs) describe(f folder) (string, error) {
	file, err := f.Open(a.file())
	if err != nil {
		return "", pathError(a.file(), err)
	}
	defer file.Close()
	var b strings.Builder
	for d := xml.NewDecoder(file); ; {
		token, err := d.Token()
		if err != nil {
			return "", fmt.Errorf("%s: no description: %w", a.file(), err)
		}
		element, ok := token.(xml.StartElement)
		if !ok || element.Name.Local != "title" && element.Name.Local != "desc" {
			continue
		}
		var text string
		if err := d.DecodeElement(&text, &element); err != nil {
			return "", fmt.Errorf("%s: no description: %w", a.file(), err)
		}
		fmt.Fprintln(&b, text)
		if element.Name.Local == "desc" {
			return b.String(), nil
		}
	}
}

// explainArgs are the arguments of the tool explain.
type explainArgs struct {
	Name string `json:"name,omitempty" jsonschema:"what to explain, such as bully, election-safety, scenario, crash"`
	List string `json:"list,omitempty" jsonschema:"a kind whose names to list: algorithms, properties, diagrams, maps, ..."`
	cursor
}

// command implements [arguments]. It chooses between the commands explain and list.
func (a explainArgs) command(folder) ([]string, error) {
	switch {
	case a.Name != "" && a.List != "":
		return nil, errors.New("explain: expected a name or a list, not both")
	case a.List != "":
		return line{"list"}.with(a.List), nil
	case a.Name != "":
		return line{"explain"}.with(a.Name), nil
	}
	return line{"list"}, nil // its error names the kinds
}
