package broadcast

import (
	"etrace/analyze"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/tracefmt"
)

var broadcastUniformAgreement = analyze.Property{
	Name: "broadcast-uniform-agreement",
	Kind: analyze.Liveness,
	Doc: `If some process delivers a message, even a process that crashes, every correct process eventually delivers it.

This is stricter than broadcast-agreement, where only deliveries by correct processes count. An algorithm that
delivers before the other processes have the message violates it when the sender crashes, and need not satisfy it.
Deliveries by Byzantine processes and clients do not count. A process is correct if it participates, and neither
crashes nor halts in the whole run. If the run does not state whether a process participates, it participates if it
broadcasts or delivers. If it only starts or has states, timers or notes, or if such events may be unrecorded, the
property is unknown; otherwise the process counts as a non-participant. While the run can go on, a message that a
correct process has not delivered is an open obligation.`,
	Needs:      broadcastNeeds,
	Source:     paper.ReliableProgramming + ", 3.4: URB4, uniform agreement",
	Problem:    tracefmt.Broadcast,
	OnRequest:  true,
	ViolatedBy: unrecorded.NoteFacts,
	ExcusedBy:  analyze.Facts("note", "crash", "halt"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &broadcastAgreementMonitor{promised: newPromised(run), uniform: true}
	},
}
