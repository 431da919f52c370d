// Package spec is the language in which properties of runs are written. It
// reads aloud:
//
//	unique process per term over state where elected == process
//	each r: receive was preceded by s: send(message = r.message)
//	each s: suspect leads to state(process = s.process, has elected) within 20 unless crash(process = s.process)
//	never send where not live(process)
//	each s: state(role = "leader") was preceded by more than n/2 distinct peer in receive(type = "VoteReply", process = s.process, term = s.term)
//	never state(role = "candidate") where before(role) == "leader"
//	at most 3*n-1 send per run
//	at most 2 state per process within 5s
//	eventually exists p in live(): leads(p)
//	at end forall p in live(): elected(p) == best(live())
//	never possibly leads(p) and leads(q) and term(p) == term(q) for p < q
//
// [Parse] turns a text of rules into properties as package analyze checks them, and
// [Library] those of the library. docs/language.md has every
// construct with its meaning on a run that is quiescent, that was stopped, and
// that ends in a proven loop; it is written from [Constructs].
//
// # What can be said
//
// The language is a fragment of first-order logic over events that can be
// decided in one pass at a cost that is linear in the trace. A rule joins an
// event to another one by a key: fields of the one that equal fields of the
// other; a chain of events has a key from each to the next. So the events that may answer one another are found in a table, and
// no pair is ever tried that does not share its key. Between events, a rule
// refers to the state of the processes, before or after an event, and of fluents, conditions at one
// process that hold from one event to another. What happened at one time in
// spite of the recorded order is asked of package causal.
//
// Conditions are of Kleene's three truths: what an event does not have makes a
// comparison neither true nor false. A pattern is matched by what is true; a
// rule that cannot be decided so is unknown, and one of whose fields the run
// has nothing is not applicable.
//
// # How it works
//
// The grammar is the types of grammar.go, read by participle from their tags:
// text, syntax tree, positions and the grammar in the document all follow from
// them; head.go reads the head of a rule. The words of its errors come from errors.go, which adds the line with
// a caret and the nearest word. Expressions become nodes (node.go), the nodes
// closures (scope.go, expr.go, function.go, function_make.go) over a frame (evaluation.go): the
// event at hand, the state after it, and the process variables. Each form has a file with its
// compile method and its monitor: unique.go, each.go with preceded_by.go,
// quorum.go and leads_to.go, never.go, count.go, eventually.go, at_end.go, cuts.go.
// What lies within fields is found by path.go, the state before an event by
// before.go, and what lies within a time by window.go.
//
// What a rule may take is bounded (each.go, cuts.go): where the events of a key
// must be tried one after the other, since more than equalities join them, and
// where cuts are searched for, it gives up at some number of tries or of events
// kept, and says so; it never gives up by the clock, so that the same run always
// has the same verdict.
//
// # What is not recorded
//
// On which facts a rule rests follows from its text. facts.go notes, while it is compiled, what
// its patterns and conditions read: that is what `etrace explain --needs` says. Of a recording
// that lacks something, three things narrow that down.
//
// Of a recorded event it is asked what its evaluation rested on. The frame collects
// it (doubt.go): of which process what was read, and since which event that was so. A test that
// decides alone drops what the others read. Of events that may be of a pattern, unsure.go keeps
// this for the time when an answer is found missing.
//
// An event that is not recorded is supposed (hidden.go): of each kind, process, peer and type
// that it may have, in that run and by that coverage. Of the conditions those are asked for that
// are about these alone; an event that they exclude cannot have been one of the pattern.
//
// A condition on the state may be true at a moment without a recorded event. So it has a set
// of truths that it may have, of which the recorded one is always one (possible.go), made of what
// each variable, status and fluent may be (possible_state.go); outlook.go asks for it after
// each event that may change it, and before the next. Cuts ask this of each process for itself, and
// then which of them can meet (cuts_doubt.go).
//
// What is found in one of these ways is a list of needs, which says nothing yet: package
// analyze compares it with the coverage at the end.
//
// # What it costs
//
// An event costs no allocation: values are small structs, the fields of a
// payload that a rule asks for are found in one scan, and keys that are
// single numbers, such as the ids of messages, index chunks of a slice. A rule
// looks at no event whose kind is not in its patterns.
package spec
