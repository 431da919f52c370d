package spec

// Construct is a part of the language, for documentation.
type Construct struct {
	Name string
	// Syntax shows the form; words in capitals stand for parts.
	Syntax string
	// Doc says what it means.
	Doc string
	// Quiescent, Stopped and Loop say what it means at the end of a run that
	// can go on no further, of one that was stopped, and of one that provably
	// repeats itself forever; "" for what is no rule.
	Quiescent, Stopped, Loop string
	// Example is a text of rules that uses it.
	Example string
}

const (
	safeQuiescent = "satisfied if it was never broken"
	safeStopped   = "holds-so-far if it was never broken"
	safeLoop      = "satisfied if the first round does not break it, since further rounds show the same; unknown if the rule refers to what does not recur, such as times"
)

var constructs = []Construct{
	{
		Name: "unique", Syntax: "unique X, ... [among different Y, ...] per K, ... over PATTERN",
		Doc: `All events of the pattern that have the same K have the same X. Each event
with another X than the first one of its K is a violation; the witness is both.
An event without X or K leaves the rule unknown. Without "per" there is one X in
the whole run. With "among different Y", only events of different Y are compared: that a process decides twice is
no matter of "unique value among different process". Memory: one entry for each K; with more than four million of
them, the rule is unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped, Loop: safeLoop,
		Example: `unique e.process per e.term over state where elected == process`,
	},
	{
		Name: "monotone", Syntax: "monotone X per K, ... over PATTERN",
		Doc: `Among the events of the pattern that have the same K, X never falls. Each
event with a lower X than the one before is a violation; the witness is both.
Memory and its bound are those of unique.`,
		Quiescent: safeQuiescent, Stopped: safeStopped,
		Loop:    "unknown if an event of the loop matches, unless X is a time or an id: whether the next round begins lower is not examined",
		Example: `monotone term per process over state|start|recover where has term`,
	},
	{
		Name: "each ... was preceded by", Syntax: "each PATTERN [is or] was preceded by PATTERN [within T] [was preceded by PATTERN [within T] ...]",
		Doc: `Each event of the first pattern has an earlier event of the second one;
with "within", one not more than T before. The conditions of the second pattern
may refer to the first event. Those that equate a field of each are the key by
which the events are found; a rule without any is about any
event of the second pattern, the first of which decides; one whose conditions on both
events are no equalities is refused unless it has "within", since each event would
have to be compared with every other one. Where the second pattern is preceded by a
third one, only events count that were preceded by one of that, and so on; each pattern
may refer to the event of the one before it. With "is or", of two patterns, an event that
is of both answers itself. Memory, for each pattern but the first: one entry for each key; where a condition on both events is no equality, one for
each event of the second pattern, and those of a key are tried one after the
other: after 67 million tries or with four million events to keep, the rule is
unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped, Loop: safeLoop,
		Example: `each r: receive was preceded by s: send(message = r.message)`,
	},
	{
		Name: "quorum", Syntax: "each PATTERN was preceded by more than|at least N [distinct X, ... in] PATTERN [within T]",
		Doc: `A quorum: before each event of the first pattern there are more than N events
of the second one, or with "at least" as many, with "within" in the last T; with
"distinct", with different values of X. N is an expression over n, the number of
processes without clients, controllers, observers and learners, and need not be a whole number. The second pattern may refer to the
first event by equalities, which are the key. An event of the second pattern
without X leaves the rule unknown. Memory: one entry for each key with each value
of X; with "within", one for each event of the last T, too; with more than four
million of either, the rule is unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped, Loop: safeLoop,
		Example: `each s: state(role = "leader") was preceded by more than n/2 distinct peer in r: receive(type = "VoteReply", process = s.process, term = s.term)`,
	},
	{
		Name: "each ... leads to", Syntax: "each PATTERN leads to PATTERN [within T] [leads to PATTERN [within T] ...] [since SEQ] [unless PATTERN]",
		Doc: `Each event of the first pattern has a later event of the second one, with
"within" one not more than T after it. An event of the pattern after "unless"
that comes first releases it. The conditions of these patterns may refer to the
first event, as above. An obligation that is overdue is a violation as soon as
the time of an event is beyond its end; the witness is the first event and that
one. Where the clock of the trace goes back after the first event of the first
pattern, a rule with "within" is unknown. Where the second pattern leads to a
third one, and so on, the first event that answers decides: it must have an answer
itself, and "within" counts from it. Each pattern may refer to all events before it,
and the one after "unless", which releases all along, to the first. With "since", in a run that was
recorded and not simulated, an answer that nothing had asked for counts from that event on: "since r.cause" takes
one that was logged before the receive r and after its send.
Memory: one entry for each open obligation; with more than four million of them,
the rule is unknown. The same bound on tries holds as above.`,
		Quiescent: "violated if an obligation is open, even if its time is not over: nothing can answer it any more",
		Stopped:   "pending if an obligation is open and not overdue; the obligations are listed",
		Loop:      "violated if an obligation is open that no event of the loop answers in the next round, or not in time; unknown if that answer must lead to something itself",
		Example:   `each s: suspect leads to e: state(process = s.process, has "elected") within 20 unless crash(process = s.process)`,
	},
	{
		Name: "never EVENT", Syntax: "never PATTERN",
		Doc: `No event matches the pattern. Parentheses select events. The condition after
"where" must never hold for them. The rule is vacuous if
there are none of those, without "where" if there are none of the kind.
An event that lacks a field in parentheses is none of them. One that lacks a field after
"where", so that it cannot be said whether it breaks the rule, leaves the rule unknown;
"where has role and role == ..." passes it over.`,
		Quiescent: safeQuiescent, Stopped: safeStopped, Loop: safeLoop,
		Example: `never send where not live(e.process)`,
	},
	{
		Name: "never STATE", Syntax: "never CONDITION",
		Doc: `In no state, in the recorded order of events, does the condition hold. It
refers to the state after an event, by functions and fluents. Each time that it
begins to hold is a violation.`,
		Quiescent: safeQuiescent, Stopped: safeStopped, Loop: safeLoop,
		Example: "fluent leads(p) while live(p) and elected(p) == p\nnever count(leads) > 1",
	},
	{
		Name: "never possibly", Syntax: "never possibly CONDITION [for CONDITION]",
		Doc: `In no consistent cut does the condition hold. The recorded order is one of
many in which the run may have taken place; this asks for all of them. The names
that the condition has free are different processes, at most three, and each choice
of them is asked for apart. A process of the run is not named so, but by its name as a
text: p == "n1". Where a free name is that of a process of the run, and others than
this one break the rule, the rule is unknown. "for" chooses among them by what never changes, such as
p < q; otherwise it means the same as and.

Functions and fluents ask for the state of a process after its last step in the
cut, wherever they stand. A part of the condition may be about the state of one
process, as leads(p) is, or relate those of two or three, as term(p) == term(q) does:
both terms are those in the cut, not those at the end of the run.
What looks at all processes, such as count(live()), or at one without a name of its
own, such as live(7) or live(elected(p)), is refused.

A process is looked at from its first step on; before that no condition on it
holds. One that has crashed keeps its variables until it recovers: elected(p) == p holds
still, unless live(p) is asked for, too, while leads(p) ends with the crash. The cut of a violation is a state that the run
may have been in, whatever follows, so that a run that was stopped is violated for good.

The result has the cut, and for each process since and until when what is asked of it
held. Where processes are related, that is while the values did not change, either.
The cost is linear in the events and in such intervals: those that an equality relates
are looked up by their values, and only those that share a cut are compared. If
more intervals would have to be kept than fit the memory that a rule is given, or more
than 134 million be compared, the rule is unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped,
		Loop:    "unknown unless it is broken: whether a further round holds such a cut is not examined",
		Example: `never possibly leads(p) and leads(q) and term(p) == term(q) for p < q`,
	},
	{
		Name: "never definitely", Syntax: "never definitely CONDITION [for CONDITION]",
		Doc: `Not every order of the events that agrees with happened-before leads through
a cut in which the condition holds. A violation was seen by the run whoever
recorded it. The cut need not be the same in each order: where p changes from 1 to 2
while q changes from 2 to 1, either may be first, and both have the same value in
between. The result has that of the recorded order.

The rest is as with "possibly", but that each process of a run that was stopped may
take a further step, which ends what holds of it. Where processes are related,
the orders are followed from change to change. With messages between the processes
that is linear in the changes, without any the changes of one multiply with those of the
others; after eight million places the rule is unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped,
		Loop: "unknown unless it is broken: whether a further round holds such a cut is not examined",
		Example: `fluent leads(p) while live(p) and elected(p) == p
never definitely leads(p) and leads(q) for p < q
never definitely live(p) and live(q) and elected(p) != null and elected(p) != elected(q) for p < q`,
	},
	{
		Name: "at most", Syntax: "at most N PATTERN per run|K, ...",
		Doc: `At most N events match the pattern, in the whole run or for each K. N is an
expression over n, the number of processes (see operators); K names a field of the event. Each event too many is a violation;
the witness is the first event and that one. Memory: one entry for each K; with
more than four million of them, the rule is unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped,
		Loop:    "violated if an event of the loop matches: it does so without end",
		Example: `at most 3*n-1 send per run`,
	},
	{
		Name: "rate", Syntax: "at most N PATTERN [per run|K, ...] within T",
		Doc: `A rate: no N+1 events of the pattern with the same K lie within T of each
other, whenever that is. Each event that makes them too many is a violation;
the witness is the first event of that time and this one. Where the clock of the
trace goes back, the rule is unknown. Memory: one entry for each K, and one for
each event of the last T; with more than four million of either, the rule is
unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped,
		Loop:    "unknown if an event of the loop matches: how the end of a round and the beginning of the next lie together is not examined",
		Example: `at most 20 send(type = "HEARTBEAT") per process, peer within 5s`,
	},
	{
		Name: "at least", Syntax: "at least N PATTERN per run|K, ...",
		Doc: `At the end of the run, N events or more match the pattern, in the whole run
or for each K. The K are those of all events of the kinds of the pattern, whatever
its conditions: "at least 1 state(role = 'leader') per term" is about each
term that an event of state has. With "per process" each process counts
though it has no event, unless its role says that it only stands by. The witness are the first
and the last event that match. Memory and its bound are those of at most.`,
		Quiescent: "violated for each K with fewer events: there will be no more",
		Stopped:   "pending as long as a K has fewer events; these are listed",
		Loop:      "violated for each K with fewer events, unless an event of the loop is one of them: it comes again",
		Example:   `at least 1 send(type = "COORDINATOR") per run`,
	},
	{
		Name: "exactly", Syntax: "exactly N PATTERN per run|K, ...",
		Doc: `At most N and at least N. An event too many is a violation when it happens, one
too few at the end. The rest is as with these.`,
		Quiescent: "violated for each K with fewer events",
		Stopped:   "pending as long as a K has fewer events",
		Loop:      "violated if an event of the loop matches: it does so without end; and for each K with fewer events",
		Example:   `exactly 1 send per message`,
	},
	{
		Name: "eventually", Syntax: "eventually CONDITION|PATTERN [within T]",
		Doc: `In some state the condition holds, or some event matches; with "within", not
more than T after the first event of a process. The state at the end counts,
too. It is a violation as soon as the time of an event is beyond T, and the witness
is that event. Where the clock of the trace goes back before, a rule with "within"
is unknown; so is one of whose condition on the state it cannot be said whether it has held.
What follows an event is said by: each ... leads to.`,
		Quiescent: "violated if it has never held, even if the time is not over",
		Stopped:   "pending if it has not held yet and the time is not over",
		Loop:      "violated if it has not held in the first round, since further rounds have the same states; unknown if it refers to what does not recur",
		Example:   `eventually exists p in live(): elected(p) == p`,
	},
	{
		Name: "at end", Syntax: "at end CONDITION",
		Doc: `In the last state the condition holds. A condition "forall p in S: ..." is
decided for each p apart, and is vacuous if there is none.`,
		Quiescent: "satisfied or violated",
		Stopped:   "holds-so-far if it holds in the last state; else pending, since the rest of the run may mend it",
		Loop:      "every state of the loop is an end: violated if it fails in one",
		Example:   `at end forall p in live(): elected(p) == best(live())`,
	},
	{
		Name: "fluent", Syntax: "fluent NAME(P) while CONDITION\nfluent NAME(P) from PATTERN, ... to PATTERN, ...",
		Doc: `A condition at one process P that holds for a while: as long as a condition
on the state does, or from an event of P to another one of P. An event of both
lists begins it. NAME(p) asks whether it holds at p; NAME alone is the set of
the processes at which it does. The rules of a file share its fluents.`,
		Example: "fluent down(p) from crash to recover\nnever send|receive where down(process)",
	},
	{
		Name: "rule", Syntax: "rule NAME [\"TEXT\"]: ...",
		Doc: `Names the rule that follows, and says what it is for. A rule without a name is called by its file and line.`,
		Example: `rule no-message-to-itself "A process does not send to itself.":
  never send where peer == process`,
	},
	{
		Name: "head", Syntax: "problem NAME   about NAME, ...   source TEXT, ...   needs TEXT, ...\nrequires|presumes|excludes TRAIT, ...   on request\napplies with PATTERN else TEXT",
		Doc: `Lines between the text of a rule and its colon, in any order. Runs of another
problem than that of the rule are not examined, and "about" only says for which problems
it is made. A run that does not state a trait that the rule requires is not examined; one that does not
state those that it presumes, or that states one that it excludes, only if the rule is
named, as one that is "on request" is. A run that has no event of the pattern after
"applies with", or of one of several, is not applicable, for that reason. "source" and "needs" are for
people. A text between backquotes may have many lines. The properties that
etrace brings along, and that are rules, are written so: etrace explain NAME shows one to copy.`,
		Example: "rule decided-once `A process decides once.`\n    problem consensus\n    source \"Reliable and Secure Distributed Programming, 5.2\"\n" +
			"    applies with state(has decided) else \"no process has a variable decided\":\n  unique decided per process over state where decided != null",
	},
	{
		Name: "pattern", Syntax: "[NAME:] KIND|KIND ... [(CONDITION, ...)] [where CONDITION]",
		Doc: `The events of these kinds of which all the conditions are true; the kind
"event" is every kind, and a condition such as kind in ("crash", "halt") may ask for it once more. The conditions refer to the event by names of fields,
alone or after the name of the event and a dot; an event without a name is e.
What is after "where" may be as long as it likes: the parentheses are for short
equalities.`,
		Example: `never m: send(type = "ELECTION") where m.peer <= m.process`,
	},
	{
		Name: "field", Syntax: "NAME | EVENT.NAME | EVENT.\"any name\" | FIELD.NAME | FIELD[NUMBER]",
		Doc: `A column of the view events (seq, time, process, kind, type, peer, message,
cause, lamport, term), else a field of the payload, else one of the log that the
event was imported from: text, line, and the groups of the pattern that it was
read by. The term is the event's column, else the field term of the payload,
else the variable term of the process; in a problem that calls its term otherwise, as zab does
with epoch, these have that name. What is within a field follows it:
body.term of an object, entries[0] of a list, whose items count from 0; a field
whose name is log[1] as it stands is meant by that, too. A name of one letter
before a dot is that of an event, and e.o.term is what is within the field o.
A process compares with a number if its
name is one, with a text that is its name, and with another process by the order
in which elections compare them.`,
		Example: `unique e."votes-for" per e.process, e.term over state
never send where body.entries[0].term > body.term or len(body.entries) > 100`,
	},
	{
		Name: "before", Syntax: "before(EXPRESSION)",
		Doc: `Functions and fluents say what the state is after the event at hand, which it
may have changed. Inside "before" they say what it was before the event:
before(elected(process)) is the process that was elected until then. A
field alone is the variable of that name: before(role) is
before(var(process, "role")). It belongs to patterns and to "never CONDITION",
which then asks at each event for itself. Memory: for each process the values of
the variables that the rule names.`,
		Example: `never state(role = "candidate") where before(role) == "leader"
never exists p in live(): before(term(p)) != null and term(p) < before(term(p))`,
	},
	{
		Name: "time", Syntax: "20 | 0.5 | 1.5s | 300ms",
		Doc: `After "within", a plain number counts units of 1e9: mean message delays of a
simulated run, seconds of a recorded one, or ticks where there is no clock. A
number with ns, us, ms, s, m or h, with or without a space before the unit, is a duration as in Go,
anywhere in a rule; it is a number of nanoseconds, as the field time is.`,
		Example: `each s: set-timer leads to timeout|cancel-timer(process = s.process, type = s.type) within 4.5 unless crash(process = s.process)
never timeout where time > 10m`,
	},
	{
		Name: "missing fields", Syntax: "has NAME",
		Doc: `A comparison with a field that the event does not have is neither true nor
false, and so is what follows from it (Kleene's logic): the event does not match
a pattern, whatever the form of the rule. Where an event matches, and lacks what the rule
asks of it, the rule is unknown: X or K after unique, monotone and per, what is distinct in
a quorum, a field of the key by which other events are found, and what must not be
after "never PATTERN where". "has" asks whether the field is there. null is a value like any other.
Where none of the events that a rule looks at has a field that it asks for, and
none could be judged without, the rule is not applicable.`,
		Example: `never state where has hops and hops > 2*n`,
	},
	{
		Name: "forall, exists", Syntax: "forall P in SET: CONDITION\nexists P in SET: CONDITION",
		Doc:     `Whether the condition holds for each process of a set, or for one; they reach as far to the right as they can, and nest at most three deep.`,
		Example: `never exists p in live(): exists q in live(): p != q and elected(p) == p and elected(q) == q`,
	},
	{
		Name: "operators", Syntax: "C ? X : Y  or  and  not  == = != < <= > >= in (X, ...)  + -  * / %  -X  **",
		Doc: `From the loosest to the tightest. = is ==, || is or, && is and, ! is not, and ^ is **, the power. Numbers are compared exactly, whatever
their size, and a text that is a whole number in plain form, such as "9" but not
"09" or "9.0", is that number; a number and another text have no order. A whole
number that is computed must fit 64 bits, or there is no result; / may give a
fraction. n is the number of processes, up or down, without the members whose role is client,
controller, observer or, in runs of raft, learner (etrace list roles): more than n/2 of them are a majority. A minus between two names needs spaces around it, since names may
hold hyphens.`,
		Example: `never send(type in ("ELECTION", "OK")) where time > 3*n*1s or not (peer != process)`,
	},
}

// Constructs returns the parts of the language, the forms of rules first.
func Constructs() []Construct { return append([]Construct(nil), constructs...) }

// Functions returns the functions of the state, each with its signature as
// syntax.
func Functions() []Construct {
	var all []Construct
	for _, f := range functions {
		all = append(all, Construct{Name: f.name, Syntax: f.signature(), Doc: f.doc})
	}
	return all
}

// Grammar returns the grammar in the notation of participle: <ident> and the
// like are classes of words, ? * + repeat.
func Grammar() string { return parser().String() }
