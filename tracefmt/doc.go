// Package tracefmt is the ground floor of etrace: what an event is, what a
// run is, and the text form in which both are kept in files that people read
// and compare. It imports the standard library and tracefmt/text only, so that a program which
// records itself pays nothing for it.
//
// # The text twin
//
// The database (package tracedb) has a twin in JSON Lines, one JSON object a
// line, UTF-8, lossless: what was exported, imported and exported again is
// the same bytes. A file holds one run after another. A run is a header, its
// events, and a trailer:
//
//	{"format":"etrace/1","algorithm":"bully","problem":"election","time_unit":"delay","members":[{"name":"1","position":1},{"name":"2","position":2}]}
//	{"seq":1,"time":0,"process":"1","kind":"start","lamport":1}
//	{"seq":2,"time":0,"process":"1","kind":"send","type":"ELECTION","peer":"2","message":1,"lamport":2}
//	{"seq":3,"time":1000000000,"process":"2","kind":"receive","type":"ELECTION","peer":"1","message":1,"cause":2,"lamport":3}
//	{"end":"stopped","events":3}
//
// The header's keys are format, name, algorithm, problem, source, scenario,
// seed, time_unit (delay, ns or logical), started_at, tool, members, traits and
// bounds; only format, time_unit and members must be there. A member has a
// name, its position in the ring order and, if need be, attributes. traits is a
// list of words, see [Traits]; basic and token are lists of types of messages, see [Run]; bounds is a
// list of objects, see [Bound].
//
// An event's keys are those of the type [Event], in the order shown, with
// term and payload last; a field that is zero or empty is left out. Times are
// integer nanoseconds. Processes go by name. A payload is a JSON object
// without white space between its parts; etrace keeps its bytes as they are.
//
// A receive or lose event may leave out its cause, too: that is the only event
// before it that sends the message, and none where there is no such event, or
// several. An event without a cause, though its message may have a send, has the cause
// null, so that writing and reading preserve the event.
//
// The trailer has the end of the run and its number of events. A file that
// was cut, or is still being written, lacks the trailer: its run is open.
//
// Readers refuse what they do not understand, naming the line: an unknown
// key, a key given twice, an unknown kind, a process that is no member, bytes
// that are not UTF-8. They forgive a byte order mark, blank lines, other line
// ends, and white space within a line. Whether a run is also well-formed is
// asked of a [Validator].
package tracefmt
