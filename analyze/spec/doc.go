// Package spec is the language in which properties of runs are written. A rule reads like a sentence:
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
// [Parse] compiles a text of rules into properties for package analyze, and [Library] the rules of the library.
// docs/language.md has every construct with its meaning on a run that is quiescent, that was stopped, and that ends
// in a proven loop; it is generated from [Constructs].
//
// # What a rule can express
//
// The language is a fragment of first-order logic over events that can be decided in one pass, at a cost that is
// linear in the trace. A rule joins two events by a key: fields of the first that equal fields of the second. In a
// chain of events each is joined to the next. Events with the same key are found in a table, so no other pairs are
// tried. Between events, a rule refers to the state of the processes, before or after an event. It also refers to
// fluents: conditions at one process that hold from one event to another (fluent.go), perhaps for each value of a
// field by itself (fluent_key.go). Conditions on events that are concurrent in the causal order are decided by package
// causal.
//
// Conditions have Kleene's three truths: a comparison with a field that the event lacks is neither true nor false.
// A pattern matches what is true. A rule that cannot be decided is unknown; a rule is not applicable if the run
// never has a field that it names.
//
// # How it works
//
// The grammar is the types of grammar.go, which participle reads from their tags. Text, syntax tree, positions and
// the documented grammar all follow from them; head.go compiles the head of a rule. errors.go words the errors, and
// adds the line with a caret and the nearest word. Expressions become nodes (node.go), and nodes become closures
// (scope.go, expr.go, function.go, function_make.go) over a frame (evaluation.go): the current event, the state
// after it, and the process variables. Each form has a file with its compile method and its monitor: unique.go,
// each.go with preceded_by.go, quorum.go and leads_to.go, never.go, count.go, eventually.go, at_end.go, cuts.go.
// path.go finds values within fields, before.go keeps the state before an event, and window.go the events of the
// last T. The cost of a rule is bounded (each.go, cuts.go). Some events of a key must be tried in turn, since more
// than equalities join them, and cuts must be searched. In both cases the rule gives up after some number of tries
// or kept events, and reports that. No bound depends on the clock, so the same run always has the same verdict.
//
// # What is not recorded
//
// The facts that a rule reads follow from its text. While the rule is compiled, facts.go notes what its patterns
// and conditions read, and `etrace explain --needs` prints it. For an incomplete recording, three analyses narrow
// that down.
//
// First, the evaluation of a recorded event rests on facts. The frame collects them (dependencies.go): the process, the
// fact, and the event since which it is unchanged. A test that decides alone drops the facts of the other tests.
// Events that may match a pattern are collected by doubt_table.go until an answer is found missing.
//
// Second, unrecorded events are hypothetical (hypothesis.go): they have each kind, process, peer and type that the run
// and its coverage allow. Conditions about these alone are evaluated; if one is false, no unrecorded event matches.
//
// Third, a condition on the state may be true at a moment without a recorded event. It has a set of possible truths,
// which always contains the recorded one (possible.go), derived from the possible values of variables, statuses and
// fluents (possible_state.go). possible_moments.go evaluates it after each event that may change it, and before the
// next. Cuts do this for each process, and then search for processes whose parts can overlap (cuts_doubt.go).
//
// Each analysis returns a list of needs. Package analyze compares them with the coverage at the end. An inferred
// event shows that something before it is missing. Then package analyze reads the run again, with the gaps of all
// inferred events: a monitor knows each gap before it begins.
//
// # What it costs
//
// An event causes no allocation: values are small structs, one scan finds all fields of a payload that a rule
// reads, and keys that are single numbers, such as message ids, index chunks of a slice. A rule ignores events
// whose kind is in none of its patterns.
package spec
