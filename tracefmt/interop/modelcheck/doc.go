// Package modelcheck reads what model checkers write of a behaviour, a sequence of states:
// ITF of Apalache and Quint, and TLC's counterexamples, as JSON and as text.
//
// States become events by difference. A short YAML file names the variables of processes and of the network; without
// one a guess is made, and reported.
//
//	process: nodes        # a map from processes, or several: [term, role, votedFor]
//	variables: {votedFor: vote}
//	network: {set: net, from: src, to: dst, type: kind, lost: [drop]}
//	run: {problem: raft}
//
// A file is one behaviour, and so one run: several files are several runs, since they begin anew.
//
// Order. Steps of the behaviour, one after another. In a step: a note of the action, what
// processes receive, their new variables, what they send.
//
// Time. Clocks are missing, so time is logical.
//
// Kinds. The first state gives starts with all variables. A change of variables of a process
// is a state event; other variables are in the note of the step or, where there are no
// processes, those of one process that is called system. A message that appears in the
// network is a send. A message that disappears is a loss if the action is listed as lost; else a
// receive, if anything shows it: the list lost itself, or what the receiver does in the step.
//
// Completeness. All, since all that happens in a model is a change of its state: a process crashes
// only by an action that is listed as a crash. Nothing of messages where no variable has them,
// and some of receives and losses where a message disappears and nothing shows by which.
package modelcheck
