// Package etrace is a flight recorder and forensic laboratory for distributed
// algorithms: see README.md for its use and ARCHITECTURE.md for its structure.
// The command is in cmd/etrace. This file holds the glossary; each word is
// used in one sense only, in code, texts and messages.
//
// # The run
//
//   - process: something that takes steps one after another and shares nothing
//     with others but messages. A process has a name and a number, which
//     follows the order of the ids.
//   - message: what one process sends to another; it has a type and fields.
//     A broadcast is one message per receiver.
//   - channel: the messages from one process to another.
//   - event: one step of a process, or of its environment, with a place (seq)
//     in the recorded order.
//   - run: the events of one execution, with a description.
//   - trace: a file that holds runs.
//   - recording: a run together with its events, wherever they are kept.
//
// # Order
//
//   - happened-before: the order of the events of each process, and send
//     before receive, and what follows from these.
//   - cause: the event of another process that directly happened before.
//   - concurrent: neither of two events happened before the other.
//   - cut: a prefix of each process's events; consistent if with every
//     receive it has the send.
//   - observed, possibly, definitely: in the recorded order, in some consistent
//     cut, on every way through the consistent cuts.
//   - vector clock: for each process, how many of its steps happened before an
//     event or are the event.
//   - causal depth: the length of the longest chain of delivered messages.
//   - Lamport clock: a number that grows along happened-before.
//
// # The end
//
//   - quiescent: no message is in flight to a live process and no timer is
//     armed, so that nothing can happen any more.
//   - stopped: the record ends while more could have happened.
//   - loop (lasso): the whole global state has occurred before, so that a
//     deterministic run repeats what lies between forever; stem and cycle.
//   - counter: a number whose order and differences alone matter to the algorithm,
//     such as a ballot or a logical clock. A loop with a shift is one in which the
//     state recurs, and all counters have grown by the same amount.
//
// # The scenario
//
//   - scenario: algorithm, processes, fault plan, timing and seed; all that
//     decides a simulated run.
//   - fault plan: who crashes and recovers when, which messages are lost or
//     slowed, when the network is split.
//   - topology, neighbours: the pairs of processes that may exchange messages.
//   - round: a step of every process at one instant, whose messages arrive before
//     the next.
//   - Byzantine: a process that need not keep to its algorithm: by the role of the
//     member, which a simulated run gives to a process whose plan makes it lie.
//   - suspicion: the output of a failure detector about a process; it may be wrong.
//   - live: neither crashed nor halted.
//   - incarnation: one life of a process, up to its next recovery or start; the name stays.
//   - inferred, stated: of a crash or restart that the system did not log: guessed from its
//     other events, or stated by the user.
//   - trait: what a run states of its algorithm or its network; see
//     [etrace/tracefmt.Traits].
//   - bound: how many messages theory allows a run, which the run states.
//   - problem: what the processes are to bring about together, as election or
//     consensus; it selects the properties of a run. See
//     [etrace/tracefmt.Problems].
//   - role of a member: its part in the run, as server, client or observer, in the
//     attribute role and the same throughout. See [etrace/tracefmt.MemberRoles].
//   - participant, observer: by its role, a member owes what the problem asks, or
//     nothing; see [etrace/tracefmt.Run.Part]. n counts all but clients, controllers,
//     observers and learners of Raft.
//   - lock: what one process at a time holds: a critical section, which notes may name,
//     or an object of the operations acquire and release.
//
// # The check
//
//   - property: a named statement about runs, safety or liveness.
//   - verdict: what is known about a property of a run.
//   - witness: the events that together show a violation.
//   - rule: a property in the language of docs/language.md.
//   - fluent: a condition at one process that holds for a while.
//   - explanation: the events that a violation needs; without any one of them, and
//     what happened because of it, that violation does not show.
//   - obligation: something that a liveness property still waits for.
//   - vacuous: what the property is about never occurred.
//
// # Partial recordings
//
//   - fact: a kind of event, or the assignments of a variable, which a recording has all,
//     some or none of, at each process.
//   - complete: the declaration of that in the header; see [etrace/tracefmt.Completeness].
//   - gap: a stretch of a process in which events of any kind may be missing.
//   - coverage: what is recorded, by the header and by what occurs; see
//     [etrace/tracefmt.Coverage].
//   - completion: a run that would have been recorded as the recording is.
//   - need: a fact, and a stretch of the run, whose record would decide an unknown verdict.
//
// # Elections
//
//   - elected: the state variable that holds the coordinator as a process
//     sees it.
//   - role, the variable: the recorded role of a process at a time: leader,
//     candidate, follower.
//   - leads: a live participant leads if its recorded role is leader, or, without a
//     recorded role, if it has elected itself; in the term of that record, until it
//     records another term. See [etrace/replay.State.Leads].
//   - coordinator, leader: the process that leads.
//   - knows: a process knows its leader if it has elected one. A process without a
//     recorded choice knows the leader while some process leads and it is no candidate.
//   - elector: a process that elects and may be elected: a participant, or, in a run
//     without roles, a process with a recorded elected or role.
//   - vote: the process that another gives its voice to in a term, the variable votedFor.
//   - quorum: a set of electors that meets any other such set: more than half of them.
//   - term: the number of an election, where an algorithm has one; leaders of different
//     terms may lead at once.
//   - best process: the live elector with the greatest values of what the run's
//     best names, or with the greatest id, where it states the trait
//     greatest-wins; in others no process is the best.
//
// # Stable packages
//
// A program that adds to etrace, or records, reads and checks runs, imports:
//
//   - cmd/etrace/cli: Main and its options.
//   - record, record/bubble: a program records itself; it runs over a network in virtual time.
//   - record/algorithm, record/sim: an algorithm, and the protocol that it is.
//   - record/scenario: a simulated run.
//   - tracefmt, tracefmt/text, tracefmt/tracefile: events, runs, registries, files.
//   - tracefmt/text/document: the forms of a report, and its headings, lists and tables.
//   - tracefmt/interop: a foreign format.
//   - replay: the state after any event.
//   - tracefmt/interop/logs: a guessed map; tracefmt/interop/mapping: a ready map, by Parse, Load and Ready. The other names of
//     mapping are for logs.
//   - analyze, analyze/property, analyze/spec, analyze/lint: checks, properties, rules.
//   - analyze/report, analyze/experiment/suite: forms of reports, suites.
//   - render: pictures; render/story, render/drawing, render/diagram: a diagram.
//   - render/format, render/notation: what pictures and stories are written in.
//
// In these an exported name changes only with an entry in CHANGELOG.md that gives the replacement. All other
// packages change as etrace needs it.
package etrace
