package mapping

import (
	"regexp"

	"etrace/tracefmt"
	"etrace/tracefmt/interop/envelope"
)

// Map is a mapping. It defines how to read the lines of a log as events.
type Map struct {
	// Name is the name of the file without its extension. Doc describes the logs in one line.
	Name, Doc string
	// Others are other names of a ready mapping.
	Others []string
	// Text is the text of the mapping.
	Text string

	source  string           // the file as it was named, for errors
	signs   []*regexp.Regexp // patterns that the first lines of such a log match
	not     []*regexp.Regexp // patterns that the first lines of such a log do not match
	layers  *envelope.Layers // the envelopes of lines
	form    *form
	match   *pattern       // the pattern of lines of text
	begin   *regexp.Regexp // the pattern of the first line of a record
	split   *pattern       // the pattern of a line between two executions
	runs    *template      // makes the name of the run of a line
	cluster *template      // makes the name of the cluster of a process
	file    *pattern       // cuts the name of a file
	// matches a line about the lines after it
	heading *pattern
	cuts    []cutting
	process *template
	time    *clock
	clock   *template // the vector clock of a line
	// sequence is the number of a line.
	sequence     sequence
	aliases      []*template       // other names of the process of a line
	otherMembers []*template       // beside those with lines
	roles        map[string]string // by name of a process
	carry        []int             // slots of fields that hold until changed
	values       map[string]map[string]string
	run          tracefmt.Run // the header
	end          tracefmt.End
	rules        []rule
	ignore       [][]condition
	gaps         [][]condition

	slots *slots
	paths *path
	// mentions are the places in the mapping that name fields. completePlace is the place of run.complete.
	mentions      []mention
	completePlace string
	// ready is true for the mappings that etrace contains. They fit many logs, so a log may lack some of their
	// fields.
	ready bool
	// The fields that every record has: the line as it is, its number, the name of the file
	// and, once it is known, the process.
	textSlot, lineSlot, fileSlot, processSlot int
	arrivalSlot                               int // the time of the outermost envelope that has one

	parts    *parts       // which have read the lines; nil if the lines are to be read
	found    independence // what the parts have found in each line
	coloured int          // lines of the last file that had codes of colours

	failed  error    // the error of reading a table
	columns []string // the columns of a table
	// watch, unless it is nil, is called for each record with the index of its rule, or -1.
	watch func(record string, rule int)
}

// cutting defines how a field is cut further: by a pattern, or in the same way as lines.
type cutting struct {
	slot    int
	pattern *pattern
	cut     func(m *Map, text string, r *record) bool
}

// rule defines the events of a record.
type rule struct {
	place string // the place in the file of the mapping, for errors
	when  []condition
	// Attributes of all events of the rule; nil if absent.
	process, peer, term, role    *template
	message, content, key, ownID *template
	after                        []*template
	fields                       []assignment // the fields of the payload, for kinds without variables
	events                       []happening
}

// happening is one event of a rule.
type happening struct {
	kind   tracefmt.Kind
	typ    *template
	fields []assignment // variables
}

// assignment is a field of a payload or of an object in a payload.
type assignment struct {
	name  string
	key   *template // makes a name with fields in it, as log[${index}]; nil for a plain name
	value *template
}

// called returns the name of the field. It returns false if the record lacks a field that the name contains.
func (a *assignment) called(r *record) (string, bool) {
	if a.key == nil {
		return a.name, true
	}
	return a.key.text(r)
}

// Watch lets the next reading call a function for each record, with the index of the rule that takes it, or -1.
func (m *Map) Watch(f func(record string, rule int)) { m.watch = f }
