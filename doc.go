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
//
// # The scenario
//
//   - scenario: algorithm, processes, fault plan, timing and seed; all that
//     decides a simulated run.
//   - fault plan: who crashes and recovers when, which messages are lost or
//     slowed, when the network is split.
//   - topology, neighbours: who may send to whom.
//   - round: a step of every process at one instant, whose messages arrive before
//     the next.
//   - Byzantine: a process that the plan has say what its algorithm does not.
//   - suspicion: what a failure detector says of a process; it may be wrong.
//   - live: neither crashed nor halted.
//   - trait: what a run states of its algorithm or its network; see
//     [etrace/tracefmt.Traits].
//   - bound: how many messages theory allows a run, which the run states.
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
// # Elections
//
//   - elected: the state variable that holds the coordinator as a process
//     sees it.
//   - coordinator, leader: the process that was elected.
//   - term: the epoch of an election, where an algorithm has one.
//   - best process: the live process with the greatest id, in a run that
//     states the trait greatest-wins; in others no process is the best.
//
// # Stable packages
//
// A program that adds to etrace, or records, reads and checks runs, imports:
//
//   - cmd/etrace/cli: Main and its options.
//   - record: a program records itself.
//   - record/algorithm, record/sim: an algorithm, and the protocol that it is.
//   - record/scenario: a simulated run.
//   - tracefmt, tracefmt/text, tracefmt/tracefile: events, runs, registries, files.
//   - tracefmt/interop: a foreign format.
//   - replay: the state after any event.
//   - analyze, analyze/property, analyze/spec: checks, properties, rules.
//   - analyze/report, analyze/experiment/suite: forms of reports, suites.
//   - render: pictures; render/story, render/drawing, render/diagram: a diagram.
//   - render/format, render/notation: what pictures and stories are written in.
//
// In these an exported name changes only with an entry in CHANGELOG.md that says
// what to write in its place. All other packages change as etrace needs it.
package etrace
