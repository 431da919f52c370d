package mapping

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Describe lists all keys of a mapping. It uses the tables of the parser.
func Describe() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "A mapping is a YAML file with the keys")
	list(w, mapKeys)
	fmt.Fprintln(w, "lines are")
	for _, f := range forms {
		fmt.Fprintf(w, "  %s\t%s\n", f.name, f.doc)
	}
	fmt.Fprintln(w, "time has")
	list(w, timeKeys)
	fmt.Fprintln(w, "sequence has")
	list(w, sequenceKeys)
	fmt.Fprintln(w, "run has")
	list(w, runKeys)
	fmt.Fprintln(w, "A rule, an entry of events, has the kinds of its events, as send: TYPE, or state: {role: leader}, and")
	list(w, ruleKeys)
	_ = w.Flush() // a strings.Builder takes everything
	b.WriteString(`In a value ${FIELD} stands for what the line has there, ${FIELD:hex} for the number that it is in base
16, ${FIELD:+1} for one more than the number that it is (so ${FIELD:-1}, ${FIELD:hex:+1}), and $$ for a
dollar. What is no number is then lacking. A list of values stands for the first of which the line lacks no field, and
{NAME: VALUE} in a value is an object; the name of a field may have ${FIELD} in it, as in log[${index}].
A line always has the fields text, line, file and process. An event whose fields the line lacks has
none of these. Words that are whole numbers are numbers. A line whose variables all have their values
already is no event.
In YAML, put a value with ${ in quotes: send: '${type}'.

For example, of lines such as "10:00:01.250 [n1] sent VOTE 7 to n2" and "10:00:01.300 [n2] leader of term 3":
` + example + `
etrace import LOG... --suggest prints a first mapping; docs/mappings.md leads through five.
`)
	return b.String()
}

// example is the mapping in the explanation. A test reads it.
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
