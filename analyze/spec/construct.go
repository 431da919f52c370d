package spec

// Construct is a part of the language, for documentation.
type Construct struct {
	Name string
	// Syntax shows the form; words in capitals are placeholders of parts.
	Syntax string
	// Doc describes its meaning.
	Doc string
	// Quiescent, Stopped and Loop describe the verdict of a rule at the end of a quiescent run, of a stopped run, and
	// of a run that provably repeats itself forever. They are empty for a part that is no rule.
	Quiescent, Stopped, Loop string
	// Example is a text of rules that uses it.
	Example string
}

const (
	safeQuiescent = "satisfied if no event violated the rule"
	safeStopped   = "holds-so-far if no event violated the rule"
	safeLoop      = "satisfied if the first round does not violate the rule, since all rounds are the same; unknown " +
		"if the rule reads values that differ between rounds, such as times"
)

var constructs = []Construct{
	{
		Name: "unique", Syntax: "unique X, ... [among different Y, ...] per K, ... over PATTERN",
		Doc: `All events of the pattern that have the same K have the same X. An event whose X differs
from the X of the first event with the same K is a violation, and the two events are the witness. An event without X or K
makes the rule unknown. Without "per", all events of the run have the same X. With "among different Y", the rule
compares only events with different Y: "unique value among different process" allows a process to decide twice. Memory:
one entry for each K; with more than four million entries, the rule is unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped, Loop: safeLoop,
		Example: `unique e.process per e.term over state where elected == process`,
	},
	{
		Name: "monotone", Syntax: "monotone X per K, ... over PATTERN",
		Doc: `Among the events of the pattern that have the same K, X never falls. An
event with a lower X than the previous event of the same K is a violation, and the two events are the witness.
Memory and its bound are those of unique.`,
		Quiescent: safeQuiescent, Stopped: safeStopped,
		Loop: "unknown if an event of the loop matches, unless X is a time or an id: the rule does not compare one " +
			"round with the next",
		Example: `monotone term per process over state|start|recover where has term`,
	},
	{
		Name: "each ... was preceded by", Syntax: "each PATTERN [is or] was preceded by PATTERN [within T] [was " +
			"preceded by PATTERN [within T] ...]",
		Doc: `Each event of the first pattern has an earlier event of the second one; with "within T", at most T
before it. The conditions of the second pattern may refer to the first event. A condition that equates a field of
the one event with a field of the other is a key, by which etrace finds the earlier event. If no condition relates the
two events, any earlier event of the second pattern is enough. If the conditions relate them, but none is an equality, the rule
is refused unless it has "within", because etrace would have to compare all pairs of events. The second pattern may
itself be preceded by a third one, and so on: then an event of the second pattern counts only if an event of the third pattern precedes it. Each
pattern may refer to the event of the previous pattern. With "is or", an event that matches both patterns needs no earlier
event; such a rule has two patterns. Memory, for each pattern except the first: one entry for each key. If a condition
on both events is no equality, there is one entry for each event of the second pattern, and the entries of a key are
compared in turn. After 67 million comparisons, or with more than four million entries, the rule is unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped, Loop: safeLoop,
		Example: `each r: receive was preceded by s: send(message = r.message)`,
	},
	{
		Name: "quorum", Syntax: "each PATTERN was preceded by more than|at least N [distinct X, ... in] PATTERN [within T]",
		Doc: `A quorum: before each event of the first pattern there are more than N events of the second one, or
at least N. With "within T" only the events of the last T count; with "distinct X", each value of X counts once.
N is an expression over n, the number of processes without clients, controllers, observers and learners. N need
not be a whole number. The second pattern may refer to the first event by equalities only. An event
of the second pattern without X makes the rule unknown. Memory: one entry for each key with each value of X;
with "within", also one for each event of the last T. With more than four million of either, the rule is unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped, Loop: safeLoop,
		Example: `each s: state(role = "leader") was preceded by more than n/2 distinct peer in r: receive(type = ` +
			`"VoteReply", process = s.process, term = s.term)`,
	},
	{
		Name: "each ... leads to", Syntax: "each PATTERN leads to PATTERN [within T] [leads to PATTERN [within " +
			"T] ...] [since SEQ] [unless PATTERN]",
		Doc: `Each event of the first pattern has a later event of the second one; with "within T", at most T after
it. If an event of the pattern after "unless" comes first, the obligation ends. The conditions of both
patterns may refer to the first event, as in "was preceded by". An obligation is violated as soon as the time of an event
is beyond its deadline; the witness is the first event and this later event. If the clock of the trace goes backwards
after the first event of the first pattern, a rule with "within" is unknown. The second pattern may lead to a third one,
and so on: then the first event that matches the second pattern must itself lead to an event of the third pattern, and its
"within" counts from this event. Each pattern may refer to all events of the previous patterns. The pattern after "unless" may
refer to the first event, and ends the obligation at any step. "since" is for recordings, where the log of a process may
have the second event before the first one: "since r.cause" also accepts an event that was logged before the receive r
and after its send. Memory: one entry for each open obligation; with more than four million entries, the rule is
unknown. The bound on comparisons is that of "was preceded by".`,
		Quiescent: "violated if an obligation is open, even before its deadline, because no event can follow",
		Stopped:   "pending if an obligation is open and not overdue; the obligations are listed",
		Loop: "violated if an obligation is open and the next round has no event for it, or not in time; unknown if " +
			"that event must itself lead to another one",
		Example: `each s: suspect leads to e: state(process = s.process, has "elected") within 20 unless crash(process = s.process)`,
	},
	{
		Name: "never EVENT", Syntax: "never PATTERN",
		Doc: `No event matches the pattern. The conditions in parentheses select events; the condition after "where"
must never hold for them. The rule is vacuous if the parentheses select no event; without "where", if no event has the
kind. An event that lacks a field in parentheses is not selected. If a selected event lacks a field after "where", the
condition is neither true nor false, and the rule is unknown; "where has role and role == ..." excludes such events.`,
		Quiescent: safeQuiescent, Stopped: safeStopped, Loop: safeLoop,
		Example: `never send where not live(e.process)`,
	},
	{
		Name: "never STATE", Syntax: "never CONDITION",
		Doc: `The condition holds in no state, in the recorded order of events. Its functions and fluents read the state
after an event. Each event after which the condition begins to hold is a violation.`,
		Quiescent: safeQuiescent, Stopped: safeStopped, Loop: safeLoop,
		Example: "fluent leads(p) while live(p) and elected(p) == p\nnever count(leads) > 1",
	},
	{
		Name: "never possibly", Syntax: "never possibly CONDITION [for CONDITION]",
		Doc: `The condition holds in no consistent cut. The recorded order is one of many orders in which the events may have
happened; this form examines all of them. The condition has up to three free names, such as p and q. They stand for
different processes, and every choice of processes is examined. A certain process is written as a text: p == "n1". If a
free name is also the name of a process, and the violation is of other processes, the rule is unknown. "for"
restricts the choice of processes by a condition that never changes, such as p < q; any other condition after "for"
means the same as after "and".

Functions and fluents read the state of a process after its last step in the cut. A part of the condition may concern
one process, as in leads(p), or relate two or three, as in term(p) == term(q). All values are read in the cut, not
at the end of the run. A condition on all processes, such as count(live()), is refused. A condition on a
process without a free name, such as live(7) or live(elected(p)), is refused, too.

No condition on a process holds before its first step. A crashed process keeps its variables until it recovers. So
elected(p) == p holds after the crash, unless the rule also asks for live(p); but leads(p) ends with the crash. The cut
of a violation is a state in which the run may have been. No continuation changes that, so the verdict on a stopped run
can be violated.

The result has the cut, and for each process the interval in which its part of the condition held. If the condition
relates processes, the values do not change within an interval. The cost is linear in the number of events and
intervals: etrace finds intervals that an equality relates by their values, and compares only intervals that share a
cut. The rule is unknown if the intervals exceed the memory of a rule, or after 134 million comparisons.`,
		Quiescent: safeQuiescent, Stopped: safeStopped,
		Loop:    "unknown unless the recorded rounds violate the rule, because a further round may have such a cut",
		Example: `never possibly leads(p) and leads(q) and term(p) == term(q) for p < q`,
	},
	{
		Name: "never definitely", Syntax: "never definitely CONDITION [for CONDITION]",
		Doc: `At least one order of the events that agrees with happened-before avoids the condition: it leads
through no cut in which the condition holds. If every order leads through such a cut, the run was certainly in such a
state, and the rule is violated. The cut may differ between orders. For example, if p changes from 1 to 2 while q changes
from 2 to 1, then p and q have the same value after the first change, in either order. The result has the cut of the
recorded order.

In all else this form is like "never possibly", with one exception: each process of a stopped run may take a further step,
after which the condition need not hold. If the condition relates processes, etrace follows the orders from
change to change. With messages between the processes, the cost is linear in the number of changes. Without messages, the
numbers of changes multiply, and after eight million places the rule is unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped,
		Loop: "unknown unless the recorded rounds violate the rule, because a further round may have such a cut",
		Example: `fluent leads(p) while live(p) and elected(p) == p
never definitely leads(p) and leads(q) for p < q
never definitely live(p) and live(q) and elected(p) != null and elected(p) != elected(q) for p < q`,
	},
	{
		Name: "at most", Syntax: "at most N PATTERN per run|K, ...",
		Doc: `At most N events match the pattern, in the whole run or for each K. N is an expression over n, the
number of processes (see operators); K names a field of the event. Each event beyond N is a violation; the witness
is the first event and this event. Memory: one entry for each K; with more than four million entries, the rule is
unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped,
		Loop:    "violated if an event of the loop matches, because it matches again in each round",
		Example: `at most 3*n-1 send per run`,
	},
	{
		Name: "rate", Syntax: "at most N PATTERN [per run|K, ...] within T",
		Doc: `A rate: no N+1 events of the pattern with the same K lie within T of each other. Each event beyond N is
a violation; the witness is the first event within T and this event. If the clock of the trace goes backwards, the
rule is unknown. Memory: one entry for each K, and one for each event of the last T; with more than four million of
either, the rule is unknown.`,
		Quiescent: safeQuiescent, Stopped: safeStopped,
		Loop:    "unknown if an event of the loop matches, because the rule does not count across the end of a round",
		Example: `at most 20 send(type = "HEARTBEAT") per process, peer within 5s`,
	},
	{
		Name: "at least", Syntax: "at least N PATTERN per run|K, ...",
		Doc: `At the end of the run, N events or more match the pattern, in the whole run or for each K. The rule examines
the K of all events of the pattern's kinds, also of events that do not meet its conditions: "at least 1 state(role =
'leader') per term" examines every term that a state event has. With "per process" it examines every participant, also
one without an event. The witness is the first and the last event that match. Memory and its bound are those of at most.`,
		Quiescent: "violated for each K with fewer events",
		Stopped:   "pending if a K has fewer events; the report lists these K",
		Loop:      "violated for each K with fewer events, unless an event of the loop counts for this K, because it comes again",
		Example:   `at least 1 send(type = "COORDINATOR") per run`,
	},
	{
		Name: "exactly", Syntax: "exactly N PATTERN per run|K, ...",
		Doc: `At most N and at least N. An event beyond N is a violation when it happens. Too few events are a violation at
the end.`,
		Quiescent: "violated for each K with fewer events",
		Stopped:   "pending as long as a K has fewer events",
		Loop:      "violated if an event of the loop matches, because it matches again in each round; and for each K with fewer events",
		Example:   `exactly 1 send per message`,
	},
	{
		Name: "eventually", Syntax: "eventually CONDITION|PATTERN [within T]",
		Doc: `In some state the condition holds, or some event matches; with "within T", at most T after the first
event of a process. The state at the end counts, too. The rule is violated as soon as the time of an event is
beyond T, and the witness is that event. If the clock of the trace goes backwards before, a rule with "within" is
unknown. A rule whose condition was neither true nor false is unknown, too. If each event of a kind needs a later event,
use: each ... leads to.`,
		Quiescent: "violated if the condition never held, even before the deadline",
		Stopped:   "pending if the condition did not hold yet, and the deadline is not over",
		Loop: "violated if the condition did not hold in the first round, since all rounds have the same states; " +
			"unknown if the rule reads values that differ between rounds",
		Example: `eventually exists p in live(): elected(p) == p`,
	},
	{
		Name: "at end", Syntax: "at end CONDITION",
		Doc: `In the last state the condition holds. A condition "forall p in S: ..." is decided for each p on its
own, and is vacuous if S is empty.`,
		Quiescent: "satisfied or violated",
		Stopped:   "holds-so-far if it holds in the last state; otherwise pending, since the run might have continued",
		Loop:      "violated if the condition fails in some state of the loop",
		Example:   `at end forall p in live(): elected(p) == best(live())`,
	},
	{
		Name: "fluent", Syntax: "fluent NAME(P) while CONDITION\nfluent NAME(P[, FIELD]) from PATTERN, ... to PATTERN, ...",
		Doc: `A condition on one process P that holds for some time: while a condition on the state holds, or from an event of
P to another event of P. If an event is in both lists, the fluent begins. NAME(p) is true if the fluent holds at p; NAME
alone is the set of the processes at which it holds. All rules of a file can use its fluents.

With a FIELD, the fluent holds for each value of this field by itself, as in "fluent holds(p, lock) from note(type =
"acquire") to note(type = "release"), crash". Then holds(q, e.lock) is true while q has the lock of the event e. An event
without the field ends the fluent for all values, and begins it for none. With more than four million values, the rule is
unknown.`,
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
rule are not examined; "about" only lists the problems for which the rule is made. A run without a
required trait is not examined. A run without the presumed traits, or with an excluded trait, is
examined only if the user names the rule. A rule "on request" is examined only if the user names it. A rule "of the
record" examines the recording itself, such as its clocks; it examines only simulated runs, unless the user names it. If a run
has no event of a pattern after "applies with", the rule is not applicable, for the given reason. "source" and "needs"
are texts for people. A text between backquotes may have many lines. Many built-in properties are such rules:
etrace explain NAME prints one to copy.`,
		Example: "rule decided-once `A process decides once.`\n    problem consensus\n    source \"Reliable and " +
			"Secure Distributed Programming, 5.2\"\n" +
			"    applies with state(has decided) else \"no process has a variable decided\":\n  unique decided " +
			"per process over state where decided != null",
	},
	{
		Name: "pattern", Syntax: "[NAME:] KIND|KIND ... [(CONDITION, ...)] [where CONDITION]",
		Doc: `The events of these kinds for which all conditions are true. The kind "event" is every kind, and a
condition such as kind in ("crash", "halt") may narrow it. The kind "step" is every step of a process: all kinds but
lose, partition and heal, and no note without a process. A condition names a field alone, or after the name of
the event and a dot. An event without a given name is called e. The parentheses are for short equalities; "where"
takes any condition.`,
		Example: `never m: send(type = "ELECTION") where m.peer <= m.process`,
	},
	{
		Name: "field", Syntax: "NAME | EVENT.NAME | EVENT.\"any name\" | FIELD.NAME | FIELD[NUMBER]",
		Doc: `A column of the view events (seq, time, process, kind, type, peer, message, cause, lamport, term), else
a field of the payload, else a field of the log that the event was imported from: text, line, and the groups of the
pattern that matched it. The term is the event's column, else the field term of the payload, else the variable term
of the process. If the problem has another name for its term, as zab has epoch, this name replaces term. A value within
a field is written after the field: body.term in an object, entries[0] in a list, whose first item is 0. A field may also
have the name log[1] itself. A single letter before a dot is the name of an event, so a field with the name o is written
e.o.term. A process can be compared with a number if its name is a number, with a text, which is a name, and with
another process, by the order in which elections compare processes.`,
		Example: `unique e."votes-for" per e.process, e.term over state
never send where body.entries[0].term > body.term or len(body.entries) > 100`,
	},
	{
		Name: "before", Syntax: "before(EXPRESSION)",
		Doc: `Functions and fluents read the state after the current event, but inside "before" the state before this event.
For example, before(elected(process)) is the process that was elected until then. A field alone is the variable of that name:
before(role) is before(var(process, "role")). "before" may be used in patterns and in "never CONDITION", which is then
evaluated at each event. Memory: for each process the values of the variables that the rule names.`,
		Example: `never state(role = "candidate") where before(role) == "leader"
never exists p in live(): before(term(p)) != null and term(p) < before(term(p))`,
	},
	{
		Name: "time", Syntax: "20 | 0.5 | 1.5s | 300ms",
		Doc: `After "within", a plain number counts units of 1e9: mean message delays of a
simulated run, seconds of a recorded one, or ticks of a run without a clock. A
number with ns, us, ms, s, m or h, with or without a space before the unit, is a duration as in Go. A duration may be
used anywhere in a rule, and is a number of nanoseconds, like the field time.`,
		Example: `each s: set-timer leads to timeout|cancel-timer(process = s.process, type = s.type) within 4.5 unless crash(process = s.process)
never timeout where time > 10m`,
	},
	{
		Name: "missing fields", Syntax: "has NAME",
		Doc: `A comparison with a field that the event does not have is neither true nor false (Kleene's logic), and an event with
such a condition does not match the pattern. If an event matches, but lacks a field that the rule
needs, the rule is unknown. The rule needs X and K after unique, monotone and per, the distinct value of a quorum, the
fields of a key, and the condition of "never PATTERN where". "has" is true if the event has the field. null is a
value like any other. If no event that a rule examines has a field that it names, and the rule decides none of them
without it, the rule is not applicable.`,
		Example: `never state where has hops and hops > 2*n`,
	},
	{
		Name: "forall, exists", Syntax: "forall P in SET: CONDITION\nexists P in SET: CONDITION",
		Doc: `True if the condition holds for each process of a set, or for some process. The condition extends as far to the
right as possible. At most three of these may be nested.`,
		Example: `never exists p in live(): exists q in live(): p != q and elected(p) == p and elected(q) == q`,
	},
	{
		Name: "operators", Syntax: "C ? X : Y  or  and  not  == = != < <= > >= in (X, ...)  + -  * / %  -X  **",
		Doc: `The operators, in order of increasing precedence. = is ==, || is or, && is and, ! is not, and ^ is **, the power.
Numbers of any size are compared exactly. A text that is a whole number in plain form equals that number: "9", but not
"09" or "9.0". A number and any other text have no order. A computed whole number must fit 64 bits, or it has no
value; / may give a fraction. n is the number of processes, up or down, without the members whose role is client,
controller, observer or, in runs of raft, learner (etrace list roles). So more than n/2 processes are a majority. A minus
between two names needs spaces around it, since names may contain hyphens.`,
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

// Grammar returns the grammar in the notation of participle: <ident> is a class of words; ?, * and + repeat.
func Grammar() string { return parser().String() }
