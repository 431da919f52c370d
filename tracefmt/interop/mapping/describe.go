package mapping

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// describe lists all keys of a mapping, from the tables that the parser uses.
func describe() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "A mapping is a YAML file with these keys:")
	list(w, mapKeys)
	fmt.Fprintln(w, "Values of lines:")
	for _, f := range forms {
		fmt.Fprintf(w, "  %s\t%s\n", f.name, f.doc)
	}
	fmt.Fprintln(w, "Keys of time:")
	list(w, timeKeys)
	fmt.Fprintln(w, "Keys of sequence:")
	list(w, sequenceKeys)
	fmt.Fprintln(w, "Keys of run:")
	list(w, runKeys)
	fmt.Fprintln(w, "A rule has the kinds of its events, such as send: TYPE or state: {role: leader}, and these keys:")
	list(w, ruleKeys)
	_ = w.Flush() // a strings.Builder takes everything
	b.WriteString(`In a value, ${FIELD} becomes the field of the line, ${FIELD:hex} its number in base 16, and ${FIELD:+1} its number
plus one (also ${FIELD:-1}, ${FIELD:hex:+1}). $$ becomes a dollar. If the field is no number, it counts as
missing. Of a list of values, the first without a missing field is used. {NAME: VALUE} in a value is an object. The name
of a field may contain ${FIELD}, as in log[${index}].
Each line has the fields text, line, file and process. An event omits each field that is missing in the line. A whole
number becomes a number. A line becomes no state event if all its variables have these values already.
In YAML, put a value with ${ in quotes: send: '${type}'.

An example for lines such as "10:00:01.250 [n1] sent VOTE 7 to n2" and "10:00:01.300 [n2] leader of term 3":
` + example + `
etrace import LOG... --suggest prints a first mapping; docs/mappings.md leads through five.
`)
	return b.String()
}

// example is a mapping for the explanation; a test reads it.
const example = `  match: '^(?<time>\S+) \[(?<node>\w+)\] (?<msg>.*)$'
  process: '${node}'
  time: {from: '${time}', layout: '15:04:05'}
  run: {problem: election, complete: 'none,send=all,receive=all,state.role=all,state.term=all'}
  events:
    - {when: {msg: '/^sent (?<type>\w+) (?<id>\d+) to (?<to>\w+)/'}, send: '${type}', to: '${to}', message: '${node}/${id}'}
    - {when: {msg: '/^got (?<type>\w+) (?<id>\d+) from (?<from>\w+)/'}, receive: '${type}', from: '${from}', message: '${from}/${id}'}
    - {when: {msg: '/^leader of term (?<term>\d+)/'}, state: {role: leader, term: '${term}'}}
  ignore:
    - {msg: /^heartbeat/}
`

func list[T any](w *tabwriter.Writer, keys []key[T]) {
	for _, k := range keys {
		fmt.Fprintf(w, "  %s\t%s\n", k.name, k.doc)
	}
}
