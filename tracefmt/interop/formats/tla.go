package formats

import (
	"bufio"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// moduleOption is the option to write the module instead of the lines.
const moduleOption = "module"

// tla writes lines for TLC, which validates a trace of an implementation against a specification.
var tla = interop.Format{
	Name: "tla",
	Doc: "JSON lines for trace validation by TLC, read by the module Json of the community modules: the events " +
		"without their times, and without the header",
	Describe: describeTLA,
	Source: "tlaplus/CommunityModules, Json.tla; Cirstea, Kuppe, Loillier, Merz: Validating Traces of Distributed " +
		"Programs Against TLA+ Specifications, 2024",
	Detect:     detectTLA,
	Write:      writeTLA,
	Keeps:      interop.OfEvents &^ interop.Times,
	Extensions: []string{"ndjson"},
	WriteOptions: []interop.Option{
		{Name: moduleOption, Doc: "write a skeleton of the module that reads the lines", Default: "false"},
	},
}

// recordOfTLA matches the beginning of a record as writeTLA writes it.
var recordOfTLA = regexp.MustCompile(`^\{"run":\d+,"seq":\d+,"event":"[^"]+","node":"`)

func detectTLA(head []byte) interop.Confidence { return interop.CertainIf(recordOfTLA.Match(head)) }

func describeTLA() string {
	return `A line is a record: run, seq, event, node, type, peer, message, cause, lamport, term, payload. Each record
has all fields; a missing value is "" or 0, so that a specification need not test for it. TLC has only integers of
32 bits: greater numbers, fractions and null are written as texts. Times and the header are left out.

--module writes Trace.tla instead: a module that reads the lines, with an action for each kind and type of event
in the runs. The user joins these actions with the actions of the specification.
`
}

// writeTLA writes a line for each event or, by the option, the module that reads the lines.
func writeTLA(w *interop.Writing, runs []tracefmt.Recording) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if w.On(moduleOption) {
		if err := writeModule(out, runs); err != nil {
			return err
		}
		return out.Flush()
	}
	var line []byte
	for i, rec := range runs {
		run, number := rec.Run(), int64(cmp.Or(rec.Run().Number, i+1))
		for e, err := range rec.Events(1) {
			if err != nil {
				return err
			}
			line = appendRecord(line[:0], run, number, e)
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// appendRecord appends an event as a record.
func appendRecord(b []byte, run *tracefmt.Run, number int64, e *tracefmt.Event) []byte {
	b = append(b, '{')
	for _, f := range [...]struct {
		key   string
		value int64
	}{{"run", number}, {"seq", int64(e.Seq)}} {
		b = append(appendInt32(appendKey(b, f.key), f.value), ',')
	}
	for _, f := range [...]struct{ key, value string }{
		{"event", e.Kind.String()}, {"node", run.ProcessName(e.Process)}, {"type", e.Type}, {"peer", run.ProcessName(e.Peer)},
	} {
		b = append(tracefmt.AppendString(appendKey(b, f.key), f.value), ',')
	}
	for _, f := range [...]struct {
		key   string
		value int64
	}{{"message", int64(e.Message)}, {"cause", int64(e.Cause)}, {"lamport", e.Lamport}, {"term", e.Term}} {
		b = append(appendInt32(appendKey(b, f.key), f.value), ',')
	}
	b = appendKey(b, "payload")
	if len(e.Payload) == 0 {
		b = append(b, "{}"...)
	} else {
		b = appendValue(b, e.Payload)
	}
	return append(b, '}', '\n')
}

func appendKey(b []byte, key string) []byte {
	return append(tracefmt.AppendString(b, key), ':')
}

// appendInt32 appends a number, as a text if it exceeds the 32 bits of TLC.
func appendInt32(b []byte, n int64) []byte {
	if int64(int32(n)) == n {
		return strconv.AppendInt(b, n, 10)
	}
	return append(strconv.AppendInt(append(b, '"'), n, 10), '"')
}

// appendValue appends a JSON value in the types of TLC: null, fractions and large numbers become texts.
func appendValue(b, value []byte) []byte {
	switch value[0] {
	case '{':
		b = append(b, '{')
		for key, item := range tracefmt.Fields(value) {
			b = append(appendValue(appendKey(b, string(key)), item), ',')
		}
		return endList(b, '}')
	case '[':
		b = append(b, '[')
		for item := range tracefmt.Items(value) {
			b = append(appendValue(b, item), ',')
		}
		return endList(b, ']')
	case '"', 't', 'f':
		return append(b, value...)
	}
	if n, err := strconv.ParseInt(string(value), 10, 32); err == nil {
		return strconv.AppendInt(b, n, 10)
	}
	return tracefmt.AppendString(b, string(value))
}

// endList ends a JSON list or object; the comma after the last item becomes the end.
func endList(b []byte, end byte) []byte {
	if last := len(b) - 1; b[last] == ',' {
		b[last] = end
		return b
	}
	return append(b, end)
}

// step is a kind and type of events, for which the module has an action.
type step struct{ kind, typ string }

// writeModule writes the module that reads the lines of the runs.
func writeModule(out *bufio.Writer, runs []tracefmt.Recording) error {
	var nodes []string
	seen := map[step]bool{}
	for _, rec := range runs {
		for _, m := range rec.Run().Members {
			if node := quoteTLA(m.Name); !slices.Contains(nodes, node) {
				nodes = append(nodes, node)
			}
		}
		for e, err := range rec.Events(1) {
			if err != nil {
				return err
			}
			seen[step{e.Kind.String(), e.Type}] = true
		}
	}
	var steps []step
	for s := range seen {
		steps = append(steps, s)
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.typ, b.typ)) })
	fmt.Fprintf(out, moduleHead, strings.Join(nodes, ", "))
	var names []string
	for _, s := range steps {
		name := s.action()
		for n := 2; slices.Contains(names, name); n++ {
			name = s.action() + "_" + strconv.Itoa(n)
		}
		names = append(names, name)
		fmt.Fprintf(out, "\n%s ==\n  /\\ Is(%s, %s)\n  /\\ TRUE \\* an action of the specification, with Record.node, "+
			"Record.peer, Record.payload\n", name, quoteTLA(s.kind), quoteTLA(s.typ))
	}
	fmt.Fprintf(out, moduleTail, strings.Join(append(names, "FALSE"), "\n  \\/ "))
	return nil
}

const moduleHead = `(* Written by etrace *)
---- MODULE Trace ----
\* A trace is accepted if the specification can take each of its steps. Complete what says TRUE,
\* extend the module of the specification, and add its variables to the stuttering of TraceSpec.
EXTENDS Naturals, Sequences, TLC, Json, IOUtils

Log == ndJsonDeserialize(IF "TRACE" \in DOMAIN IOEnv THEN IOEnv.TRACE ELSE "trace.ndjson")

Nodes == {%s}

VARIABLE line \* the next of the log

Record == Log[line]

Is(event, type) ==
  /\ line <= Len(Log)
  /\ Record.event = event
  /\ Record.type = type
  /\ line' = line + 1
`

const moduleTail = `
TraceInit == line = 1 \* /\ Init of the specification

TraceNext ==
  \/ %s

TraceSpec == TraceInit /\ [][TraceNext]_line

\* As POSTCONDITION: the whole log was read. Check without deadlocks.
TraceAccepted == TLCGet("stats").diameter - 1 = Len(Log)
====
`

// action returns the name of the action: letters, digits and _, and no reserved word of TLA+.
func (s step) action() string {
	name := "On_" + s.kind
	if s.typ != "" {
		name += "_" + s.typ
	}
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// quoteTLA returns a string literal of TLA+.
func quoteTLA(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		// TLC reads no other escapes, and some of these characters would end the line.
		case r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029:
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}
