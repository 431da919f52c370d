package lint

import (
	"errors"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/analyze/property/network"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Severity is the severity of a finding.
type Severity string

// The severities, in descending order.
const (
	// Error: the record contradicts itself, or its declaration.
	Error Severity = "error"
	// Warning: the record may be right, but conclusions from it may be wrong.
	Warning Severity = "warning"
	// Note: something is or may be missing, and the run does not declare otherwise.
	Note Severity = "note"
)

// Severities returns the severities in descending order.
func Severities() []Severity { return []Severity{Error, Warning, Note} }

// Rule is a rule for good recordings.
type Rule struct {
	Name string
	// Doc describes the rule, and why it may be broken.
	Doc string
	// Severity is that of a finding without excuses.
	Severity Severity
	// Expected describes what would be right, if the findings do not do so themselves.
	Expected string
	// Property is the mechanism: its violations are the findings. Where its facts ViolatedBy and ExcusedBy
	// may be missing, the violation may be explained by the missing facts.
	Property *analyze.Property
	// Promised is set if a run keeps the rule only by the traits that Property presumes; without these, findings are
	// notes.
	Promised bool
}

// Check implements [text.Checked].
func (r *Rule) Check() error {
	switch {
	case r.Property == nil || r.Property.New == nil:
		return errors.New("expected a Property with a function New")
	case !slices.Contains(Severities(), r.Severity):
		return text.Unknown("severity", string(r.Severity), severityWords())
	}
	return nil
}

// severityWords returns the severities as strings.
func severityWords() (words []string) {
	for _, s := range Severities() {
		words = append(words, string(s))
	}
	return words
}

// severity returns the severity of findings without excuses in a run.
func (r *Rule) severity(run *tracefmt.Run) Severity {
	if slices.ContainsFunc(r.Promises(), func(trait string) bool { return !run.States(trait) }) {
		return Note
	}
	return r.Severity
}

// Promises returns the traits without which the findings of the rule are notes.
func (r *Rule) Promises() []string {
	if !r.Promised {
		return nil
	}
	return r.Property.Presumed
}

// Key returns the name under which a registry finds the rule.
func (r *Rule) Key() string { return r.Name }

// AsProperty returns the rule as a property of its name, for reports that list both.
func (r *Rule) AsProperty() *analyze.Property {
	p := *r.Property
	p.Name, p.Doc = r.Name, r.Doc
	if p.Source == "" {
		p.Source = "what a recording is, docs/format.md"
	}
	return &p
}

// Registry is a list of rules by name.
type Registry = text.Registry[*Rule]

// Rules returns the registry of the rules.
func Rules() Registry { return rules }

var rules = text.LateRegistry("lint rule", func() []*Rule {
	return []*Rule{
		// The form of events, and their order.
		rule("event-form", Error,
			"an event with the fields of its kind (etrace explain KIND), whose process and message fit together",
			flawMonitor(tracefmt.FlawOfFields, tracefmt.FlawOfMessage),
			`Each event has exactly the fields of its kind, and a loss names the lost message.`),
		rule("event-order", Error, "", flawMonitor(tracefmt.FlawOfOrder),
			`The events of a run are numbered 1, 2, 3, .... A missing number means that an event is missing in the record.`),
		rule("effect-before-cause", Error, "a cause that is an earlier event", newCauses,
			`The cause of an event is an earlier event, so causes form no cycle.`),
		// Messages.
		integrityRule("sent-twice", Error, "a message id of its own for each send"),
		integrityRule("receive-without-send", Error, "an earlier send of the message, or a header that declares sends incomplete"),
		integrityRule("altered-message", Error, "sender, receiver, type and payload equal to those of the send"),
		rule("send-without-receive", Error, "a receive or a loss of the message", newUndelivered,
			`If the run claims to be quiescent, each message is received or lost. In a stopped run a message may be in `+
				`flight. If its receive or loss may be unrecorded, the finding is a note.`),
		promisedRow("no-duplication", "at most one receive of each message"),
		rule("answer-to-nothing", Warning, "an earlier message with that number", newAnswers,
			`An answer (in_reply_to) has the number (msg_id) of a message that its receiver sent before. Otherwise the log is a sample, `+
				`or a part of it is missing.`),
		rule("skipped-numbers", Note, "", newNumbers,
			`If a process numbers its messages in ascending order (msg_id), no number is missing. Otherwise the log may be a sample, `+
				`or it omits some messages on purpose.`),
		// Logical clocks.
		propertyRule("lamport-clocks", Error, ""),
		propertyRule("vector-clocks", Error, ""),
		rule("own-sequence", Error, "", newOwnSequence,
			`In the vector clocks that a log carried, the own entries of each process are 1, 2, 3, .... A missing number `+
				`means that an event is missing in the log.`),
		rule("known-events", Error, "", newKnownEvents,
			`In the vector clocks that a log carried, no entry is greater than the own entry of the last event of its `+
				`process, because no event knows of events that did not happen. Each entry names a process of the run.`),
		// Processes and their lives.
		propertyRule("no-step-when-crashed", Error, "a recover or start before the step, or no step"),
		propertyRule("crash-recovery-alternate", Error, "crashes and recoveries in turn"),
		propertyRule("timers-well-behaved", Error, "a timer that is armed and due"),
		rule("unknown-host", Warning, "a process of the run", newUnknownHost,
			`Each process that others name has events of its own, and each elected process is a process of the run. Otherwise a `+
				`log is missing, or one process has two names.`),
		// Time of day.
		propertyRule("process-time-monotone", Warning, "a time that is not before that of the previous event"),
		rule("clock-skew", Warning, "a receive that is not before its send", newSkew,
			`By the clocks of the two processes, no message arrives before it is sent. For each pair with such a message, the `+
				`finding has the least difference of the two clocks, and the greatest if messages go in both directions.`),
		// The declarations of the run.
		rule("declared-none", Error, "a declaration that fits the events", newRefuted,
			`If the header declares none for a kind of event or a variable, the run has no such event or variable.`),
		rule("false-end", Error, "an end that agrees with the events", newFalseEnd,
			`If a run claims to be quiescent, nothing more can happen. If it claims to be in a loop, the two states are equal.`),
		rule("equal-best", Warning, "values that differ, or id as the last key of best", newEqualBest,
			`If attributes of the members define the best process, and the id does not, then no two processes have the same `+
				`values: an election could rightly elect either. If variables define the best process, no two live processes have `+
				`the same values when a process is elected.`),
		rule("gap", Note, "all events of the process", newGaps,
			`All events of each process are recorded. Each gap that the header declares is a note.`),
		rule("inferred", Note, "an event that the system has logged", newInferred,
			`The system logged each event. Each inferred event is a note, such as a crash that was inferred from a restart.`),
	}
})

// rule makes a row with a monitor of its own.
func rule(
	name string, severity Severity, expected string, create func(*tracefmt.Run) analyze.Monitor, doc string,
) *Rule {
	return &Rule{
		Name: name, Doc: doc, Severity: severity, Expected: expected,
		Property: &analyze.Property{Name: name, Kind: analyze.Safety, Doc: doc, New: create},
	}
}

// propertyRule makes a row for a property that check examines, too.
func propertyRule(name string, severity Severity, expected string) *Rule {
	return propertyRow(property.Builtin().All(), name, severity, expected)
}

// promisedRow makes a row for a property that only some runs promise.
func promisedRow(name, expected string) *Rule {
	r := propertyRule(name, Error, expected)
	r.Promised = true
	return r
}

// integrityRule makes a row for a part of the property message-integrity.
func integrityRule(name string, severity Severity, expected string) *Rule {
	return propertyRow(network.IntegrityParts(), name, severity, expected)
}

// propertyRow makes a row for the property of that name in a list.
func propertyRow(properties []*analyze.Property, name string, severity Severity, expected string) *Rule {
	p := properties[slices.IndexFunc(properties, func(p *analyze.Property) bool { return p.Name == name })]
	return &Rule{Name: name, Doc: p.Doc, Severity: severity, Expected: expected, Property: p}
}
