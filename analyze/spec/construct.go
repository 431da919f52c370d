package spec

// Construct is a part of the language, for documentation.
type Construct struct {
	Name string
	// Syntax shows the form; words in capitals are placeholders of parts.
	Syntax string
	// Doc describes its meaning.
	Doc string
	// Quiescent, Stopped and Loop describe its verdict at the end of a run that cannot go on, of a run that
	// was stopped, and of a run that provably repeats itself forever; "" for a part that is no rule.
	Quiescent, Stopped, Loop string
	// Example is a text of rules that uses it.
	Example string
}

const (
	safeQuiescent = "satisfied if it was never broken"
	safeStopped   = "holds-so-far if it was never broken"
	safeLoop      = "satisfied if the first round does not break it, since further rounds show the same; unknown " +
		"if the rule refers to what does not recur, such as times"
)

var constructs = []Construct{
	{
		Name: "unique", Syntax: "unique X, ... [among different Y, ...] per K, ... over PATTERN",
		Doc: `All events of the pattern that have the same K have the same X. An event with another X than the
first event of its K is a violation; the witness is both events. An event without X or K leaves the rule unknown.
Without "per", the whole run has one X. With "among different Y", only events of different Y are compared:
"unique value among different process" allows a process to decide twice. Memory: one entry for each K; with more
than four million of them, the rule is unknown.`,
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
		Name: "each ... was preceded by", Syntax: "each PATTERN [is or] was preceded by PATTERN [within T] [was " +
			"preceded by PATTERN [within T] ...]",
		Doc: `Each event of the first pattern has an earlier event of the second one; with "within T", at most T
before it. The conditions of the second pattern may refer to the first event. Conditions that equate a field of
each event are the key by which the earlier event is found. A rule without such conditions is about any event of
the second pattern: the first one decides. If all conditions on both events are other than equalities, the rule is
refused unless it has "within", since each event would have to be compared with every other one. Where the second
pattern is itself preceded by a third one, only events count that were preceded by it, and so on; each pattern may
refer to the event of the pattern before it. With "is or", an event of both patterns answers itself; such a rule
has two patterns. Memory, for each pattern but the first: one entry for each key. Where a condition on both events
is no equality, there is one entry for each event of the second pattern, and the entries of a key are tried in
turn: after 67 million tries or with four million events to keep, the rule is unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped, Loop: safeLoop,
		Example: `each r: receive was preceded by s: send(message = r.message)`,
	},
	{
		Name: "quorum", Syntax: "each PATTERN was preceded by more than|at least N [distinct X, ... in] PATTERN [within T]",
		Doc: `A quorum: before each event of the first pattern there are more than N events of the second one, or
at least N. With "within T" only the events of the last T count; with "distinct X", each value of X counts once.
N is an expression over n, the number of processes without clients, controllers, observers and learners, and need
not be a whole number. The second pattern may refer to the first event by equalities, which are the key. An event
of the second pattern without X leaves the rule unknown. Memory: one entry for each key with each value of X;
with "within", also one for each event of the last T. With more than four million of either, the rule is unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped, Loop: safeLoop,
		Example: `each s: state(role = "leader") was preceded by more than n/2 distinct peer in r: receive(type = ` +
			`"VoteReply", process = s.process, term = s.term)`,
	},
	{
		Name: "each ... leads to", Syntax: "each PATTERN leads to PATTERN [within T] [leads to PATTERN [within " +
			"T] ...] [since SEQ] [unless PATTERN]",
		Doc: `Each event of the first pattern has a later event of the second one; with "within T", at most T after
it. An event of the pattern after "unless" that comes first releases the obligation. The conditions of these
patterns may refer to the first event, as above. An overdue obligation is a violation as soon as the time of an
event is beyond its deadline; the witness is the first event and that later event. If the clock of the trace goes
back after the first event of the first pattern, a rule with "within" is unknown. Where the second pattern leads to
a third one, and so on, the first event that answers decides: it must have an answer itself, and "within" counts
from it. Each pattern may refer to all events before it. The pattern after "unless" releases at every step, and may
refer to the first event. With "since", in a run that was recorded and not simulated, an answer that no event had
asked for counts from that event on: "since r.cause" accepts an answer that was logged before the receive r and
after its send. Memory: one entry for each open obligation; with more than four million of them, the rule is
unknown. The bound on tries is as above.`,
		Quiescent: "violated if an obligation is open, even if its time is not over: nothing can answer it any more",
		Stopped:   "pending if an obligation is open and not overdue; the obligations are listed",
		Loop: "violated if an obligation is open that no event of the loop answers in the next round, or " +
			"not in time; unknown if that answer must lead to something itself",
		Example: `each s: suspect leads to e: state(process = s.process, has "elected") within 20 unless crash(process = s.process)`,
	},
	{
		Name: "never EVENT", Syntax: "never PATTERN",
		Doc: `No event matches the pattern. The conditions in parentheses select events; the condition after "where"
must never hold for them. The rule is vacuous if it selects no event; without "where", if there is no event of the
kind. An event that lacks a field in parentheses is not selected. An event that lacks a field after "where", so
that the condition is neither true nor false, leaves the rule unknown; "where has role and role == ..." skips it.`,
		Quiescent: safeQuiescent, Stopped: safeStopped, Loop: safeLoop,
		Example: `never send where not live(e.process)`,
	},
	{
		Name: "never STATE", Syntax: "never CONDITION",
		Doc: `The condition holds in no state, in the recorded order of events. It refers to the state after an
event, by functions and fluents. Each time that it begins to hold is a violation.`,
		Quiescent: safeQuiescent, Stopped: safeStopped, Loop: safeLoop,
		Example: "fluent leads(p) while live(p) and elected(p) == p\nnever count(leads) > 1",
	},
	{
		Name: "never possibly", Syntax: "never possibly CONDITION [for CONDITION]",
		Doc: `The condition holds in no consistent cut. The recorded order is one of many in which the run may have
taken place; this form examines all of them. The free names of the condition are different processes, at most
three, and each choice of processes is examined. A process of the run is written as a text: p == "n1". If a free
name is also the name of a process, and other processes than this one break the rule, the rule is unknown. "for"
restricts the choice by what never changes, such as p < q; otherwise it means the same as and.

Functions and fluents read the state of a process after its last step in the cut. A part of the condition may be
about one process, as leads(p), or relate two or three, as term(p) == term(q): both terms are read in the cut, not
at the end of the run. A condition on all processes, such as count(live()), is refused; the same holds for a condition on a
process without a name of its own, such as live(7) or live(elected(p)).

A process counts from its first step on; before that no condition on it holds. A crashed process keeps its
variables until it recovers: elected(p) == p still holds, unless the rule also asks for live(p), while leads(p)
ends with the crash. The cut of a violation is a state that the run may have been in. No continuation changes
that, so a stopped run can be violated for good.

The result has the cut, and for each process the interval in which its part held. Where processes are related, it is
the interval in which the values did not change, either. The cost is linear in the events and in these intervals:
intervals that an equality relates are found by their values, and only intervals that share a cut are compared. The
rule is unknown if the intervals do not fit the memory of a rule, or if more than 134 million are compared.`,
		Quiescent: safeQuiescent, Stopped: safeStopped,
		Loop:    "unknown unless it is broken: whether a further round holds such a cut is not examined",
		Example: `never possibly leads(p) and leads(q) and term(p) == term(q) for p < q`,
	},
	{
		Name: "never definitely", Syntax: "never definitely CONDITION [for CONDITION]",
		Doc: `At least one order of the events that agrees with happened-before avoids the condition: it leads
through no cut in which the condition holds. If every order leads through such a cut, the run was certainly in such a
state, and the rule is violated. The cut may differ between orders: if p changes from 1 to 2 while q changes from 2 to 1,
either may be first, and both have the same value in between. The result has the cut of the recorded order.

The rest is as with "possibly", with one exception: each process of a stopped run may take a further step, which
ends what holds of it. Where processes are related, the orders are followed from change to change. With messages
between the processes this is linear in the changes; without messages the changes of the processes multiply. After
eight million places the rule is unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped,
		Loop: "unknown unless it is broken: whether a further round holds such a cut is not examined",
		Example: `fluent leads(p) while live(p) and elected(p) == p
never definitely leads(p) and leads(q) for p < q
never definitely live(p) and live(q) and elected(p) != null and elected(p) != elected(q) for p < q`,
	},
	{
		Name: "at most", Syntax: "at most N PATTERN per run|K, ...",
		Doc: `At most N events match the pattern, in the whole run or for each K. N is an expression over n, the
number of processes (see operators); K names a field of the event. Each event beyond N is a violation; the witness
is the first event and that one. Memory: one entry for each K; with more than four million of them, the rule is
unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped,
		Loop:    "violated if an event of the loop matches: it does so without end",
		Example: `at most 3*n-1 send per run`,
	},
	{
		Name: "rate", Syntax: "at most N PATTERN [per run|K, ...] within T",
		Doc: `A rate: no N+1 events of the pattern with the same K lie within T of each other. Each event beyond N is
a violation; the witness is the first event of that time and this one. Where the clock of the trace goes back, the
rule is unknown. Memory: one entry for each K, and one for each event of the last T; with more than four million of
either, the rule is unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped,
		Loop:    "unknown if an event of the loop matches: how the end of a round and the beginning of the next lie together is not examined",
		Example: `at most 20 send(type = "HEARTBEAT") per process, peer within 5s`,
	},
	{
		Name: "at least", Syntax: "at least N PATTERN per run|K, ...",
		Doc: `At the end of the run, N events or more match the pattern, in the whole run or for each K. The K are
those of all events of the pattern's kinds, whatever its conditions: "at least 1 state(role = 'leader') per term"
is about each term that a state event has. With "per process" each process counts, also without an event, unless
its role is that of a non-participant. The witness is the first and the last event that match. Memory and its bound
are those of at most.`,
		Quiescent: "violated for each K with fewer events: there will be no more",
		Stopped:   "pending as long as a K has fewer events; these are listed",
		Loop:      "violated for each K with fewer events, unless an event of the loop is one of them: it comes again",
		Example:   `at least 1 send(type = "COORDINATOR") per run`,
	},
	{
		Name: "exactly", Syntax: "exactly N PATTERN per run|K, ...",
		Doc: `At most N and at least N. An event beyond N is a violation when it happens, an event too few at the end.
The rest is as with these.`,
		Quiescent: "violated for each K with fewer events",
		Stopped:   "pending as long as a K has fewer events",
		Loop:      "violated if an event of the loop matches: it does so without end; and for each K with fewer events",
		Example:   `exactly 1 send per message`,
	},
	{
		Name: "eventually", Syntax: "eventually CONDITION|PATTERN [within T]",
		Doc: `In some state the condition holds, or some event matches; with "within T", at most T after the first
event of a process. The state at the end counts, too. The rule is violated as soon as the time of an event is
beyond T, and the witness is that event. If the clock of the trace goes back before, a rule with "within" is
unknown; so is a rule whose condition was neither true nor false. For an answer to an event write: each ... leads
to.`,
		Quiescent: "violated if it has never held, even if the time is not over",
		Stopped:   "pending if it has not held yet and the time is not over",
		Loop: "violated if it has not held in the first round, since further rounds have the same states; " +
			"unknown if it refers to what does not recur",
		Example: `eventually exists p in live(): elected(p) == p`,
	},
	{
		Name: "at end", Syntax: "at end CONDITION",
		Doc: `In the last state the condition holds. A condition "forall p in S: ..." is decided for each p on its
own, and is vacuous if S is empty.`,
		Quiescent: "satisfied or violated",
		Stopped:   "holds-so-far if it holds in the last state; else pending, since the rest of the run may mend it",
		Loop:      "every state of the loop is an end: violated if it fails in one",
		Example:   `at end forall p in live(): elected(p) == best(live())`,
	},
	{
		Name: "fluent", Syntax: "fluent NAME(P) while CONDITION\nfluent NAME(P) from PATTERN, ... to PATTERN, ...",
		Doc: `A condition at one process P that holds for a while: as long as a condition on the state does, or from
an event of P to another event of P. An event of both lists begins it. NAME(p) asks whether it holds at p; NAME
alone is the set of the processes at which it holds. The rules of a file share its fluents.`,
		Example: "fluent down(p) from crash to recover\nnever send|receive where down(process)",
	},
	{
		Name: "rule", Syntax: "rule NAME [\"TEXT\"]: ...",
		Doc: `Names the rule that follows, and describes it. A rule without a name is called by its file and line.`,
		Example: `rule no-message-to-itself "A process does not send to itself.":
  never send where peer == process`,
	},
	{
		Name: "head", Syntax: "problem NAME   about NAME, ...   source TEXT, ...   needs TEXT, " +
			"...\nrequires|presumes|excludes TRAIT, ...   on request   of the record\napplies with PATTERN else TEXT",
		Doc: `Lines between the text of a rule and its colon, in any order. Runs of another problem than that of the
rule are not examined; "about" only lists the problems that the rule is made for. A run that does not state a
required trait is not examined. A run that does not state the presumed traits, or states an excluded one, is
examined only if the user names the rule; the same holds for a rule "on request". A rule "of the record" is about
the recording itself, such as its clocks: only simulated runs are examined unless the user names it. A run without an event of the
pattern after "applies with", or of one of several, is not applicable, for the given reason. "source" and "needs"
are for people. A text between backquotes may have many lines. The built-in properties that are rules are written
so: etrace explain NAME shows one to copy.`,
		Example: "rule decided-once `A process decides once.`\n    problem consensus\n    source \"Reliable and " +
			"Secure Distributed Programming, 5.2\"\n" +
			"    applies with state(has decided) else \"no process has a variable decided\":\n  unique decided " +
			"per process over state where decided != null",
	},
	{
		Name: "pattern", Syntax: "[NAME:] KIND|KIND ... [(CONDITION, ...)] [where CONDITION]",
		Doc: `The events of these kinds for which all conditions are true. The kind "event" is every kind, and a
condition such as kind in ("crash", "halt") may narrow it. The kind "step" is every step of a process: all kinds but
lose, partition and heal, and no note without a process. The conditions refer to the event by names of fields,
alone or after the name of the event and a dot; an event without a name is e. The parentheses are for short
equalities; "where" takes any condition.`,
		Example: `never m: send(type = "ELECTION") where m.peer <= m.process`,
	},
	{
		Name: "field", Syntax: "NAME | EVENT.NAME | EVENT.\"any name\" | FIELD.NAME | FIELD[NUMBER]",
		Doc: `A column of the view events (seq, time, process, kind, type, peer, message, cause, lamport, term), else
a field of the payload, else a field of the log that the event was imported from: text, line, and the groups of the
pattern that matched it. The term is the event's column, else the field term of the payload, else the variable term
of the process. In a problem with another name for its term, as zab with epoch, these have that name. Values within
a field are written after it: body.term of an object, entries[0] of a list, whose items count from 0; a field whose name is
log[1] itself is found, too. A name of one letter before a dot is that of an event, and e.o.term is what is
within the field o. A process compares with a number if its name is a number, with a text that is its name, and with
another process by the order in which elections compare them.`,
		Example: `unique e."votes-for" per e.process, e.term over state
never send where body.entries[0].term > body.term or len(body.entries) > 100`,
	},
	{
		Name: "before", Syntax: "before(EXPRESSION)",
		Doc: `Functions and fluents describe the state after the current event, which may have changed it. Inside
"before" they describe the state before the event: before(elected(process)) is the process that was elected until
then. A field alone is the variable of that name: before(role) is before(var(process, "role")). It belongs to
patterns and to "never CONDITION", which is then evaluated at each event. Memory: for each process the values of
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
		Doc: `A comparison with a field that the event does not have is neither true nor false, and so is what follows
from it (Kleene's logic): the event does not match a pattern, in any form of rule. If an event matches and lacks
what the rule needs of it, the rule is unknown: X or K after unique, monotone and per, the distinct value of a
quorum, a field of a key, and the condition of "never PATTERN where". "has" asks whether the field is there. null
is a value like any other. If no event that a rule examines has a field that it names, and none could be judged
without, the rule is not applicable.`,
		Example: `never state where has hops and hops > 2*n`,
	},
	{
		Name: "forall, exists", Syntax: "forall P in SET: CONDITION\nexists P in SET: CONDITION",
		Doc: `Whether the condition holds for each process of a set, or for some process. They reach as far to the
right as they can, and nest at most three deep.`,
		Example: `never exists p in live(): exists q in live(): p != q and elected(p) == p and elected(q) == q`,
	},
	{
		Name: "operators", Syntax: "C ? X : Y  or  and  not  == = != < <= > >= in (X, ...)  + -  * / %  -X  **",
		Doc: `From the loosest to the tightest. = is ==, || is or, && is and, ! is not, and ^ is **, the power. Numbers
are compared exactly, whatever their size. A text that is a whole number in plain form is that number: "9", but not
"09" or "9.0". A number and another text have no order. A computed whole number must fit 64 bits, or there is no
result; / may give a fraction. n is the number of processes, up or down, without the members whose role is client,
controller, observer or, in runs of raft, learner (etrace list roles): more than n/2 of them are a majority. A minus
between two names needs spaces around it, since names may hold hyphens.`,
		Example: `never send(type in ("ELECTION", "OK")) where time > 3*n*1s or not (peer != process)`,
	},
}

// Constructs returns the parts of the language, the forms of rules first.
func Constructs() []Construct { return append([]Construct(nil), constructs...) }

// Functions returns the functions of the state, each with its signature as syntax.
func Functions() []Construct {
	var list []Construct
	for _, f := range functions {
		list = append(list, Construct{Name: f.name, Syntax: f.signature(), Doc: f.doc})
	}
	return list
}

// Grammar returns the grammar in the notation of participle: <ident> is a class of words, ? * + repeat.
// like are classes of words, ? * + repeat.
func Grammar() string { return parser().String() }
