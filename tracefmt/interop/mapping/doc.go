// Package mapping reads logs of any program by a mapping: a short YAML text which
// defines the events of the lines, so that a new kind of log needs no code.
//
//	lines: text
//	match: '^(?<time>\S+ \S+) (?<node>\w+) (?<msg>.*)$'
//	process: ${node}
//	time: {from: '${time}', layout: '2006-01-02 15:04:05,000'}
//	run: {problem: election, traits: [greatest-wins]}
//	events:
//	  - {when: {msg: '/^sends (?<type>\w+) #(?<id>\d+) to (?<to>\w+)/'}, send: '${type}', to: '${to}', message: '${node}/${id}'}
//	  - {when: {msg: '/^got (?<type>\w+) #(?<id>\d+) from (?<from>\w+)/'}, receive: '${type}', from: '${from}', message: '${from}/${id}'}
//	  - {when: {msg: '/^my coordinator is (?<leader>\w+)/'}, state: {elected: '${leader}'}}
//	ignore:
//	  - {msg: /^heartbeat/}
//
// Each line becomes a record of fields: by the named groups of a pattern, or by the
// keys of JSON, logfmt and CSV. The first rule whose conditions hold makes the events of the line. A condition that
// is a pattern adds its named groups to
// the fields; ${FIELD} in a value is the field of the record. Lines that no rule takes and no condition ignores are
// counted and shown.
//
// Before a line meets a rule it is cut up by code that is made of the mapping once:
// fields have numbers, patterns are tried only where a text that they need occurs.
package mapping
